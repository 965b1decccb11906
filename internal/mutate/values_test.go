package mutate_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

// extent is what a capture can show at most.
type extent struct {
	packets int
	seconds float64
	pair    bool // two captures, each with its clock
}

// anything is the extent of a table whose numbers are means over runs and their differences.
var anything = extent{packets: -1}

// signed are the fields that can be below 0 by their definition, and what is in them.
var signed = []string{
	"waiting_time", "hol_degree", "hol_degree_all_paths", // differences of delays
	"awnd_delta", "dsn_offset", "rwnd_free", "ipdv", // differences of neighbours
	"offset", "drift", "step", // of clocks
	"scheduler_regret",                                        // by how much earlier another path would have been
	"lost_segments",                                           // of an interval of live, as its schema says
	"time", "data_ack", "dsn", "ssn", "mapping", "seq", "ack", // positions from the first byte on: a wrong one may lie before it
}

// unbounded are times that do not lie in the capture: settings, bounds of errors, sums, and what
// is derived from rates.
var unbounded = []string{
	"summary", "rto", "rttvar", "played", "playout", "bound", "uncertainty", "drift_uncertainty", "cell", "options", "evidence",
	"startup", "stalled", "longest_stall", "since_open", "both_active", "scheduler_regret", "message_gap", "offset", "step",
}

// sums are times to which both halves of a round trip are added up, and a wait: away from the sender each
// half may be as long as the capture.
var sums = []string{"rtt", "srtt", "handshake_rtt", "path_delay", "protocol_delay", "end_to_end_delay"}

// places are times in the rows on packets and chunks. Of a pair each is by the clock of the capture that
// shows it: the rows are written before the difference of the clocks is known.
var places = []string{"sent_s", "acked_s", "data_acked_s", "arrived_s", "delivered_s"}

// above100 are percentages of something that is no whole.
var above100 = []string{"overhead_percent_of_data", "mean_percent", "percent_of_data"}

// packetCounts are numbers of packets besides those whose name ends in packets.
var packetCounts = []string{"captured_segments", "pure_acks", "dup_acks", "resets", "fins", "mp_tcprst", "keep_alives", "zero_window_events"}

// units of fields, by the end of the name.
var units = []struct {
	suffix  string
	seconds float64
}{{"_ms", 1e-3}, {"_s", 1}, {"seconds", 1}}

// field is what the rules need to know of a number by the names of all objects around it.
type field struct {
	name      string // without the figure of a statistic
	figure    string // avg, min and so on; "" for none
	seconds   float64
	parts     float64 // how many times the capture it may be long
	signed    bool
	unbounded bool
}

// figures of a statistic.
var figures = []string{"avg", "min", "max", "p50", "p95", "p99", "stddev", "samples", "variance", "cov", "cell_mean", "median", "mean"}

// fieldOf reads the names of a number.
func fieldOf(path []string) (f field) {
	last := len(path) - 1
	if last > 0 && slices.Contains(figures, path[last]) {
		f.figure, last = path[last], last-1
	}
	f.name, f.parts = path[last], 1
	for _, u := range units {
		if strings.HasSuffix(f.name, u.suffix) && !strings.HasSuffix(f.name, "per_s") {
			f.seconds = u.seconds
			break
		}
	}
	for _, name := range path {
		for _, u := range units {
			name = strings.TrimSuffix(name, u.suffix)
		}
		for _, unit := range []string{"_bytes", "_mbps", "_percent", "_ppm"} {
			name = strings.TrimSuffix(name, unit)
		}
		f.signed = f.signed || listed(signed, name)
		f.unbounded = f.unbounded || listed(unbounded, name)
		if listed(sums, name) {
			f.parts = 3
		}
	}
	if f.name == "t_s" && slices.Contains(path, "warnings") {
		f.signed = true // of a packet whose wrong time lies before the first packet
	}
	if path[0] == "live" && f.name == "bytes" {
		f.signed = true // its schema says so: later packets correct what was counted before
	}
	return f
}

// listed reports whether a list has a name, or the end of it as tables join the names of objects.
func listed(list []string, name string) bool {
	return slices.ContainsFunc(list, func(one string) bool { return name == one || strings.HasSuffix(name, "_"+one) })
}

// slack is the error of a sum of rounded numbers, as a part.
const slack = 1e-6

// wrong says which rule a number breaks; "" for none.
func (e extent) wrong(path []string, x float64) string {
	f := fieldOf(path)
	switch f.figure {
	case "samples", "stddev", "variance":
		if x < 0 {
			return f.figure + " below 0"
		}
		return ""
	case "cov":
		return ""
	}
	switch {
	case slices.Contains(places, f.name):
		if math.Abs(x) > 2*e.seconds && !e.pair { // steps of a clock may be taken out
			return "outside of the capture"
		}
	case x < 0 && !f.signed:
		return "below 0"
	case f.seconds > 0 && !f.unbounded && x*f.seconds > f.parts*e.seconds*(1+slack)+slack:
		return "longer than the capture"
	case strings.HasSuffix(f.name, "percent") && !slices.Contains(above100, f.name) && x > 100*(1+slack):
		return "above 100 percent"
	case f.name == "ratio" && x > 1+slack:
		return "a part above the whole"
	case (strings.HasSuffix(f.name, "packets") || slices.Contains(packetCounts, f.name)) && x > float64(e.packets):
		return "more packets than the capture has"
	}
	return ""
}

// findings collects broken rules; the key is the kind.
type findings map[string]string

func (f findings) add(kind, format string, args ...any) {
	if _, known := f[kind]; !known {
		f[kind] = fmt.Sprintf(format, args...)
	}
}

// values checks all numbers of a JSON value. path has the command and the names around it.
func (e extent) values(f findings, path []string, v any) {
	switch x := v.(type) {
	case map[string]any:
		e.ordered(f, path, x)
		for name, inner := range x {
			e.values(f, append(path[:len(path):len(path)], name), inner)
		}
	case []any:
		for _, inner := range x {
			e.values(f, path, inner)
		}
	default:
		n, ok := number(v)
		if !ok {
			return
		}
		if what := e.wrong(path, n); what != "" {
			f.add(place(path)+": "+what, "%v; the capture has %d packets in %v s", v, e.packets, e.seconds)
		}
	}
}

// place names a field without directions and figures, which go wrong together.
func place(path []string) string {
	var out []string
	for i, name := range path {
		if name != "a2b" && name != "b2a" && (i == 0 || !slices.Contains(figures, name)) {
			out = append(out, name)
		}
	}
	return strings.Join(out, ".")
}

// ordered checks min <= avg <= max and the percentiles of a statistic.
func (e extent) ordered(f findings, path []string, x map[string]any) {
	least, ok1 := number(x["min"])
	most, ok2 := number(x["max"])
	if !ok1 || !ok2 {
		return
	}
	before := least
	for _, name := range []string{"p50", "p95", "p99"} {
		if n, ok := number(x[name]); ok {
			if n < before-tolerance(n) {
				f.add(place(path)+": percentiles out of order", "%v", x)
			}
			before = max(before, n)
		}
	}
	avg, ok := number(x["avg"])
	if _, rate := x["cell_mean"]; ok && !rate && (avg < least-tolerance(least) || avg > most+tolerance(most)) {
		f.add(place(path)+": mean outside of min and max", "%v", x)
	}
	if before > most+tolerance(most) || least > most {
		f.add(place(path)+": percentile above the maximum", "%v", x)
	}
}

// tolerance is the error of a number that was computed.
func tolerance(x float64) float64 { return 1e-9 * (1 + max(x, -x)) }
