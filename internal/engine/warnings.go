package engine

import (
	"fmt"

	"mpanalyze/internal/conn"
	"mpanalyze/internal/decode"
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

// Copies that were kept are told of only if there are at least fewCopies, and one in
// tellCopies of all packets: a network duplicates less.
const tellCopies = 20

// copyWarnings returns the warnings of packets that were captured more than once.
func (r *reader) copyWarnings() (out []report.Warning) {
	counts := r.decoder.Counts()
	seen := counts.Outcome(decode.Duplicate)
	if seen.Count > 0 {
		out = append(out, warning("duplicate_sight", "packets seen at a second interface were counted once", seen.First, int64(seen.Count)))
	}
	c := &r.copies
	all := int64(counts.Outcome(decode.TCP).Count)
	if c.count > 0 {
		text := fmt.Sprintf("packets were captured twice at one interface, as a mirror port, a bond or a router shows them, and counted once: %s of the TCP packets are copies", share(c.count, all))
		out = append(out, warning("copies_on_one_interface", text, c.first, c.count))
	}
	if c.kept >= fewCopies && c.kept*tellCopies >= all {
		text := fmt.Sprintf("packets repeat an earlier packet in all numbers: %s of the TCP packets; it is not certain that the capture has them twice, so they count as sent again", share(c.kept, all))
		out = append(out, warning("packets_repeated", text, c.firstKept, c.kept))
	}
	if c.twoPlaces {
		text := fmt.Sprintf("packets were captured at two places with a path of at least %.1f ms between them; connections that go on after this packet have no figures of time; give the capture of each place alone", float64(c.leastDelay)/1e6)
		out = append(out, warning("captured_at_two_places", text, c.placesFrom, c.count+int64(seen.Count)))
	}
	return out
}

// share returns part of all as a percentage, for people.
func share(part, all int64) string {
	return fmt.Sprintf("%.0f %%", 100*float64(part)/float64(max(all, 1)))
}
