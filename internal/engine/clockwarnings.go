package engine

import (
	"fmt"

	"mpanalyze/internal/conn"
	"mpanalyze/internal/report"
)

// clockWarnings returns a warning for each of the first steps of the clock, one for
// packets that take the times of their connections, and one for other packets that could
// not be put in order.
func (r *reader) clockWarnings() (out []report.Warning) {
	if r.clock == nil {
		return nil
	}
	at := func(w report.Warning, now, size int64) report.Warning {
		t, s := float64(now-r.clock.Begin())/1e9, float64(size)/1e9
		w.TS, w.StepS = &t, &s
		return w
	}
	steps, n := r.clock.Steps()
	for i := range steps {
		x := &steps[i]
		text := "the clock of the capture was set by " + conn.SignedSeconds(x.Size)
		if x.Proven {
			text += fmt.Sprintf(", within %.1f ms, as TCP timestamps prove: the step was taken out of all times that follow", float64(x.Within)/1e6)
		} else {
			text += ", as far as the stamps show; how much time passed meanwhile is not known, so figures of time of connections that were open are absent"
		}
		if i == len(steps)-1 && n > int64(len(steps)) {
			text += fmt.Sprintf("; %d more steps are not listed", n-int64(len(steps)))
		}
		out = append(out, at(warning("clock_stepped", text, x.Packet, 1), x.Time, x.Size))
	}
	if l := r.clock.Late(); l.Count > 0 {
		const text = "packets stand too far behind their place in the file to be put in order: they got the time of the packet before, and their connections have no figures of time; reordercap puts a capture in order"
		out = append(out, at(warning("packets_out_of_order", text, l.Packet, l.Count), l.Time, -l.Most))
	}
	if o := &r.order; o.count > 0 {
		const text = "times of packets contradict their order in the file by more than sorting corrects (1 ms or 64 packets): they got the time of a neighbour, and no delay is measured from or to them"
		out = append(out, at(warning("times_out_of_order", text, o.packet, o.count), o.time, o.most))
	}
	return out
}
