package metrics

import (
	"mpanalyze/internal/report"
)

// pathUnit reports paths, aggregation_benefit, overhead and reinjection_worth. They say
// what subflows and paths carried of the connection's data.
var pathUnit = &unit{key: "paths", report: new(pathReport)}

type pathReport struct{ nop }

func (*pathReport) reportConnection(v *view, out *report.ConnDir) {
	all := v.m.First(nil, v.from)
	best := v.paths(out, v.named, all)
	v.benefit(out, all, best)
	v.worth(out, all)
}

// paths sums up the subflows by the label of their path. all is the number of bytes
// that all subflows were the first to carry in the time that is looked at; best is the
// largest such number of one path.
func (v *view) paths(out *report.ConnDir, subs []report.Subflow, all int64) (best int64) {
	v.pathReasons(all)
	out.Paths = v.Mem.PathSums(subs, int(v.from), v.cut == "")
	if v.cut != "" || all == 0 {
		return 0
	}
	for i := range out.Paths {
		p, n := &out.Paths[i], int64(0)
		for _, id := range p.Subflows {
			n += v.m.First(v.m.Subs[id], v.from)
		}
		p.Percent = v.Mem.Floats.Of(100 * float64(n) / float64(all))
		best = max(best, n)
	}
	return best
}

// pathReasons sets the reasons for figures that no path has.
func (v *view) pathReasons(all int64) {
	switch {
	case v.cut != "":
		for _, name := range []string{"paths[].bytes", "paths[].first_bytes", "paths[].share_percent", "paths[].reinjected_bytes"} {
			v.Set(name, v.cut)
		}
	case all == 0:
		v.Set("paths[].share_percent", v.nothing())
	}
}

// benefit fills in what all paths achieved compared with the best path. all and best
// are the bytes of data that they were the first to carry.
func (v *view) benefit(out *report.ConnDir, all, best int64) {
	switch {
	case v.cut != "":
		v.Set("aggregation_benefit", v.cut)
	case best == 0:
		v.Set("aggregation_benefit", v.nothing())
	default: // both goodputs are divided by the connection's active time, so that time cancels out
		out.AggregationBenefit = v.Mem.Floats.Of(float64(all) / float64(best))
	}
}

// worth fills in overhead and the value of reinjections.
func (v *view) worth(out *report.ConnDir, all int64) {
	switch {
	case v.cut != "":
		v.Set("overhead_percent_of_data", v.cut)
	case all > 0:
		out.Overhead = v.Mem.Floats.Of(100 * float64(v.m.Again(v.from)) / float64(all))
	default:
		v.Set("overhead_percent_of_data", v.nothing())
	}
	w, why := v.m.Worth(v.from)
	if w == nil {
		v.Set("reinjection_worth", why)
		return
	}
	out.ReinjectionWorth = v.Mem.Worths.Of(report.ReinjectionWorth{FirstBytes: w.First, WastedBytes: w.Wasted, UndecidedBytes: w.Undecided, Evidence: report.Inferred})
	v.Set("reinjection_worth.lead_ms", TwoCaptures)
}
