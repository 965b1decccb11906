package engine

import (
	"fmt"
	"math"

	"mpanalyze/internal/clockstep"
	"mpanalyze/internal/conn"
	"mpanalyze/internal/packet"
	"mpanalyze/internal/pair"
	"mpanalyze/internal/report"
)

// settle puts the stamps of the segments of b right, those from the index begun on
// being new, and sorts them. Where a jump of the stamps is not understood yet, those
// behind it wait, unless they are the last.
func (p *pipeline) settle(b *batch, begun int, last bool) {
	if p.clock == nil { // copies are not told either
		if b.settled = b.n; !p.options.FileOrder {
			inOrder(b.segs[:b.n], begun)
		}
		return
	}
	if p.copies.waits(b.segs[:b.n], last) {
		return
	}
	if !p.copies.begun {
		begun = 0
	}
	if begun == 0 || p.decoder.DetectsDuplicates() {
		b.n = begun + p.copies.drop(b.segs[begun:b.n], p.skipped)
	}
	from := b.settled
	waiting := b.segs[from:b.n]
	n := p.clock.Look(waiting, begun-from, last)
	if n < len(waiting) && (len(waiting)-n > clockstep.MaxHeld-runLen || payloadBytes(waiting[n:]) > maxHeldBack) {
		n += p.clock.Look(waiting[n:], len(waiting)-n, true)
	}
	b.settled += n
	inOrder(b.segs[:b.settled], from)
}

// bytes returns how much payload is kept of some segments.
func payloadBytes(segs []packet.Segment) (n int) {
	for i := range segs {
		n += len(segs[i].Payload)
	}
	return n
}

// clockWarnings tells where the clock was set, a warning for each of the first steps,
// and of packets out of order.
func (p *pipeline) clockWarnings() (out []report.Warning) {
	if p.clock == nil {
		return nil
	}
	at := func(w report.Warning, now, size int64) report.Warning {
		t, s := float64(now-p.clock.Begin())/1e9, float64(size)/1e9
		w.TS, w.StepS = &t, &s
		return w
	}
	steps, n := p.clock.Steps()
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
	if l := p.clock.Late(); l.Count > 0 {
		const text = "packets stand so far behind their place in the file that they were not put in order: they got the time of the packet before, and figures of time of their connections are absent; reordercap puts a capture in order"
		out = append(out, at(warning("packets_out_of_order", text, l.Packet, l.Count), l.Time, -l.Most))
	}
	return out
}

// clockStep completes what a report says of two clocks: a step that was taken out of
// the stamps of one capture does not show in the delays, which then tell of smaller
// ones only. The largest one is told.
func (e *end) clockStep(which pair.End, k *report.Clock, begin int64) {
	if e.clock == nil {
		return
	}
	steps, _ := e.clock.Steps()
	for i := range steps {
		x := &steps[i]
		lead := float64(x.Size) / 1e6
		if which == pair.AtSender {
			lead = -lead
		}
		if k.Step == nil || math.Abs(lead) > math.Abs(*k.Step) {
			at := float64(x.Time-begin) / 1e9
			k.Step, k.StepS = &lead, &at
		}
	}
}
