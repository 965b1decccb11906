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

// fact is one line about a connection.
type fact struct {
	Name, Text string
	Severity   report.Severity // for a verdict only
}

// facts holds the most important facts about a connection: both hosts, how much each path carried,
// what the data waited for, and the most severe verdict with what to do about it.
func facts(c *report.Connection) []fact {
	d := cmp.Or(c.Dir(c.Bulk()), &report.ConnDir{})
	list := append(ends(c), fact{Name: "Data", Text: dataOf(c)}, fact{Name: "Paths", Text: pathsOf(d)}, fact{Name: "Time", Text: timeOf(d)}, fact{Name: "Waits", Text: waitsOf(d)})
	if verdicts := report.Known(c.Verdicts); len(verdicts) > 0 {
		v := &verdicts[0]
		list = append(list, fact{"Verdict", v.Headline, v.Severity}, fact{Name: "To do", Text: sentences.For(v)})
	}
	list = slices.DeleteFunc(list, func(f fact) bool { return f.Text == "" && f.Severity == "" })
	return append(list, asked(c)...)
}

// asked returns the results of --stream and --extra regret for each direction: what a player would
// have shown, and what the choices of the scheduler cost. It returns nothing without these flags.
func asked(c *report.Connection) (out []fact) {
	for i, dir := range c.Dirs() {
		dir = cmp.Or(dir, &report.ConnDir{})
		for _, f := range []fact{{Name: "Playback", Text: plaintext.Streaming(dir.Streaming)}, {Name: "Scheduler", Text: plaintext.Regret(dir.SchedulerRegret)}} {
			if f.Text != "" {
				out = append(out, fact{Name: f.Name, Text: string(report.Directions[i]) + " " + f.Text})
			}
		}
	}
	return out
}

// brief describes a connection in one line, which is shown while its section is folded.
func brief(c *report.Connection) string {
	text := many(len(c.Subflows), "subflow")
	if data := dataOf(c); data != "" {
		text += ", " + data
	}
	if v := severe(report.Known(c.Verdicts)); v != nil {
		text += ", " + string(v.Severity) + ": " + string(v.Code)
	}
	return text
}

// severe returns the most severe of the verdicts, nil if nothing is wrong.
func severe(list report.List[report.Verdict]) *report.Verdict {
	if len(list) == 0 || list[0].Severity == report.Fine {
		return nil
	}
	return &list[0]
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

// dataOf says what the direction with more data carried.
func dataOf(c *report.Connection) string {
	d := c.Dir(c.Bulk())
	if d == nil || d.Bytes == nil {
		return ""
	}
	text := fmt.Sprintf("%d bytes %s in %s s", *d.Bytes, c.Bulk(), digits(c.DurationS, 3))
	if d.Goodput != nil {
		text += ", " + digits(d.Goodput.Avg, 3) + " Mbit/s"
	}
	return text
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
			list = append(list, fmt.Sprintf("%s carried %s %%", p.Path, digits(*p.Percent, 3)))
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
	add := func(name string, s *report.Stat) {
		if s != nil {
			list = append(list, fmt.Sprintf("%s %s ms on average, %s ms at most", name, digits(s.Avg, 3), digits(s.Max, 3)))
		}
	}
	add("protocol delay", d.ProtocolDelay)
	add("head-of-line blocking", d.HoLBlocking)
	return strings.Join(list, "; ")
}

// possible names causes that the evidence leaves, with their hosts.
func possible(list report.List[report.Cause]) string {
	var names []string
	for _, c := range list {
		name := strings.ReplaceAll(string(c.Code), "_", " ")
		if c.Host != nil {
			name += " on " + string(*c.Host)
		}
		names = append(names, name)
	}
	return strings.Join(names, ", ")
}

// said writes the value of a line of records, which is mostly a whole number, with its unit.
func said(k report.KernelLine) string {
	if k.Value != nil && *k.Value == math.Trunc(*k.Value) && math.Abs(*k.Value) < 1<<53 {
		text := grouped(int64(*k.Value))
		if k.Unit != nil && *k.Unit != "count" && *k.Unit != "ratio" {
			text += " " + plaintext.Clean(*k.Unit)
		}
		return text
	}
	return plaintext.Amount(&report.Proof{Value: k.Value, Unit: k.Unit})
}
