package plaintext

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"mpanalyze/internal/overview"
	"mpanalyze/internal/report"
	"mpanalyze/internal/textwrap"
)

// What the first block shows before it leaves out.
const (
	maxPathRows = 16 // rows of the table of paths
	maxGroups   = 8  // groups of verdicts
	maxToDo     = 3  // groups for which it also says what to do
	maxGroupIn  = 30 // groups of verdicts in the output of the command why
)

// answer writes the first block: how much passed over which path, and what is wrong. window
// names the part of the time that the block is about; it is empty for the whole time. With
// inFull the block also has the worst verdict of each group and what to do about it.
func (p *printer) answer(o *overview.Overview, window string, inFull bool) {
	if o.Connections+o.TCP == 0 {
		return
	}
	p.wrapped(bold, "", headline(o))
	if text := byPath(o, window); text != "" {
		p.wrapped("", "", text)
	}
	p.groups(o, inFull)
	if o.Connections > 1 && !o.NoneInTime {
		p.paths(o)
	}
}

// headline says how many connections there are and how much they carried.
func headline(o *overview.Overview) string {
	var what []string
	if o.Connections > 0 {
		text := textwrap.Count(o.Connections, "MPTCP connection")
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
		text := textwrap.Count(o.TCP, "plain TCP connection")
		if o.BytesTCP > 0 {
			text += ": " + size(o.BytesTCP)
		}
		what = append(what, text)
	}
	return strings.Join(what, "; ") + "; in " + seconds(o.DurationS)
}

// byPath says over which paths the data of Multipath TCP ran in a window of time. An empty
// window stands for the whole time. byPath returns "" if there was no data.
func byPath(o *overview.Overview, window string) string {
	if o.OnePath+o.SeveralPaths == 0 {
		return ""
	}
	var text string
	switch {
	case o.NoneInTime:
		return "No data passed " + window + " (--from, --to): which path carried how much is not known."
	case window != "":
		text = fmt.Sprintf("By path, %s: %s.", window, shareList(o))
	default:
		text = ranOver(o)
	}
	if o.Uncaptured {
		text += " More data passed on a path that is not captured; shares are of what the captures show."
	}
	return text
}

// ranOver says over which paths the data ran in the whole time.
func ranOver(o *overview.Overview) string {
	n := o.OnePath + o.SeveralPaths
	names := pathNames(o)
	which := textwrap.Count(len(names), "path")
	if o.Naming != "path" {
		which += ", by the " + o.Naming + ","
	}
	data := "data"
	if o.Only != "" {
		data += " of " + string(o.Only)
	}
	if o.Uncaptured || o.Lacking {
		data += " in the captures"
	}
	verdict := "nothing was aggregated"
	if o.Uncaptured || o.Lacking || o.Only != "" { // another path or direction may have been
		verdict = ""
	}
	switch {
	case o.SeveralPaths == 0 && len(names) == 1 && o.OmittedBytes == 0:
		return fmt.Sprintf("All %s ran over one path, %s%s.", data, onePath(names[0], o.Naming), behind(": ", verdict))
	case o.SeveralPaths == 0 && n == 1:
		return fmt.Sprintf("The %s ran over one path at a time: %s.", data, shareList(o))
	case o.SeveralPaths == 0:
		return fmt.Sprintf("Each connection ran over one path%s; %s carried %s: %s.", behind(", ", verdict), which, data, shareList(o))
	case n == 1:
		return fmt.Sprintf("The %s ran over %s: %s.", data, strings.TrimSuffix(which, ","), shareList(o))
	}
	return fmt.Sprintf("%d of %d connections ran over several paths; %s carried %s: %s.", o.SeveralPaths, n, which, data, shareList(o))
}

