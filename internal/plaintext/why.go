package plaintext

import (
	"bufio"
	"bytes"
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"mpanalyze/internal/overview"
	"mpanalyze/internal/report"
	"mpanalyze/internal/sentences"
	"mpanalyze/internal/textwrap"
)

// whyConnection is a connection, Multipath TCP or plain, with its verdicts.
type whyConnection struct {
	ID        int                         `json:"id"`
	A         report.Endpoint             `json:"a"`
	B         report.Endpoint             `json:"b"`
	Start     report.Time                 `json:"start"`
	DurationS float64                     `json:"duration_s"`
	Vantage   report.Vantage              `json:"vantage"`
	Verdicts  report.List[report.Verdict] `json:"verdicts"`
	// By direction; absent where nobody asked, or the capture shows none.
	Streaming map[report.Direction]*report.Streaming       `json:"streaming,omitempty"`
	Regret    map[report.Direction]*report.SchedulerRegret `json:"scheduler_regret,omitempty"`

	title string
	of    *report.Connection // nil for plain TCP; for the account of the time, which analyze has in JSON
}

// maxWhy is how many connections [Why] explains before it begins to leave out;
// [Options.All] lifts the limit.
const maxWhy = 5

// red is the rendition of critical verdicts (ECMA-48, Section 8.3.117).
const red = "31"

// Why writes the verdicts for people. If there are several connections, it first writes groups
// of verdicts by code and path. Then it writes the verdicts on each connection, the worst first.
func Why(w io.Writer, s report.Source, o Options) error {
	p := newPrinter(w, o, plainWidth)
	n := s.NumConnections() + s.NumTCP()
	shown := p.limit(n, maxWhy)
	all, err := overview.Of(s, overview.Keep{Worst: shown, TCP: true})
	if err != nil {
		return err
	}
	if n > 1 {
		p.answer(all, s.Head().MadeBy.Window(), true)
	}
	for k, r := range all.Worst {
		if k > 0 || n > 1 {
			p.line("", "")
		}
		i := r.At
		if r.TCP {
			i += s.NumConnections()
		}
		c, err := whyOf(s, i)
		if err != nil {
			return err
		}
		p.why(&c)
	}
	p.omitted("", n-shown, "connection")
	p.fairness(s.Head().Fairness)
	if n == 0 {
		p.wrapped("", "", nothingFound(s.Head()))
	}
	return p.w.Flush()
}

// whyOf returns connection i with its verdicts. Plain TCP connections are counted after the
// others.
func whyOf(s report.Source, i int) (whyConnection, error) {
	if n := s.NumConnections(); i >= n {
		c, err := s.TCPAt(i - n)
		if err != nil {
			return whyConnection{}, err
		}
		return whyPlain(c), nil
	}
	c, err := s.ConnectionAt(i)
	if err != nil {
		return whyConnection{}, err
	}
	return whyMultipath(c), nil
}

func whyMultipath(c *report.Connection) whyConnection {
	w := whyConnection{
		ID: c.ID, Start: c.Start, DurationS: c.DurationS, Vantage: c.Vantage, Verdicts: report.Known(c.Verdicts),
		Streaming: map[report.Direction]*report.Streaming{}, Regret: map[report.Direction]*report.SchedulerRegret{}, of: c,
	}
	if len(c.Subflows) > 0 {
		w.A, w.B = c.Subflows[0].A, c.Subflows[0].B
	}
	for _, d := range report.Directions {
		dir := c.Dir(d)
		if dir != nil && dir.Streaming != nil {
			w.Streaming[d] = dir.Streaming
		}
		if dir != nil && dir.SchedulerRegret != nil {
			w.Regret[d] = dir.SchedulerRegret
		}
	}
	w.title = fmt.Sprintf("connection %d: MPTCP %s, %s", c.ID, versionOf(c), textwrap.Count(len(c.Subflows), "subflow"))
	return w
}

func whyPlain(c *report.TCP) whyConnection {
	return whyConnection{
		ID: c.ID, A: c.A, B: c.B, Start: c.Start, DurationS: c.DurationS, Vantage: c.Vantage, Verdicts: c.Verdicts,
		title: fmt.Sprintf("tcp %d: plain TCP", c.ID),
	}
}

// WhyJSON writes the verdicts as one JSON object: "summary" for all connections together, the
// lists "connections" and "tcp", each in the order of first packets, and "fairness" if it was
// asked for. See [WhySchema].
func WhyJSON(w io.Writer, s report.Source) error {
	all, err := overview.Of(s, overview.Keep{})
	if err != nil {
		return err
	}
	out := bufio.NewWriter(w)
	n := s.NumConnections()
	if err := indented(out, "{\n \"schema\": \"mpanalyze.why/1\",\n \"summary\": ", all, " "); err != nil {
		return err
	}
	fmt.Fprint(out, ",\n \"connections\": ")
	if err := whyList(out, s, 0, n); err != nil {
		return err
	}
	fmt.Fprint(out, ",\n \"tcp\": ")
	if err := whyList(out, s, n, n+s.NumTCP()); err != nil {
		return err
	}
	if f := s.Head().Fairness; f != nil {
		if err := indented(out, ",\n \"fairness\": ", f, " "); err != nil {
			return err
		}
	}
	fmt.Fprint(out, "\n}\n")
	return out.Flush()
}

// indented writes a value as JSON with an indent, behind a lead.
func indented(out *bufio.Writer, lead string, v any, indent string) error {
	var text bytes.Buffer
	err := report.WriteIndented(&text, v, indent, " ")
	out.WriteString(lead)
	out.Write(bytes.TrimSuffix(text.Bytes(), []byte("\n")))
	return err
}

