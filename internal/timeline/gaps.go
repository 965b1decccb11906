package timeline

import (
	"mpanalyze/internal/report"
	"mpanalyze/internal/stats"
)

// gaps are the times between the data of a subflow that passes one after the other.
type gaps struct {
	last  int64
	times stats.Dist // ns, each weighted by itself
}

// gap adds the time between a chunk and the one before on its subflow.
func (s *Store) gap(r *report.ChunkRow, passed int64) {
	if s.cfg.Cell == 0 || passed == report.NoTime || passed < s.cfg.From || passed > s.cfg.To {
		return
	}
	at := idOf(r.Connection, r.Direction, r.Subflow, dsnFirst)
	g := s.gaps[at]
	switch {
	case g != nil && passed > g.last:
		wait := float64(passed - g.last)
		g.times.AddWeighted(wait, wait)
		g.last = passed
	case g == nil && len(s.gaps) < maxSeries:
		s.gaps[at] = &gaps{last: passed}
	}
}

// Gap returns the time between two packets of a subflow, ns: half of all time lies in longer
// gaps. It is 0 if fewer than two packets passed.
func (s *Store) Gap(connection int, d report.Direction, subflow int) float64 {
	g := s.gaps[idOf(connection, d, subflow, dsnFirst)]
	if g == nil {
		return 0
	}
	return g.times.Quantiles(0.5)[0]
}
