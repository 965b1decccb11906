package overview

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"mpanalyze/internal/report"
)

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
