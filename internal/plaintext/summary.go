package plaintext

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"mpanalyze/internal/report"
)

// Options says how output looks; it never changes the facts.
type Options struct {
	Width int  // columns of the terminal; 0 where lines need not fit anything
	Color bool // whether to use ANSI colours
	All   bool // whether to show every connection in full, however many there are
}

// What a summary shows before it begins to leave out; [Options.All]
// lifts these limits.
const (
	maxBlocks   = 5  // connections in full, those with the most bytes
	maxLines    = 30 // further connections, and plain ones, a line each
	maxSubflows = 16 // subflows of one connection
	maxEvents   = 6  // events of one connection
	maxOfKind   = 3  // events of one kind of one connection: one that repeats must not hide the others
	maxWarnings = 12
)

// leastWidth is the narrowest terminal that the layout is made for.
const leastWidth = 40

// Summary writes the report for people: a block per connection, then plain
// TCP connections a line each, then warnings.
func Summary(w io.Writer, s report.Source, o Options) error {
	p := &printer{w: bufio.NewWriter(w), width: max(o.Width, leastWidth), color: o.Color, all: o.All}
	if o.Width == 0 {
		p.width = math.MaxInt32
	}
	head := s.Head()
	for i := range head.Captures {
		p.capture(&head.Captures[i])
	}
	p.clock(head.Clock)
	if err := p.connections(s); err != nil {
		return err
	}
	if err := p.plain(s); err != nil {
		return err
	}
	p.warnings(head.Warnings)
	if s.NumConnections()+s.NumTCP() == 0 {
		p.line("", "No TCP connection found.")
	}
	return p.w.Flush()
}

// printer lays text out; write errors surface in the final Flush.
type printer struct {
	w     *bufio.Writer
	width int
	color bool
	all   bool
}

// The ANSI renditions in use (ECMA-48, Section 8.3.117).
const (
	bold   = "1"
	dim    = "2"
	yellow = "33"
)

// line writes one line in a rendition, "" for none.
func (p *printer) line(rendition, text string) {
	if p.color && rendition != "" && text != "" {
		text = "\x1b[" + rendition + "m" + text + "\x1b[0m"
	}
	fmt.Fprintln(p.w, text)
}

// wrapped writes text broken at spaces to the width; further lines are
// indented below it.
func (p *printer) wrapped(rendition, indent, text string) {
	p.hanging(rendition, indent, len(indent)+2, text)
}

// hanging writes text broken at spaces to the width behind a first indent;
// further lines are indented by hang columns.
func (p *printer) hanging(rendition, indent string, columns int, text string) {
	line := indent
	empty := true
	hang := strings.Repeat(" ", columns)
	for word := range strings.FieldsSeq(text) {
		if !empty && len([]rune(line))+1+len([]rune(word)) > p.width {
			p.line(rendition, line)
			line, empty = hang, true
		}
		if !empty {
			line += " "
		}
		line += word
		empty = false
	}
	p.line(rendition, line)
}

// grid writes a table below an indent, its header dimmed.
func (p *printer) grid(indent string, g *grid) {
	for i, line := range g.lines(p.width - len(indent)) {
		rendition := ""
		if i == 0 {
			rendition = dim
		}
		p.line(rendition, indent+line)
	}
}

// limit returns how many of n things to show.
func (p *printer) limit(n, most int) int {
	if p.all {
		return n
	}
	return min(n, most)
}

// omitted says how many things were not shown.
func (p *printer) omitted(indent string, n int, what string) {
	if n > 0 {
		p.wrapped(dim, indent, fmt.Sprintf("... and %s (--all shows every one)", plural(n, "more "+what)))
	}
}

