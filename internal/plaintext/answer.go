package plaintext

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"mpanalyze/internal/overview"
	"mpanalyze/internal/report"
)

// What the first block shows before it leaves out.
const (
	maxPathRows = 16 // rows of the table of paths
	maxGroups   = 8  // groups of verdicts
	maxToDo     = 3  // of these, with what to do
	maxGroupIn  = 30 // groups that why explains
)

// answer is the first block: how much passed over which path, and what is wrong with it;
// in full also what the worst verdict of each group says, and what to do about each.
func (p *printer) answer(o *overview.Overview, inFull bool) {
	if o.Connections+o.TCP == 0 {
		return
	}
	p.wrapped(bold, "", headline(o))
	if text := byPath(o); text != "" {
		p.wrapped("", "", text)
	}
	p.groups(o, inFull)
	if o.Connections > 1 {
		p.paths(o)
	}
}

// headline says how many connections there are and how much they carried.
func headline(o *overview.Overview) string {
	var what []string
	if o.Connections > 0 {
		text := plural(o.Connections, "MPTCP connection")
		switch {
		case o.BytesA2B > 0 && o.BytesB2A > 0:
			text += fmt.Sprintf(": %s (%s a2b, %s b2a)", size(o.BytesA2B+o.BytesB2A), size(o.BytesA2B), size(o.BytesB2A))
		case o.BytesA2B > 0:
			text += ": " + size(o.BytesA2B) + " a2b"
		case o.BytesB2A > 0:
			text += ": " + size(o.BytesB2A) + " b2a"
		default:
			text += " without data"
		}
		what = append(what, text)
	}
	if o.TCP > 0 {
		text := plural(o.TCP, "plain TCP connection")
		if o.BytesTCP > 0 {
			text += ": " + size(o.BytesTCP)
		}
		what = append(what, text)
	}
	return strings.Join(what, "; ") + "; in " + seconds(o.DurationS)
}

// byPath says over which paths the data of Multipath TCP ran; empty without any.
func byPath(o *overview.Overview) string {
	n := o.OnePath + o.SeveralPaths
	if n == 0 {
		return ""
	}
	names := pathNames(o)
	which := plural(len(names), "path")
	if o.Naming != "path" {
		which += ", by the " + o.Naming + ","
	}
	switch {
	case o.SeveralPaths == 0 && len(names) == 1 && o.OmittedBytes == 0:
		return fmt.Sprintf("All data ran over one path, %s: nothing was aggregated.", onePath(names[0], o.Naming))
	case o.SeveralPaths == 0 && n == 1:
		return fmt.Sprintf("The data ran over one path at a time: %s.", shareList(o))
	case o.SeveralPaths == 0:
		return fmt.Sprintf("Each connection ran over one path, nothing was aggregated; %s carried data: %s.", which, shareList(o))
	case n == 1:
		return fmt.Sprintf("The data ran over %s: %s.", which, shareList(o))
	}
	return fmt.Sprintf("%d of %d connections ran over several paths; %s carried data: %s.", o.SeveralPaths, n, which, shareList(o))
}

// onePath names the only path.
func onePath(name, naming string) string {
	if naming == "path" {
		return Clean(name)
	}
	return naming + " " + Clean(name)
}

