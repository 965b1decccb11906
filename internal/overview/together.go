package overview

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"mpanalyze/internal/report"
	"mpanalyze/internal/sentences"
)

// losses counts the connections over a path, and those that lost data, in one direction.
type losses struct {
	carried, lossy member
	bytes          float64 // that were lost, by the mean size of a segment
	most           int64   // segments that one connection lost
	worst          int     // number of that connection
}

// add adds what a subflow of a connection lost.
func (l *losses) add(sub *report.SubDir, of Ref) {
	l.carried.count(of)
	r := sub.Drops
	if r == nil || r.Count == 0 {
		return
	}
	l.lossy.count(of)
	if sub.Segments > 0 {
		l.bytes += float64(r.Count) * float64(report.Known(sub.Bytes)) / float64(sub.Segments)
	}
	if r.Count > l.most {
		l.most, l.worst = r.Count, of.id
	}
}

// together judges each path over all connections that used it: its round trip and its losses. Many short
// connections lose much together, however little each of them does. Such a group takes the place
// of the verdicts of the single connections on that path.
func (b *builder) together(t *table, groups []Group) []Group {
	var lossy []Group
	for _, name := range t.paths.order {
		if g := b.lossOf(t, name); g != nil {
			lossy = append(lossy, *g)
		}
	}
	if len(lossy) > FewPaths {
		slices.SortStableFunc(lossy, bySeverity)
		worst := lossy[0]
		worst.Text = fmt.Sprintf("%d paths lose much. The worst, %s: %s", len(lossy), worst.Path, worst.Text)
		worst.Path = ""
		for _, g := range lossy[1:] {
			worst.Connections = min(worst.Connections+g.Connections, b.out.Connections)
			worst.CostBytes = sum(worst.CostBytes, *g.CostBytes)
		}
		lossy = []Group{worst}
	}
	for i := range lossy {
		groups = lossy[i].replace(groups)
	}
	groups = append(groups, lossy...)
	if slow := b.slower(t, groups); len(slow) <= FewPaths {
		groups = append(groups, slow...)
	}
	return groups
}

// replace removes the verdicts of single connections whose place the group takes. What the worst of
// them says, and what to do about it, stay: they tell more of the cause.
func (g *Group) replace(groups []Group) []Group {
	worst := slices.IndexFunc(groups, func(x Group) bool { return x.Code == g.Code && x.Path == g.Path })
	if worst >= 0 {
		x := &groups[worst]
		g.Text += fmt.Sprintf(". The worst, connection %d: %s", x.Worst, x.Text)
		g.Remedy, g.Worst, g.WorstTCP = x.Remedy, x.Worst, x.WorstTCP
	}
	return slices.DeleteFunc(groups, func(x Group) bool {
		if !g.replaces(&x) {
			return false
		}
		for _, c := range x.Causes {
			g.countCause(&c.Cause, c.Verdicts)
		}
		return true
	})
}

// ofAll returns a verdict on a path over all its connections.
func ofAll(code report.VerdictCode, path string) *Group {
	return &Group{Code: code, Path: path, Severity: report.Minor, Together: true, Causes: []CauseCount{}, Remedy: sentences.Of(code, nil)}
}

// replaces reports whether the group takes the place of another one.
func (g *Group) replaces(x *Group) bool {
	return x.Code == g.Code && (x.Path == g.Path || g.Path == "")
}

