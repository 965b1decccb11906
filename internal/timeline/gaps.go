package timeline

import (
	"mpanalyze/internal/report"
	"mpanalyze/internal/stats"
)

// gaps are the times between the data of a subflow that passes one after the other. The series
// [DSNFirst] has them.
type gaps struct {
	some  bool // data has passed
	last  int64
	times stats.Dist // ns, each weighted by itself
}

// add adds the time since the chunk before.
func (g *gaps) add(passed int64) {
	switch {
	case !g.some:
		g.some, g.last = true, passed
	case passed > g.last:
		wait := float64(passed - g.last)
		g.times.AddWeighted(wait, wait)
		g.last = passed
	}
}

// Gap returns the time between two packets of a subflow, ns: half of all time lies in longer
// gaps. It is 0 if fewer than two packets passed.
func (s *Store) Gap(connection int, d report.Direction, subflow int) float64 {
	for _, l := range s.Find(connection, d, DSNFirst) {
		if l.Subflow == subflow {
			return l.gaps.times.Quantiles(0.5)[0]
		}
	}
	return 0
}
