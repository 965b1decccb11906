package report

import (
	"mpanalyze/internal/metrics"
	"mpanalyze/internal/stats"
)

// stat summarises a distribution; nil if it is empty.
func (m *memory) stat(d *stats.Dist, e Evidence) *Stat {
	if d.N() == 0 {
		return nil
	}
	return m.stats.of(statOf(d, e))
}

// statOf summarises a distribution that is not empty.
func statOf(d *stats.Dist, e Evidence) Stat {
	f := d.Describe()
	return Stat{
		Avg: f.Mean, Min: f.Min, Max: f.Max, P50: f.P50, P95: f.P95, P99: f.P99,
		Stddev: f.Stddev, Samples: f.N, Evidence: e,
	}
}

// spread summarises a distribution with its fluctuation; nil if it is empty.
func (m *memory) spread(d *stats.Dist, e Evidence) *SpreadStat {
	if d.N() == 0 {
		return nil
	}
	out := m.spreads.of(SpreadStat{Stat: statOf(d, e)})
	out.Variance = out.Stddev * out.Stddev
	if out.Avg != 0 {
		out.COV = m.floats.of(out.Stddev / out.Avg)
	}
	return out
}

// rate summarises a rate; nil if it has no average.
func (m *memory) rate(r *metrics.Rate, e Evidence) *RateStat {
	avg, ok := r.Avg()
	if !ok {
		return nil
	}
	out := m.rates.of(RateStat{Avg: avg, Samples: r.Cells.N(), Evidence: e})
	if s := m.stat(&r.Cells, e); s != nil {
		out.Min, out.Max, out.P50, out.P95, out.P99 = &s.Min, &s.Max, &s.P50, &s.P95, &s.P99
		out.Stddev, out.CellMean, out.Variance = &s.Stddev, &s.Avg, m.floats.of(s.Stddev*s.Stddev)
		if s.Avg != 0 {
			out.COV = m.floats.of(s.Stddev / s.Avg)
		}
	}
	return out
}
