package plaintext

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"mpanalyze/internal/bykey"
	"mpanalyze/internal/overview"
	"mpanalyze/internal/report"
	"mpanalyze/internal/textwrap"
)

// Options says how output looks. It never changes the content.
type Options struct {
	Width int  // columns of the terminal; 0 if lines may have any length
	Color bool // whether to use ANSI colours
	All   bool // whether to show every connection in full, however many there are

	Verbose bool // whether to say how the place of a capture is known
}

// What a summary shows before it begins to leave out; [Options.All]
// lifts these limits.
const (
	maxBlocks   = 5  // connections in full; if there are more, each has a line
	maxLines    = 30 // lines for connections, the worst first; also lines for plain TCP connections
	maxSubflows = 16 // subflows of one connection
	maxEvents   = 6  // events of one connection
	maxOfKind   = 3  // events of one kind of one connection: a repeated event must not hide the others
	maxWarnings = 12
)

// leastWidth is the narrowest terminal that the layout is made for.
const leastWidth = 40

// Summary writes the report for people. First comes what all connections show together, then a
// block for each connection, or a line for each if there are many. Lines for plain TCP
// connections and warnings follow.
func Summary(w io.Writer, s report.Source, o Options) error {
	p := newPrinter(w, o, math.MaxInt32)
	head, keep := s.Head(), overview.Keep{}
	if p.limit(s.NumConnections(), maxBlocks) < s.NumConnections() {
		keep.Worst = maxLines
	}
	all, err := overview.Of(s, keep)
	if err != nil {
		return err
	}
	p.answer(all, head.MadeBy.Window(), false)
	if s.NumConnections()+s.NumTCP() > 0 && len(head.Captures) > 0 {
		p.line("", "")
	}
	for i := range head.Captures {
		p.capture(&head.Captures[i])
	}
	p.clock(head.Clock)
	if err := p.connections(s, all); err != nil {
		return err
	}
	if err := p.plain(s); err != nil {
		return err
	}
	if head.LeftOutTCP > 0 && s.NumConnections() > 0 {
		p.line("", "")
		p.wrapped(dim, "", leftOut(head.LeftOutTCP))
	}
	p.fairness(head.Fairness)
	p.warnings(head.Warnings)
	if s.NumConnections()+s.NumTCP() == 0 {
		p.wrapped("", "", nothingFound(head))
	}
	return p.w.Flush()
}

// printer writes text within a width. The final Flush returns write errors.
type printer struct {
	w *bufio.Writer
	Options
}

// newPrinter returns a printer with these options; width is that of output to no terminal.
func newPrinter(w io.Writer, o Options, width int) *printer {
	o.Width = max(cmp.Or(o.Width, width), leastWidth)
	return &printer{bufio.NewWriter(w), o}
}

// The ANSI renditions that are used (ECMA-48, Section 8.3.117).
const (
	bold   = "1"
	dim    = "2"
	yellow = "33"
)

// line writes one line in a rendition, "" for none.
func (p *printer) line(rendition, text string) {
	if p.Color && rendition != "" && text != "" {
		text = "\x1b[" + rendition + "m" + text + "\x1b[0m"
	}
	fmt.Fprintln(p.w, text)
}

// wrapped writes text and breaks it at spaces to the width. Further lines are indented by two
// more columns.
func (p *printer) wrapped(rendition, indent, text string) {
	p.hanging(rendition, indent, len(indent)+2, text)
}

// hanging writes text behind an indent and breaks it at spaces to the width. Further lines are
// indented by this number of columns.
func (p *printer) hanging(rendition, indent string, columns int, text string) {
	for _, line := range textwrap.Fill(text, indent, strings.Repeat(" ", columns), p.Width) {
		p.line(rendition, line)
	}
}

// grid writes a table with an indent and a dim header. Below it stands what is not shown
// because the terminal is too narrow.
func (p *printer) grid(indent string, g *grid) {
	l := g.layout(p.Width - len(indent))
	for _, line := range l.header {
		p.line(dim, indent+line)
	}
	for _, line := range l.rows {
		p.line("", indent+line)
	}
	l.needs += len(indent)
	if note := l.note(p.Width); note != "" {
		p.wrapped(dim, indent, note)
	}
}

// limit returns how many of n things to show.
func (p *printer) limit(n, most int) int {
	if p.All {
		return n
	}
	return min(n, most)
}