// capture is what was read of one file and what was left out.
func (p *printer) capture(c *report.Capture) {
	var span string
	if c.First != nil && c.Last != nil {
		span = " in " + seconds(float64(*c.Last-*c.First)/1e9)
	}
	p.wrapped("", "", fmt.Sprintf("%s: %s, %s (%s)%s, %s", Clean(c.File), c.Format, plural(c.Packets, "packet"),
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

// connections shows the largest in full and the rest as a table.
func (p *printer) connections(s report.Source) error {
	n := s.NumConnections()
	full := p.limit(n, maxBlocks)
	if full < n {
		p.line("", "")
		p.wrapped(bold, "", fmt.Sprintf("%s, the %d with the most data first", plural(n, "MPTCP connection"), full))
	}
	blocks, err := largest(s, full)
	if err != nil {
		return err
	}
	for _, i := range blocks {
		c, err := s.ConnectionAt(i)
		if err != nil {
			return err
		}
		p.connection(c)
	}
	if full == n {
		return nil
	}
	return p.others(s, blocks)
}

// largest returns the n connections with the most data, in their order; of those with
// the same the first.
func largest(s report.Source, n int) ([]int, error) {
	type volume struct {
		at    int
		bytes int64
	}
	top := make([]volume, 0, n+1)
	for i := range s.NumConnections() {
		c, err := s.ConnectionAt(i)
		if err != nil {
			return nil, err
		}
		top = append(top, volume{i, c.A2B.Volume() + c.B2A.Volume()})
		if len(top) > n {
			slices.SortStableFunc(top, func(x, y volume) int { return cmp.Compare(y.bytes, x.bytes) })
			top = top[:n]
		}
	}
	out := make([]int, len(top))
	for i := range top {
		out[i] = top[i].at
	}
	slices.Sort(out)
	return out, nil
}

// others is a line per connection, but for those shown in full.
func (p *printer) others(s report.Source, but []int) error {
	g := grid{columns: []column{
		{title: "connection", right: true},
		{title: "a", least: 12},
		{title: "b", least: 12, drop: 4},
		{title: "MPTCP", drop: 5},
		{title: "subflows", right: true, drop: 3},
		{title: "s", right: true, drop: 2},
		{title: "a2b", right: true},
		{title: "b2a", right: true},
		{title: "state", drop: 1},
	}}
	for i := 0; i < s.NumConnections() && len(g.rows) < maxLines; i++ {
		if slices.Contains(but, i) {
			continue
		}
		c, err := s.ConnectionAt(i)
		if err != nil {
			return err
		}
		g.rows = append(g.rows, oneLine(c))
	}
	p.line("", "")
	p.grid("", &g)
	p.omitted("", s.NumConnections()-len(but)-len(g.rows), "connection")
	return nil
}

// oneLine is the cells of a connection.
func oneLine(c *report.Connection) []string {
	a, b := none, none
	if len(c.Subflows) > 0 {
		a, b = endpoint(c.Subflows[0].A), endpoint(c.Subflows[0].B)
	}
	state := string(c.State)
	if c.Fallback != nil {
		state += ", fell back"
	}
	return []string{
		fmt.Sprint(c.ID), a, b, shortVersion(c), fmt.Sprint(len(c.Subflows)),
		digits(c.DurationS), dataOf(c.A2B), dataOf(c.B2A), state,
	}
}

// plain is a line per plain TCP connection.
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
	var unknown groups
	for i := range shown {
		c, err := s.TCPAt(i)
		if err != nil {
			return err
		}
		asked, why := c.Asked()
		if why != "" {
			unknown.add(why, fmt.Sprint(c.ID))
		}
		there, againThere := payloadOf(c.A2B)
		back, againBack := payloadOf(c.B2A)
		g.rows = append(g.rows, []string{
			fmt.Sprint(c.ID), endpoint(c.A), endpoint(c.B), digits(c.DurationS),
			there, back, size(againThere + againBack), string(c.State), asked,
		})
	}
	p.line("", "")
	p.line(bold, plural(n, "plain TCP connection"))
	p.grid("", &g)
	p.omitted("", n-shown, "plain connection")
	for _, why := range unknown.order {
		p.wrapped(dim, "  ", fmt.Sprintf("whether tcp %s asked for MPTCP is not known: %s", strings.Join(unknown.where[why], ", "), Clean(why)))
	}
	for i := range shown {
		c, err := s.TCPAt(i)
		if err != nil {
			return err
		}
		if c.MPTCP != nil {
			p.verdict(fmt.Sprintf("  tcp %d ", c.ID), c.Verdicts)
		}
	}
	return nil
}

// warnings is a paragraph each.
func (p *printer) warnings(all []report.Warning) {
	if len(all) == 0 {
		return
	}
	p.line("", "")
	p.line(bold, plural(len(all), "warning"))
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