// whyList writes the list of connections from one to another.
func whyList(out *bufio.Writer, s report.Source, from, to int) error {
	if from == to {
		_, err := out.WriteString("[]")
		return err
	}
	lead := "[\n  "
	for i := from; i < to; i++ {
		c, err := whyOf(s, i)
		if err == nil {
			err = indented(out, lead, &c, "  ")
		}
		if err != nil {
			return err
		}
		lead = ",\n  "
	}
	_, err := out.WriteString("\n ]")
	return err
}

// shade returns the rendition of a verdict of this severity.
func shade(s report.Severity) string {
	switch s {
	case report.Critical:
		return red
	case report.Major:
		return yellow
	}
	return ""
}

// why writes the verdicts on one connection.
func (p *printer) why(c *whyConnection) {
	p.wrapped(bold, "", fmt.Sprintf("%s, %s to %s, %s, %s", c.title, endpoint(c.A), endpoint(c.B), seconds(c.DurationS), seenAt(c.Vantage)))
	for _, d := range report.Directions {
		if c.of != nil && c.of.Dir(d) != nil {
			p.opening(string(d), c.of.Dir(d))
		}
	}
	if len(c.Verdicts) == 0 {
		p.wrapped(dim, "  ", "no problem found in the capture")
	}
	said := map[string]string{}
	for i := range c.Verdicts {
		v := &c.Verdicts[i]
		name := string(v.Code)
		if v.Direction != nil {
			name += ", " + string(*v.Direction)
		}
		if v.Headline != "" { // a report of an older version has none
			name = v.Headline + " (" + name + ")"
		}
		p.wrapped(shade(v.Severity), "  ", fmt.Sprintf("%s: %s", v.Severity, Clean(name)))
		p.wrapped("", "    ", Clean(v.Text))
		for j := range v.Evidence {
			p.wrapped(dim, "    - ", proven(&v.Evidence[j]))
		}
		p.wrapped("", "    ", "to do: "+Clean(remedy(v, said)))
	}
	for _, d := range report.Directions {
		p.asked(d, c.Streaming[d], c.Regret[d])
	}
}

// remedy returns what to do about a verdict. It leaves out the commands, or the whole text, that
// stand with a verdict above; said has the sentences with the codes of these verdicts.
func remedy(v *report.Verdict, said map[string]string) string {
	parts := strings.Split(strings.TrimSuffix(sentences.For(v), "."), ". ")
	fresh := slices.ContainsFunc(parts, func(s string) bool { return said[s] == "" })
	var kept, above []string
	for i, s := range parts {
		switch of := said[s]; {
		case of == "" || fresh && (i == 0 || !strings.Contains(s, ": ")): // commands stand behind a colon
			kept = append(kept, s)
		case !slices.Contains(above, of):
			above = append(above, of)
		}
		said[s] = cmp.Or(said[s], string(v.Code))
	}
	switch codes := strings.Join(above, " and "); {
	case !fresh:
		return "as for " + codes + " above."
	case codes != "":
		return strings.Join(kept, ". ") + ". The rest is as for " + codes + " above."
	}
	return sentences.For(v)
}

func seenAt(v report.Vantage) string {
	if v == report.VantageUnknown {
		return "seen from an unknown place"
	}
	return "seen at " + string(v)
}

// proven returns a line about one proof.
func proven(e *report.Proof) string {
	what := Clean(e.What)
	if e.Packet != nil {
		where := fmt.Sprintf("packet %d", *e.Packet)
		if e.TS != nil {
			where += fmt.Sprintf(" at %.6f s", *e.TS)
		}
		if e.Subflow != nil {
			where += fmt.Sprintf(" on subflow %d", *e.Subflow)
		}
		return where + ": " + what
	}
	if e.Unit != nil && *e.Unit == "count" && e.Value != nil && *e.Value != 1 {
		return Amount(e) + " " + what // which is a plural: 3 times
	}
	return Amount(e) + ": " + what
}

// Amount returns the figure of a proof with its unit, for people. It is a dash if the proof has
// no figure.
func Amount(e *report.Proof) string {
	switch unit := *cmp.Or(e.Unit, new("")); {
	case e.Value == nil:
		return none + units(unit)
	case unit == "bytes" && *e.Value >= 1e4: // the size of a packet stays exact
		return size(int64(*e.Value))
	case unit == "ms" && math.Abs(*e.Value) >= 1000:
		return seconds(*e.Value / 1000)
	case unit == "count" || unit == "segments" || unit == "bytes":
		return strconv.FormatFloat(*e.Value, 'f', 0, 64) + units(unit)
	default:
		return digits(*e.Value) + units(unit)
	}
}

// units returns the text of a unit behind a number. It is empty for a ratio or a count.
func units(unit string) string {
	switch unit {
	case "ratio", "count":
		return ""
	case "percent":
		return " %"
	}
	return " " + Clean(unit)
}

// verdict writes the most severe verdict as a line of the summary.
func (p *printer) verdict(indent string, all []report.Verdict) {
	if len(all) == 0 {
		return
	}
	more := ""
	if n := len(all) - 1; n > 0 {
		more = fmt.Sprintf(" (and %s: mpanalyze why)", textwrap.Count(n, "more verdict"))
	}
	p.wrapped(shade(all[0].Severity), indent, fmt.Sprintf("why: %s, %s%s", Clean(string(all[0].Code)), Clean(cmp.Or(all[0].Headline, all[0].Text)), more))
}
