package clockstep

import "mpanalyze/internal/packet"

// kind is what a jump of the stamps is.
type kind uint8

const (
	undecided kind = iota
	nothing        // a pause, or packets out of order by little
	lateness       // a packet that stands behind its place
	step
)

// finding is what was found out of a jump.
type finding struct {
	kind         kind
	size, within int64 // of a step, ns
	proven       bool
}

// fewAsked is how many packets are asked whether data was in flight.
const fewAsked = 16

// maxWitnesses bounds the directions that are asked about one jump.
const maxWitnesses = 16

// witness is what one direction says of the packets behind a jump.
type witness struct {
	v     *tsClock
	least int64 // by which its packets are further from their timestamps than before, ns
	slack int64 // of that
	n     int
}

// judge finds out what the jump before the first of segs is; since is the time
// that the stamps say has passed, ns.
func (w *Watch) judge(segs []packet.Segment, since int64, last bool) finding {
	if w.opt.Coarse && since < 0 && since > -Pause {
		return finding{kind: nothing}
	}
	var room [maxWitnesses]witness
	all, span := w.witnesses(segs, room[:0])
	switch {
	case since > 0 && w.early(&segs[0], since):
		return w.hidden(segs, all, span, last)
	case since > 0:
		return w.forward(segs, all, since, span, last)
	}
	return w.back(segs, all, since, span, last)
}

// witnesses asks the timestamps of all packets at hand, and returns also how
// much time they cover.
func (w *Watch) witnesses(segs []packet.Segment, all []witness) (out []witness, span int64) {
	shift := w.stream(segs[0].Iface).shift
	first, latest := segs[0].Time, segs[0].Time
	for i := range segs {
		s := &segs[i]
		if s.Iface != segs[0].Iface {
			continue
		}
		latest = max(latest, s.Time)
		if s.Have&packet.HasTimestamps == 0 || s.Flags&(packet.SYN|packet.RST) != 0 {
			continue
		}
		v := w.find(&s.Src, &s.Dst)
		if v == nil || v.tick <= 0 {
			continue
		}
		by, slack := v.ahead(s.Time+shift, s.TSVal)
		all = gathered(all, witness{v, by, slack, 1})
	}
	return all, latest - first
}

// gathered enters what one packet says.
func gathered(all []witness, x witness) []witness {
	for i := range all {
		if all[i].v == x.v {
			all[i].least = min(all[i].least, x.least)
			all[i].n++
			return all
		}
	}
	if len(all) < maxWitnesses {
		all = append(all, x)
	}
	return all
}

// forward judges a jump forward. It is a pause if the timestamps of any host went
// on meanwhile: a suspended host's own stand still, and so do those of packets that
// waited in a queue. It is a step if those of both ends of a connection say that the
// time did not pass.
func (w *Watch) forward(segs []packet.Segment, all []witness, since, span int64, last bool) finding {
	for i := range all {
		if all[i].least < max(Pause/2, 2*all[i].slack) {
			return finding{kind: nothing}
		}
	}
	if len(all) == 0 {
		return w.unstamped(segs, since, last)
	}
	if !last && (span < settleTime || len(segs) < settlePackets) {
		return finding{}
	}
	if !bothEnds(all) {
		if last {
			return finding{kind: nothing}
		}
		return finding{}
	}
	return proof(all)
}

// early reports whether a packet has a stamp before what its timestamp allows, though
// its stamp does not lie before that of the packet before it.
func (w *Watch) early(s *packet.Segment, since int64) bool {
	if since < leastHidden || s.Have&packet.HasTimestamps == 0 || s.Flags&(packet.SYN|packet.RST) != 0 {
		return false
	}
	v := w.find(&s.Src, &s.Dst)
	if v == nil || v.tick <= 0 {
		return false
	}
	by, slack := v.ahead(s.Time+w.stream(s.Iface).shift, s.TSVal)
	return by < -max(Pause/2, 2*slack)
}