// omitted says how many things were not shown.
func (p *printer) omitted(indent string, n int, what string) {
	if n > 0 {
		p.wrapped(dim, indent, fmt.Sprintf("... and %s (--all shows every one)", textwrap.Count(n, "more "+what)))
	}
}

// capture writes what was read from one file and what was left out.
func (p *printer) capture(c *report.Capture) {
	var span string
	if c.First != nil && c.Last != nil {
		span = " in " + seconds(float64(*c.Last-*c.First)/1e9)
	}
	p.wrapped("", "", fmt.Sprintf("%s: %s, %s (%s)%s, %s", Clean(c.File), c.Format, textwrap.Count(c.Packets, "packet"),
		size(c.Bytes), span, Clean(strings.Join(c.LinkTypes, ", "))))
	var out []string
	for _, s := range []struct {
		n    int64
		what string
	}{
		{c.Skipped.NotIP, "not IP"},
		{c.Skipped.NotTCP, "not TCP"},
		{c.Skipped.Filtered, "filtered out"},
		{c.Skipped.Fragments, "incomplete fragments"},
		{c.Skipped.Malformed, "malformed"},
		{c.Skipped.Duplicates, "seen twice"},
		{c.Skipped.NoConnection, "of no connection"},
	} {
		if s.n > 0 {
			out = append(out, fmt.Sprintf("%d %s", s.n, s.what))
		}
	}
	if len(out) > 0 {
		p.wrapped(dim, "  ", "left out: "+strings.Join(out, ", "))
	}
	if d := c.Damage; d != nil {
		p.wrapped(yellow, "  ", fmt.Sprintf("stops after packet %d at byte %d: %s", d.Packet, d.Offset, Clean(d.Message)))
	}
}

// connections writes a few connections in full, or a table if there are many.
func (p *printer) connections(s report.Source, o *overview.Overview) error {
	n := s.NumConnections()
	if p.limit(n, maxBlocks) < n {
		return p.lines(s, o)
	}
	for i := range n {
		c, err := s.ConnectionAt(i)
		if err != nil {
			return err
		}
		p.connection(c, n+s.NumTCP() > 1)
	}
	return nil
}

// lines writes a table with a line for each connection, the worst first.
func (p *printer) lines(s report.Source, o *overview.Overview) error {
	g := grid{columns: []column{
		{title: "connection", right: true},
		{title: "a", least: 12, drop: 6},
		{title: "b", least: 12, drop: 5},
		{title: "MPTCP", drop: 8},
		{title: "subflows", right: true, drop: 4},
		{title: "s", right: true, drop: 2},
		{title: "a2b", right: true, drop: 3},
		{title: "b2a", right: true},
		{title: "by path %", right: true},
		{title: "verdict"},
		{title: "state", drop: 7},
	}}
	names := pathNames(o)
	if o.Naming != "path" {
		names = nil
	}
	for _, r := range o.Worst {
		c, err := s.ConnectionAt(r.At)
		if err != nil {
			return err
		}
		g.rows = append(g.rows, oneLine(c, names))
	}
	p.line("", "")
	order := "paths in the order of their subflows"
	if names != nil {
		order = "paths in the order of the table above"
	}
	title := "The %d worst connections (%s)"
	if len(o.Groups) == 0 {
		title = "The %d connections with the most data (%s)"
	}
	p.wrapped(bold, "", fmt.Sprintf(title, len(g.rows), order))
	p.grid("", &g)
	if n := s.NumConnections() - len(g.rows); n > 0 {
		p.wrapped(dim, "", fmt.Sprintf("... and %s (--all shows every one in full, --connection N one, mpanalyze connections a line each)", textwrap.Count(n, "more connection")))
	}
	return nil
}

// oneLine returns the cells of a connection. names holds all paths; it is nil if there are too
// many.
func oneLine(c *report.Connection, names []string) []string {
	a, b := none, none
	if len(c.Subflows) > 0 {
		a, b = endpoint(c.Subflows[0].A), endpoint(c.Subflows[0].B)
	}
	state := string(c.State)
	if c.Fallback != nil {
		state += ", fell back"
	}
	verdict := none
	if all := report.Known(c.Verdicts); len(all) > 0 {
		verdict = fmt.Sprintf("%s: %s", all[0].Severity, Clean(string(all[0].Code)))
		if len(all) > 1 {
			verdict += fmt.Sprintf(" +%d", len(all)-1)
		}
	}
	return []string{
		fmt.Sprint(c.ID), a, b, known(c.Version, version), fmt.Sprint(len(c.Subflows)),
		digits(c.DurationS), dataOf(c.A2B), dataOf(c.B2A), sharesOf(c, names), verdict, state,
	}
}