// lossOf returns the verdict on the losses of a path, nil if there is none. It has the limits of
// the verdict on one connection.
func (b *builder) lossOf(t *table, name string) *Group {
	var out *Group
	var texts []string
	for d, dir := range report.Directions {
		s := &t.paths.of[name][d]
		m, evidence := s.loss.most()
		if s.lost.carried.connections < 2 || m.samples < report.FewSent {
			continue
		}
		lost := round(m.sum / 100)
		if lost < report.LossLeast || m.sum/m.samples < report.LossMuch {
			continue
		}
		if out == nil {
			out = ofAll(report.VerdictHeavyLoss, name)
		}
		if float64(lost) >= report.LossCosts/100*float64(b.segments[d]) {
			out.Severity = report.Major
		}
		if s.lost.lossy.connections > out.Connections {
			out.Connections, out.Worst = s.lost.lossy.connections, s.lost.worst
		}
		out.weight += float64(lost) / float64(b.segments[d]) * b.out.DurationS
		out.CostBytes = sum(out.CostBytes, round(s.lost.bytes))
		texts = append(texts, fmt.Sprintf("%.1f %% of %s (%d of %d segments%s; %d of %d connections lost some)",
			m.sum/m.samples, dir, lost, round(m.samples), howKnown[evidence], s.lost.lossy.connections, s.lost.carried.connections))
	}
	if out != nil {
		out.Text = "all connections together lost " + strings.Join(texts, " and ")
	}
	return out
}

// howKnown says what a count of losses rests on.
var howKnown = map[report.Evidence]string{
	report.Inferred: ", inferred from retransmissions",
	report.Holes:    ", at least: gaps that a later copy filled",
	report.Matched:  ", which left one host and never reached the other",
}

// byLoss holds the verdicts that lost packets explain.
var byLoss = []report.VerdictCode{
	report.VerdictFallback, report.VerdictSYNDropped, report.VerdictUnanswered, report.VerdictSetupSlow, report.VerdictJoinUnanswered, report.VerdictJoinSlow, report.VerdictHoLBlocked,
}

// lossFirst moves the warning on the losses of a path before the first group on that path that
// these losses explain.
func lossFirst(groups []Group) {
	for i := range groups {
		g := groups[i]
		if !g.Together || g.Severity != report.Major {
			continue
		}
		k := slices.IndexFunc(groups[:i], func(x Group) bool { return x.Path == g.Path && slices.Contains(byLoss, x.Code) })
		if k >= 0 {
			copy(groups[k+1:i+1], groups[k:i])
			groups[k] = g
		}
	}
}

// ratios is how many times the round trip of the quickest path a path has, over the connections that
// carried data on both. Round trips of different connections are not compared: their peers may be
// differently far away.
type ratios struct {
	sum         float64
	connections member
}

// ratios adds a connection, if it carried data over several paths in a direction.
func (b *builder) ratios(r Ref, c *report.Connection) {
	for d := range 2 {
		quick, paths := math.Inf(1), ordered[place, float64]{} // the least round trip of all, and of each path, ms
		for i := range c.Subflows {
			x := c.Subflows[i].Dirs()[d]
			if x.Volume() == 0 || report.Known(x.Share) < report.FewShare || x.SRTT == nil || x.SRTT.Avg <= 0 {
				continue
			}
			least := paths.get(b.places[i], math.MaxInt)
			*least = min(cmp.Or(*least, x.SRTT.Avg), x.SRTT.Avg)
			quick = min(quick, *least)
		}
		for _, at := range paths.order {
			for k, name := range at {
				if p := b.tables[k].paths.of[name]; p != nil && len(paths.order) > 1 {
					p[d].ratios.sum += *paths.of[at] / quick
					p[d].ratios.connections.count(r)
				}
			}
		}
	}
}

// slower returns the verdicts on paths whose round trip is much longer than that of the other
// paths of the same connections. A path that has such a verdict of a connection gets none.
func (b *builder) slower(t *table, groups []Group) (out []Group) {
	for _, name := range t.paths.order {
		for d, dir := range report.Directions {
			x := &t.paths.of[name][d].ratios
			n := x.connections.connections
			g := ofAll(report.VerdictUnequalPaths, name)
			told := func(x Group) bool { return x.replaces(g) }
			if n < 2 || x.sum/float64(n) < report.RTTRatio || slices.ContainsFunc(groups, told) || slices.ContainsFunc(out, told) {
				continue
			}
			g.Connections = n
			g.Text = fmt.Sprintf("the round trip of this path is %.1f times that of the quickest path, on average over %d connections with data of %s on both", x.sum/float64(n), n, dir)
			out = append(out, *g)
		}
	}
	return out
}
