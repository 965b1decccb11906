package build

import (
	"mpanalyze/internal/metrics"
	"mpanalyze/internal/report"
	"mpanalyze/internal/stats"
)

const noDelayCell = "protocol_delay_ms has no cell in which the subflow was open and had a smoothed round-trip time"

// stat summarises a distribution; nil if it is empty.
func (m *memory) stat(d *stats.Dist, e report.Evidence) *report.Stat {
	if d.N() == 0 {
		return nil
	}
	return m.stats.of(statOf(d, e))
}

// statOf summarises a distribution that is not empty.
func statOf(d *stats.Dist, e report.Evidence) report.Stat {
	f := d.Describe()
	return report.Stat{
		Avg: within(f.Mean, f.Min, f.Max), Min: f.Min, Max: f.Max, P50: f.P50, P95: f.P95, P99: f.P99,
		Stddev: f.Stddev, Samples: f.N, Evidence: e,
	}
}

// within takes off what rounding added to a mean: one of equal values may lie
// beyond all of them by a few units of the last digit.
func within(mean, least, most float64) float64 { return min(max(mean, least), most) }

// spread summarises a distribution with its fluctuation; nil, without a reason,
// if it is empty.
func (b *dirBuilder) spread(name string, d *stats.Dist, e report.Evidence) *report.SpreadStat {
	if d.N() == 0 {
		return nil
	}
	return b.mem.spreads.of(b.spreadOf(name, d, e))
}

// spreadOf summarises a distribution that is not empty with its fluctuation.
func (b *dirBuilder) spreadOf(name string, d *stats.Dist, e report.Evidence) report.SpreadStat {
	out := report.SpreadStat{Stat: statOf(d, e)}
	out.Variance = out.Stddev * out.Stddev
	out.COV = b.variation(name, &out.Stat)
	return out
}

// srtt summarises smoothed round-trip times; nil, without a reason, if there are
// none.
func (b *dirBuilder) srtt(d *metrics.SubDir, e report.Evidence) *report.SRTTStat {
	const name = "srtt_ms.cell_mean"
	if d.SRTT.N() == 0 {
		return nil
	}
	out := b.mem.srtts.of(report.SRTTStat{SpreadStat: b.spreadOf("srtt_ms", &d.SRTT, e)})
	mean, ok := d.CellSRTT()
	switch why := b.m.DelayReason(b.from); {
	case b.m.Omits(metrics.FamilyDelays):
		b.why.Set(name, metrics.Unasked)
	case why != "":
		b.why.Set(name, why)
	case !ok:
		b.why.Set(name, noDelayCell)
	default:
		out.CellMean = b.mem.floats.of(within(mean, out.Min, out.Max))
	}
	return out
}

// variation returns standard deviation / mean, which a metric has as a part.
func (b *dirBuilder) variation(name string, s *report.Stat) *float64 {
	if s.Avg == 0 {
		b.why.Set(name+".cov", "the mean is 0")
		return nil
	}
	return b.mem.floats.of(s.Stddev / s.Avg)
}

// A rateName is the name of a rate and the paths of its figures over whole cells.
type rateName struct {
	name  string
	cells []string
}

func rateNamed(name string) rateName {
	out := rateName{name: name}
	for _, figure := range []string{"min", "max", "p50", "p95", "p99", "stddev", "cell_mean", "variance", "cov"} {
		out.cells = append(out.cells, name+"."+figure)
	}
	return out
}

var throughputName, goodputName = rateNamed("throughput_mbps"), rateNamed("goodput_mbps")

const (
	noCell = "the data covers no whole cell"
	// beyondCells is why a rate has no extremes. Its average is over the active time,
	// and they would be over the whole cells: too little of the one lies in the other.
	beyondCells = "the average of the active time lies beyond all whole cells: they hold too little of the data for extremes"
)

// rate summarises a rate; nil if it has no average. The extremes enclose the
// average or are absent.
func (b *dirBuilder) rate(of *rateName, r *metrics.Rate) *report.RateStat {
	avg, ok := r.Avg()
	if !ok {
		b.why.Set(of.name, oneMoment)
		return nil
	}
	out := b.mem.rates.of(report.RateStat{Avg: avg, Samples: r.Cells.N(), Evidence: report.Observed})
	s := b.mem.stat(&r.Cells, report.Observed)
	if s == nil {
		for _, path := range of.cells {
			b.why.Set(path, noCell)
		}
		return out
	}
	if s.Min <= avg && avg <= s.Max {
		out.Min, out.Max = &s.Min, &s.Max
	} else {
		b.why.Set(of.cells[0], beyondCells)
		b.why.Set(of.cells[1], beyondCells)
	}
	out.P50, out.P95, out.P99 = &s.P50, &s.P95, &s.P99
	out.Stddev, out.CellMean, out.Variance = &s.Stddev, &s.Avg, b.mem.floats.of(s.Stddev*s.Stddev)
	out.COV = b.variation(of.name, s)
	return out
}