// pathNames returns the names of the paths, each once.
func pathNames(o *overview.Overview) (names []string) {
	for i := range o.Paths {
		if name := o.Paths[i].Path; !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// shareList is the shares of the paths in the direction with more data.
func shareList(o *overview.Overview) string {
	way := report.A2B
	if o.BytesB2A > o.BytesA2B {
		way = report.B2A
	}
	const most = 4
	all := slices.DeleteFunc(slices.Clone(o.Paths), func(x overview.Path) bool { return x.Direction != way })
	slices.SortStableFunc(all, func(x, y overview.Path) int { return cmp.Compare(y.Share, x.Share) })
	var list []string
	for i := range all[:min(len(all), most)] {
		list = append(list, fmt.Sprintf("%s %s", Clean(all[i].Path), percent(&all[i].Share)))
	}
	text := strings.Join(list, ", ")
	if more := len(all) - len(list); more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text + " of " + string(way)
}

// groups lists what is wrong, the most severe first.
func (p *printer) groups(o *overview.Overview, inFull bool) {
	if len(o.Groups) == 0 {
		return
	}
	most := maxGroups
	if inFull {
		most = maxGroupIn
	}
	shown := p.limit(len(o.Groups), most)
	single := o.Connections+o.TCP == 1
	said := map[string]bool{}
	for i := range o.Groups[:shown] {
		g := &o.Groups[i]
		p.wrapped(shade(g.Severity), "  ", groupLine(g, o, single))
		if inFull && !single {
			p.wrapped("", "      ", fmt.Sprintf("the worst, %s: %s", kindOf(g.WorstTCP, g.Worst), Clean(g.Text)))
		}
		severe := g.Severity == report.Critical || g.Severity == report.Major
		if !said[g.Remedy] && (inFull || i < maxToDo && severe || i == 0 && g.Severity == report.Minor) {
			said[g.Remedy] = true
			p.wrapped("", "      ", "to do: "+Clean(g.Remedy))
		}
	}
	switch n := len(o.Groups) - shown; {
	case n > 0 && inFull:
		p.wrapped(dim, "  ", fmt.Sprintf("... and %s of verdicts (--all shows every one)", plural(n, "more group")))
	case n > 0:
		p.wrapped(dim, "  ", fmt.Sprintf("... and %s of verdicts; mpanalyze why says more, and what proves them", plural(n, "more group")))
	case !inFull:
		p.wrapped(dim, "  ", "mpanalyze why says what proves it")
	}
}

// kindOf names a connection.
func kindOf(plain bool, id int) string {
	if plain {
		return fmt.Sprintf("tcp %d", id)
	}
	return fmt.Sprintf("connection %d", id)
}

// groupLine is a group in a line: of a single connection with what the verdict says, else
// with how many have it and what it cost.
func groupLine(g *overview.Group, o *overview.Overview, single bool) string {
	text := fmt.Sprintf("%s: %s", g.Severity, Clean(string(g.Code)))
	if single {
		what, _, _ := strings.Cut(Clean(g.Text), ". ")
		return text + ", " + what
	}
	if g.Path != "" {
		text += " on " + Clean(g.Path)
	}
	text += fmt.Sprintf(", %d of %s", g.Connections, plural(o.Connections+o.TCP, "connection"))
	if cost := costs(g.CostS, g.CostBytes); cost != "" {
		text += ": cost " + cost
	}
	return text
}

// costs is what verdicts cost; empty where nothing is known.
func costs(s *float64, bytes *int64) string {
	var list []string
	if s != nil {
		list = append(list, seconds(*s))
	}
	if bytes != nil {
		list = append(list, size(*bytes))
	}
	return strings.Join(list, ", ")
}

// paths is a table of what each path carried.
func (p *printer) paths(o *overview.Overview) {
	if len(o.Paths) == 0 {
		return
	}
	g := grid{columns: []column{
		{title: cmp.Or(strings.TrimPrefix(o.Naming, "address of "), "path"), least: 16},
		{title: "dir"},
		{title: "subflows", right: true, drop: 2},
		{title: "bytes", right: true},
		{title: "share", right: true},
		{title: "Mbit/s", right: true},
		{title: "SRTT ms", right: true},
		{title: "loss", right: true, drop: 1},
	}}
	if o.Naming != "path" {
		g.columns[0].title = "path (address of " + g.columns[0].title + ")"
	}
	shown := p.limit(len(o.Paths), maxPathRows)
	for i := range o.Paths[:shown] {
		x := &o.Paths[i]
		loss := none
		if x.Loss != nil {
			loss = percent(x.Loss)
		}
		g.rows = append(g.rows, []string{
			Clean(x.Path), string(x.Direction), fmt.Sprint(x.Subflows), size(x.Bytes), percent(&x.Share), figure(x.Rate), figure(x.SRTT), loss,
		})
	}
	p.line("", "")
	p.grid("", &g)
	p.omitted("", len(o.Paths)-shown, "row")
	if o.OmittedBytes > 0 {
		p.wrapped(dim, "", fmt.Sprintf("%s ran over further paths, which are not told apart", size(o.OmittedBytes)))
	}
}

// figure is a number that may not be known.
func figure(v *float64) string {
	if v == nil {
		return none
	}
	return digits(*v)
}
