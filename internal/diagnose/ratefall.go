package diagnose

import (
	"mpanalyze/internal/conn"
	"mpanalyze/internal/metrics"
	"mpanalyze/internal/report"
	"mpanalyze/internal/symptoms"
)

// fallCosts is the part of the time of a direction from which on a fall of the rate is a
// warning, percent.
const fallCosts = 5.0

// fell judges paths whose rate fell: what the network gives them became less.
func (j *judge) fell(from conn.Side, t *symptoms.DataDir) {
	if j.m.Role(from) != metrics.Sender {
		return
	}
	falls := make([]symptoms.RateFalls, len(j.subflows()))
	for i, s := range j.subflows() {
		falls[i] = s.Path(from).Fallen()
	}
	for i := range falls {
		f := &falls[i]
		if f.Count == 0 {
			continue
		}
		l, cost := &f.Longest, min(percent(f.Total, t.Data.Duration()), 100)
		v := j.add(report.VerdictRateFell, warningIf(cost >= fallCosts), "", lasted("longest", "", l.Duration()), lasted("total", "", f.Total),
			j.packet("the rate is low from here", l.From, i), j.packet("the rate is low up to here", l.To, i),
			number("before", "delivered before", l.Before.Mbps(), "Mbit/s"), number("during", "delivered then", l.During.Mbps(), "Mbit/s"), lasted("rtt", "least round trip then", l.RTT), counted("times", "times", f.Count))
		enter(v, j.others(falls, i)...)
		v.Subflow = subflowID(i)
		costs(v, cost, f.Total)
	}
}

// others returns which other paths fell at the same time as path i, and which did not. Of a path that fell at several times, or too
// briefly to count, neither is said.
func (j *judge) others(falls []symptoms.RateFalls, i int) (out []fact) {
	for k := range falls {
		if k == i || j.m.Subs[k].Sub.State.String() == "opening" || j.c.Subflows[k].Path == j.c.Subflows[i].Path {
			continue
		}
		at := falls[i].Longest.PacketRange
		switch f := &falls[k]; {
		case overlap(f.Longest.PacketRange, at):
			out = append(out, ofSubflow(k, when(true, "same")))
		case f.Count <= 1 && !overlap(f.Brief, at):
			out = append(out, ofSubflow(k, when(true, "others")))
		}
	}
	return out
}

// overlap reports whether two times have a part in common.
func overlap(a, b symptoms.PacketRange) bool {
	return a.From.Time < b.To.Time && b.From.Time < a.To.Time
}
