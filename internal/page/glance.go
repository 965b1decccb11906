package page

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"mpanalyze/internal/plaintext"
	"mpanalyze/internal/plot"
	"mpanalyze/internal/report"
	"mpanalyze/internal/sentences"
)

// glance holds the most important facts about a connection.
type glance struct {
	ID     int
	Charts []opening
	Absent string // why it has no chart
	Facts  []fact
}

// fact is one line of a glance.
type fact struct {
	Name, Text string
	Severity   report.Severity // for a verdict only
}

// glanceOf names both hosts. It says how much each path carried, what the data waited for, and
// the most severe verdict with what to do about it.
func glanceOf(c *report.Connection, charts []chart) glance {
	g := glance{ID: c.ID, Facts: ends(c)}
	g.Charts, g.Absent = openings(c, charts)
	add := func(name, text string) {
		if text != "" {
			g.Facts = append(g.Facts, fact{Name: name, Text: text})
		}
	}
	name, d := string(c.Bulk()), cmp.Or(c.Dir(c.Bulk()), &report.ConnDir{})
	add("Data", dataOf(name, c, d))
	add("Paths", pathsOf(d))
	add("Time", timeOf(d))
	add("Waits", waitsOf(d))
	if list := report.Known(c.Verdicts); len(list) > 0 {
		v := &list[0]
		g.Facts = append(g.Facts, fact{"Verdict", v.Headline, v.Severity})
		add("To do", sentences.For(v))
	}
	g.Facts = append(g.Facts, asked(c)...)
	return g
}

// asked returns the results of --bitrate and --regret for each direction: what a player would
// have shown, and what the choices of the scheduler cost. It returns nothing without these flags.
func asked(c *report.Connection) (out []fact) {
	for _, d := range report.Directions {
		dir := cmp.Or(c.Dir(d), &report.ConnDir{})
		for _, f := range []fact{{Name: "Playback", Text: plaintext.Streaming(dir.Streaming)}, {Name: "Scheduler", Text: plaintext.Regret(dir.SchedulerRegret)}} {
			if f.Text != "" {
				f.Text = string(d) + " " + f.Text
				out = append(out, f)
			}
		}
	}
	return out
}

// brief describes a connection in one line, which is shown while its section is folded.
func brief(c *report.Connection) string {
	name, d := string(c.Bulk()), cmp.Or(c.Dir(c.Bulk()), &report.ConnDir{})
	text := many(len(c.Subflows), "subflow")
	if data := dataOf(name, c, d); data != "" {
		text += ", " + data
	}
	if list := report.Known(c.Verdicts); len(list) > 0 && list[0].Severity != report.Fine {
		text += ", " + string(list[0].Severity) + ": " + string(list[0].Code)
	}
	return text
}

// ends names the hosts by the addresses and ports of the connection's first subflow.
func ends(c *report.Connection) []fact {
	if len(c.Subflows) == 0 {
		return nil
	}
	s := &c.Subflows[0]
	return []fact{
		{Name: "A", Text: fmt.Sprintf("%s port %d", s.A.Addr, s.A.Port)},
		{Name: "B", Text: fmt.Sprintf("%s port %d", s.B.Addr, s.B.Port)},
	}
}

func dataOf(direction string, c *report.Connection, d *report.ConnDir) string {
	if d.Bytes == nil {
		return ""
	}
	text := fmt.Sprintf("%d bytes %s in %s s", *d.Bytes, direction, threeDigits(c.DurationS))
	if d.Goodput != nil {
		text += ", " + threeDigits(d.Goodput.Avg) + " Mbit/s"
	}
	return text
}

// threeDigits returns a number with three digits, or with all digits before the point if there
// are more.
func threeDigits(v float64) string {
	if math.Abs(v) >= 999.5 {
		return fmt.Sprintf("%.0f", v)
	}
	return fmt.Sprintf("%.3g", v)
}

// pathsOf names the eight paths that carried most.
func pathsOf(d *report.ConnDir) string {
	var list []string
	paths := slices.Clone(d.Paths)
	slices.SortStableFunc(paths, func(a, b report.PathShare) int {
		return int(report.Known(b.Bytes) - report.Known(a.Bytes))
	})
	for i := range paths {
		if p := &paths[i]; p.Percent != nil {
			list = append(list, fmt.Sprintf("%s carried %s %%", p.Path, threeDigits(*p.Percent)))
		}
	}
	if others := len(list) - 8; others > 0 {
		list = append(list[:8], fmt.Sprintf("and %d more", others))
	}
	return strings.Join(list, ", ")
}

// timeOf says what the time of a direction went to.
func timeOf(d *report.ConnDir) string {
	if d.TimeAccount == nil {
		return ""
	}
	return strings.Join(d.TimeAccount.Shares(plot.LeastShare), ", ")
}

func waitsOf(d *report.ConnDir) string {
	var list []string
	for _, x := range []struct {
		name string
		s    *report.Stat
	}{{"protocol delay", d.ProtocolDelay}, {"head-of-line blocking", d.HoLBlocking}} {
		if x.s != nil {
			list = append(list, fmt.Sprintf("%s %s ms on average, %s ms at most", x.name, threeDigits(x.s.Avg), threeDigits(x.s.Max)))
		}
	}
	return strings.Join(list, "; ")
}