// hidden judges a step back in a silence that was longer than the step. Packets of one
// direction come earlier also where a queue was emptied in the silence: both ends must
// say so, and nobody the contrary.
func (w *Watch) hidden(segs []packet.Segment, all []witness, span int64, last bool) finding {
	for i := range all {
		if all[i].least > -max(Pause/2, 2*all[i].slack) {
			return finding{kind: nothing}
		}
	}
	if !last && (span < settleTime || len(segs) < settlePackets || !bothEnds(all)) {
		return finding{}
	}
	if !bothEnds(all) {
		return finding{kind: nothing}
	}
	return proof(all)
}

// bothEnds reports whether both directions of a connection are among them.
func bothEnds(all []witness) bool {
	for i := range all {
		for j := range all[:i] {
			if all[i].v.src == all[j].v.dst && all[i].v.dst == all[j].v.src {
				return true
			}
		}
	}
	return false
}

// proof takes the size of a step from the direction whose packets waited least:
// mostly of the host at which the capture was taken.
func proof(all []witness) finding {
	best := &all[0]
	for i := range all {
		if x := &all[i]; x.v.jitter+x.v.tick < best.v.jitter+best.v.tick {
			best = x
		}
	}
	return finding{kind: step, size: best.least, within: best.slack, proven: true}
}

// back judges stamps that go back. No packet leaves before its timestamp, so one
// direction proves a step; a packet whose stamp fits its timestamp only stands at
// the wrong place.
func (w *Watch) back(segs []packet.Segment, all []witness, since, span int64, last bool) finding {
	moved := false
	for i := range all {
		moved = moved || all[i].least < -max(2*all[i].slack, -since/2)
	}
	switch {
	case moved && !last && (span < settleTime || len(segs) < settlePackets):
		return finding{}
	case moved:
		return proof(earlier(all))
	case -since < leastLate:
		return finding{kind: nothing}
	case len(all) > 0, w.returns(segs, since):
		return finding{kind: lateness}
	case last:
		return finding{kind: step, size: since}
	}
	return finding{}
}

// earlier leaves the directions that show a step back.
func earlier(all []witness) []witness {
	out := all[:0]
	for _, x := range all {
		if x.least < -x.slack {
			out = append(out, x)
		}
	}
	return out
}

// returns reports whether the stamps jump to where they were: then the packets
// before that stand behind their place.
func (w *Watch) returns(segs []packet.Segment, since int64) bool {
	limit := segs[0].Time - since - leastBack
	prev := segs[0].Time
	for i := range segs {
		s := &segs[i]
		if s.Iface != segs[0].Iface {
			continue
		}
		if s.Time-prev >= -since/2 && s.Time >= limit {
			return true
		}
		prev = s.Time
	}
	return false
}

// unstamped judges a jump forward of packets without timestamps. Data that was in
// flight across it and was not sent again, though a sender does so after a
// retransmission timeout, shows that the time did not pass.
func (w *Watch) unstamped(segs []packet.Segment, since int64, last bool) finding {
	if since < leastUnstamped {
		return finding{kind: nothing}
	}
	asked := 0
	for i := range segs {
		s := &segs[i]
		v, r := w.find(&s.Src, &s.Dst), w.find(&s.Dst, &s.Src)
		if v == nil || r == nil || s.Flags&(packet.SYN|packet.RST) != 0 {
			continue
		}
		asked++
		switch {
		case v.stamped || r.stamped: // others may tell
		case v.outstanding(r) && s.PayloadLen > 0:
			if s.Seq == v.end {
				return finding{kind: step, size: since}
			}
			return finding{kind: nothing}
		case r.outstanding(v) && s.Flags&packet.ACK != 0:
			if int32(s.Ack-r.end) <= 0 && int32(s.Ack-v.ack) > 0 {
				return finding{kind: step, size: since}
			}
			return finding{kind: nothing}
		}
	}
	if last || asked >= fewAsked {
		return finding{kind: nothing}
	}
	return finding{}
}

// outstanding reports whether data of v is in flight, by what its receiver r
// acknowledged.
func (v *tsClock) outstanding(r *tsClock) bool {
	return v.sent && r.acking && int32(v.end-r.ack) > 0
}
