package diagnose

import (
	"fmt"
	"strings"

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
		times := ""
		if f.Count > 1 {
			times = fmt.Sprintf(" (%d times, %s together)", f.Count, durationText(f.Total))
		}
		v := j.add(report.VerdictRateFell, warningIf(cost >= fallCosts),
			fmt.Sprintf("the rate of %s fell from %.3g to %.3g Mbit/s for %s%s, with data in flight all the time and a round trip of %s or more%s",
				pathText(i, &j.c.Subflows[i]), l.Before.Mbps(), l.During.Mbps(), durationText(l.Duration()), times, durationText(l.RTT), j.others(falls, i)),
			j.packet("the rate is low from here", l.From, i), j.packet("the rate is low up to here", l.To, i),
			number("delivered before", l.Before.Mbps(), "Mbit/s"), number("delivered then", l.During.Mbps(), "Mbit/s"), number("least round trip then", float64(l.RTT)/1e6, "ms"), number("times", float64(f.Count), "count"))
		v.Subflow = subflowID(i)
		costs(v, cost, f.Total)
	}
}

// others says which other paths fell at the same time as path i.
func (j *judge) others(falls []symptoms.RateFalls, i int) string {
	var same, other []string
	for k := range falls {
		if k == i || j.m.Subs[k].Sub.State.String() == "opening" || j.c.Subflows[k].Path == j.c.Subflows[i].Path {
			continue
		}
		a, b := &falls[i].Longest, &falls[k].Longest
		if falls[k].Count > 0 && a.From.Time < b.To.Time && b.From.Time < a.To.Time {
			same = append(same, fmt.Sprint(k))
		} else {
			other = append(other, fmt.Sprint(k))
		}
	}
	switch {
	case len(same) > 0:
		return "; subflow " + strings.Join(same, " and ") + " fell at the same time: look for what the paths share"
	case len(other) > 0:
		return "; that of subflow " + strings.Join(other, " and ") + " did not"
	}
	return ""
}
