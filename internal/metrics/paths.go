package metrics

import (
	"mpanalyze/internal/catalogue"
	"mpanalyze/internal/report"
)

// pathUnit reports paths, aggregation_benefit, overhead and reinjection_worth. They say
// what subflows and paths carried of the connection's data.
var pathUnit = &unit{rows: pathRows, report: new(pathReport)}

var pathRows = []catalogue.Metric{
	{
		Name: "paths", JSON: "paths", Unit: catalogue.Composite, Levels: catalogue.InConnDir, Better: catalogue.NeitherIsBetter, Form: "List[PathShare]",
		Definition: "What each path carried; a path may have several subflows: bytes, first copies, retransmissions, reinjections.",
		Source:     "MIX, RFC 8684 Section 2", Evidence: catalogue.Everywhere,
		Caveats: "A path is the user's label of an address, else the pair of addresses.",
	},
	{
		Name: "overhead", JSON: "overhead_percent_of_data", Unit: "percent", Levels: catalogue.InConnDir, Better: catalogue.LowerIsBetter, Form: catalogue.Number,
		Definition: "Bytes that were sent again, as a part of the application's data.",
		Formula:    "100 (retransmitted_bytes + reinjected_bytes) / bytes", Source: "this program", Evidence: catalogue.Everywhere,
		Caveats: "More than 100 where more was sent again than there is data, as by a redundant scheduler. At the receiver the copies that replaced lost bytes do not show.",
	},
	{
		Name: "reinjection_worth", JSON: "reinjection_worth", BothEnds: true, Unit: catalogue.Composite, Levels: catalogue.InConnDir, Better: catalogue.NeitherIsBetter, Form: "*ReinjectionWorth",
		Definition: "Reinjected bytes by whether the copy or the original arrived first: useful or wasted. Copies on the subflow of the original are left out.",
		Formula:    "with one capture at the sender:\n- arrival of the original = its acknowledgment on its subflow - SRTT/2 of that subflow. If it was sent only once, its sending + SRTT/2 is the latest arrival, because an acknowledgment may wait for missing data below\n- arrival of the copy = its sending + SRTT/2 of its subflow\nIf a DATA_ACK covers the data before the copy can have caused this DATA_ACK, the original arrived first",
		Source:     "this program", Evidence: catalogue.Evidence{Sender: catalogue.Inferred, Both: catalogue.Matched},
		Caveats: "The estimate assumes that both directions of a path have the same delay, and includes the delay of the acknowledgment; two captures show the arrivals. `undecided_bytes` are bytes whose original was never acknowledged on its subflow, as on a path that died. Absent where a subflow that carried either copy has no round trip.",
	},
	{
		Name: "aggregation_benefit", JSON: "aggregation_benefit", Timed: true, Unit: "1", Levels: catalogue.InConnDir, Better: catalogue.HigherIsBetter, Form: catalogue.Number,
		Definition: "How many times the data of its best path the connection carried.",
		Formula:    "goodput of the connection / goodput of its best path, both over the active time of the connection, which cancels: bytes / max of paths[].first_bytes", Source: "this program", Evidence: catalogue.Everywhere,
		Caveats: "1 where one path carried all. A path may have several subflows: see `paths`. It does not say what the best path would have achieved alone, and is not the aggregation benefit of the literature (Kaspar, 2012; Paasch, Ferlin, Alay and Bonaventure, 2014), (G - Cmax) / (sum C - Cmax) of goodputs, which takes runs of each path alone: `compare --single` gives that one.",
	},
}

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
