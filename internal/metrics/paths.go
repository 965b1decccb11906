package metrics

import "mpanalyze/internal/report"

// pathUnit reports paths, aggregation_benefit, overhead and reinjection_worth: what
// subflows and paths carried of the connection's data.
var pathUnit = &unit{open: func(*Dir) meter { return &pathMeter{} }}

type pathMeter struct{ nop }

func (*pathMeter) reportConnection(v *view, out *report.ConnDir) {
	all := v.m.First(nil, v.from)
	best := v.paths(out, v.named, all)
	v.benefit(out, all, best)
	v.worth(out, all)
}

// paths sums up the subflows by the label of their path; all is what they were
// the first to carry in the time that is looked at, in bytes, best what one path
// of them was.
func (v *view) paths(out *report.ConnDir, subs []report.Subflow, all int64) (best int64) {
	v.pathReasons(all)
	at := map[string]int{}
	var firsts []int64 // of each path
	for i, s := range v.m.Subs {
		k, ok := at[subs[i].Path]
		if !ok {
			k = len(out.Paths)
			at[subs[i].Path] = k
			out.Paths, firsts = append(out.Paths, report.PathShare{Path: subs[i].Path}), append(firsts, 0)
			if v.cut == "" {
				p := &out.Paths[k]
				p.Bytes, p.FirstBytes, p.ReinjectedBytes = v.Mem.Ints.Of(0), v.Mem.Ints.Of(0), v.Mem.Ints.Of(0)
			}
		}
		p, l := &out.Paths[k], s.Sub.Spaces[v.from]
		p.Subflows = append(p.Subflows, s.Sub.ID)
		p.RetransmittedBytes += v.m.Carried(s, v.from).Retransmitted
		if v.cut != "" {
			continue
		}
		*p.Bytes += l.MappedBytes()
		*p.FirstBytes += l.FirstBytes
		*p.ReinjectedBytes += l.ReinjectedBytes
		firsts[k] += v.m.First(s, v.from)
		if all > 0 {
			p.Percent = v.Mem.Floats.Of(100 * float64(firsts[k]) / float64(all))
		}
		best = max(best, firsts[k])
	}
	return best
}

// pathReasons says what is known of no path.
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

// benefit fills what all paths achieved against the best one, of the bytes of
// data that they were the first to carry.
func (v *view) benefit(out *report.ConnDir, all, best int64) {
	switch {
	case v.cut != "":
		v.Set("aggregation_benefit", v.cut)
	case best == 0:
		v.Set("aggregation_benefit", v.nothing())
	default: // both goodputs are over the connection's active time, which cancels
		out.AggregationBenefit = v.Mem.Floats.Of(float64(all) / float64(best))
	}
}

// worth fills overhead and the value of reinjections.
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