// behind returns the text with a mark before it, or "" if the text is empty.
func behind(mark, text string) string {
	if text == "" {
		return ""
	}
	return mark + text
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

// shareList returns the shares of the paths in the direction with more data.
func shareList(o *overview.Overview) string {
	dir := report.A2B
	if o.BytesB2A > o.BytesA2B {
		dir = report.B2A
	}
	const most = 4
	all := slices.DeleteFunc(slices.Clone(o.Paths), func(x overview.Path) bool { return x.Direction != dir })
	slices.SortStableFunc(all, func(x, y overview.Path) int { return cmp.Compare(y.Share, x.Share) })
	var list []string
	for i := range all[:min(len(all), most)] {
		list = append(list, fmt.Sprintf("%s %s", Clean(all[i].Path), percent(all[i].Share)))
	}
	text := strings.Join(list, ", ")
	if more := len(all) - len(list); more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text + " of " + string(dir)
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
		p.wrapped(shade(g.Severity), "  ", groupLine(g, single))
		if inFull && !single {
			text := Clean(g.Text)
			if !g.Together {
				text = fmt.Sprintf("the worst, %s: %s", kindOf(g.WorstTCP, g.Worst), text)
			}
			p.wrapped("", "      ", text)
		}
		if inFull && !said[g.Remedy] {
			said[g.Remedy] = true
			p.wrapped("", "      ", "to do: "+Clean(g.Remedy))
		}
	}
	switch n := len(o.Groups) - shown; {
	case n > 0 && inFull:
		p.wrapped(dim, "  ", fmt.Sprintf("... and %s of verdicts (--all shows every one)", textwrap.Count(n, "more group")))
	case n > 0:
		p.wrapped(dim, "  ", fmt.Sprintf("... and %s of verdicts; mpanalyze why says more, what proves them, and what to do", textwrap.Count(n, "more group")))
	case !inFull:
		p.wrapped(dim, "  ", "mpanalyze why says more, what proves it, and what to do")
	}
}

// kindOf names a connection.
func kindOf(plain bool, id int) string {
	if plain {
		return fmt.Sprintf("tcp %d", id)
	}
	return fmt.Sprintf("connection %d", id)
}

// groupLine returns one line about a group of verdicts. For a single connection it has the text
// of the verdict, else the number of connections and what the verdicts cost.
func groupLine(g *overview.Group, single bool) string {
	text := fmt.Sprintf("%s: %s", g.Severity, Clean(string(g.Code)))
	if single {
		return text + ", " + Clean(cmp.Or(g.Headline, g.Text))
	}
	if g.Path != "" {
		text += " on " + Clean(g.Path)
	}
	text += fmt.Sprintf(", %d of %s", g.Connections, textwrap.Count(g.Of, "connection"))
	if cost := costs(g.CostS, g.CostBytes); cost != "" {
		text += ": cost " + cost
	}
	return text + causes(g.Causes)
}

// causes names the causes of the verdicts of a group; where they differ, with the number of
// verdicts that name each.
func causes(all []overview.CauseCount) string {
	if len(all) == 1 {
		return "; cause: " + Clean(string(all[0].Code))
	}
	var list []string
	for i := range all {
		list = append(list, fmt.Sprintf("%s %d", Clean(string(all[i].Code)), all[i].Verdicts))
	}
	if len(list) == 0 {
		return ""
	}
	return "; cause: " + strings.Join(list, ", ")
}

// costs returns what verdicts cost as a text, or "" if that is not known.
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

// paths writes a table of what each path carried.
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
		g.rows = append(g.rows, []string{
			Clean(x.Path), string(x.Direction), fmt.Sprint(x.Subflows), size(x.Bytes), percent(x.Share), known(x.Rate, digits), known(x.SRTT, digits), known(x.Loss, percent),
		})
	}
	p.line("", "")
	p.grid("", &g)
	p.omitted("", len(o.Paths)-shown, "row")
	if o.OmittedBytes > 0 {
		p.wrapped(dim, "", fmt.Sprintf("%s ran over further paths, which are not told apart", size(o.OmittedBytes)))
	}
}
