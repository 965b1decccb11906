package fill

import (
	"mpanalyze/internal/report"
	"mpanalyze/internal/stats"
)

// Fields provides memory and reasons to fill in a part of a report.
type Fields struct {
	*Reasons
	Mem *Memory
}

// Int returns a pointer to a number.
func (f *Fields) Int(v int64) *int64 { return f.Mem.Ints.Of(v) }

// Float returns a pointer to a number.
func (f *Fields) Float(v float64) *float64 { return f.Mem.Floats.Of(v) }

// SetAll notes why several metrics are null.
func (f *Fields) SetAll(why string, metrics ...string) {
	for _, name := range metrics {
		f.Set(name, why)
	}
}

// Stat summarises a distribution; where it is empty, it notes why and returns nil.
func (f *Fields) Stat(metric string, d *stats.Dist, e report.Evidence, why string) *report.Stat {
	out := f.Mem.Stat(d, e)
	if out == nil {
		f.Set(metric, why)
	}
	return out
}

// Stat summarises a distribution; nil where it is empty.
func (m *Memory) Stat(d *stats.Dist, e report.Evidence) *report.Stat {
	if d.N() == 0 {
		return nil
	}
	return m.Stats.Of(StatOf(d, e))
}

// StatOf summarises a distribution that is not empty.
func StatOf(d *stats.Dist, e report.Evidence) report.Stat {
	x := d.Describe()
	return report.Stat{
		Avg: Within(x.Mean, x.Min, x.Max), Min: x.Min, Max: x.Max, P50: x.P50, P95: x.P95, P99: x.P99,
		Stddev: x.Stddev, Samples: x.N, Evidence: e,
	}
}

// Within limits a mean to the range of its values. By rounding, the mean of equal
// values may differ from them in the last digits.
func Within(mean, least, most float64) float64 { return min(max(mean, least), most) }

// Spread summarises a distribution that is not empty with its fluctuation.
func (f *Fields) Spread(metric string, d *stats.Dist, e report.Evidence) report.SpreadStat {
	out := report.SpreadStat{Stat: StatOf(d, e)}
	out.Variance = out.Stddev * out.Stddev
	out.COV = f.Variation(metric, &out.Stat)
	return out
}

// Variation returns standard deviation / mean, the part "cov" of a metric. If the mean
// is 0, it notes that and returns nil.
func (f *Fields) Variation(metric string, s *report.Stat) *float64 {
	if s.Avg == 0 {
		f.Set(metric+".cov", "the mean is 0")
		return nil
	}
	return f.Float(s.Stddev / s.Avg)
}

// Reasons that several metrics give.
const (
	NoData    = "no data passed in this direction"
	OneMoment = "fewer than two moments at which data passed"
)

// RelateDrops fills in the rates of drops: per segment sent, and per second of the
// active time, ns.
func RelateDrops(f interface{ Set(metric, why string) }, mem *Memory, d *report.Drops, segments, active int64) {
	if segments > 0 {
		d.Percent = mem.Floats.Of(100 * float64(d.Count) / float64(segments))
	} else {
		f.Set("drops.percent", NoData)
	}
	if active > 0 {
		d.PerS = mem.Floats.Of(float64(d.Count) / (float64(active) / 1e9))
	} else {
		f.Set("drops.per_s", OneMoment)
	}
}