// sharesOf returns the share of each path in the direction with more data, in whole percent.
func sharesOf(c *report.Connection, names []string) string {
	bulk := c.Bulk()
	var shares []float64
	if names != nil {
		shares = make([]float64, len(names))
	}
	for i := range c.Subflows {
		s := &c.Subflows[i]
		share := 0.0
		if d := s.Dir(bulk); d != nil && d.Share != nil {
			share = *d.Share
		}
		if k := slices.Index(names, s.Path); k >= 0 {
			shares[k] += share
		} else if names == nil {
			shares = append(shares, share)
		}
	}
	var text []string
	sum := 0.0
	for _, v := range shares {
		sum += v
		text = append(text, fmt.Sprintf("%.0f", v))
	}
	switch {
	case sum == 0:
		return none
	case len(text) > maxShares:
		text = append(text[:maxShares], "…")
	}
	return strings.Join(text, "/")
}

// maxShares is the largest number of shares in a line of a connection.
const maxShares = 4

// plain writes a line for each plain TCP connection.
func (p *printer) plain(s report.Source) error {
	n := s.NumTCP()
	if n == 0 {
		return nil
	}
	shown := p.limit(n, maxLines)
	g := grid{columns: []column{
		{title: "tcp", right: true},
		{title: "a", least: 12},
		{title: "b", least: 12},
		{title: "s", right: true, drop: 3},
		{title: "a2b", right: true},
		{title: "b2a", right: true},
		{title: "retrans", right: true, drop: 2},
		{title: "state", drop: 4},
		{title: "MPTCP", drop: 1},
	}}
	var unknown bykey.Lists[string]
	for i := range shown {
		c, err := s.TCPAt(i)
		if err != nil {
			return err
		}
		asked, why := c.Asked()
		if why != "" {
			unknown.Add(why, fmt.Sprint(c.ID))
		}
		there, againThere := payloadOf(c.A2B)
		back, againBack := payloadOf(c.B2A)
		g.rows = append(g.rows, []string{
			fmt.Sprint(c.ID), endpoint(c.A), endpoint(c.B), digits(c.DurationS),
			there, back, size(againThere + againBack), string(c.State), asked,
		})
	}
	p.line("", "")
	p.line(bold, textwrap.Count(n, "plain TCP connection"))
	p.grid("", &g)
	p.omitted("", n-shown, "plain connection")
	for _, why := range unknown.Keys {
		p.wrapped(dim, "  ", fmt.Sprintf("whether tcp %s asked for MPTCP is not known: %s", strings.Join(unknown.Of[why], ", "), Clean(why)))
	}
	for i := range shown {
		c, err := s.TCPAt(i)
		if err != nil {
			return err
		}
		if c.MPTCP != nil && s.NumConnections()+n > 1 { // else the first block says it
			p.verdict(fmt.Sprintf("  tcp %d ", c.ID), c.Verdicts)
		}
	}
	return nil
}

// warnings writes a paragraph for each warning.
func (p *printer) warnings(all []report.Warning) {
	if len(all) == 0 {
		return
	}
	p.line("", "")
	p.line(bold, textwrap.Count(len(all), "warning"))
	shown := p.limit(len(all), maxWarnings)
	for _, w := range all[:shown] {
		var where []string
		if w.File != nil {
			where = append(where, Clean(*w.File))
		}
		if w.Connection != nil {
			where = append(where, fmt.Sprintf("connection %d", *w.Connection))
		}
		if w.Packet != nil {
			where = append(where, fmt.Sprintf("packet %d", *w.Packet))
		}
		text := Clean(w.Message)
		if len(where) > 0 {
			text = strings.Join(where, ", ") + ": " + text
		}
		if w.Count > 1 {
			text += fmt.Sprintf(" (%d times)", w.Count)
		}
		p.wrapped(yellow, "  ", text)
	}
	p.omitted("  ", len(all)-shown, "warning")
}
