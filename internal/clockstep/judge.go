package clockstep

import (
	"slices"

	"mpanalyze/internal/packet"
)

// kind is what a jump of the capture times is.
type kind uint8

const (
	undecided kind = iota
	nothing        // a pause, or packets that are out of order by little
	lateness       // a packet that is too late in the order of the file
	step           // the clock was set
)

// finding is the judgement on a jump.
type finding struct {
	kind   kind
	size   int64 // size of a step, ns
	within int64 // greatest error of size, ns
	proven bool  // by TCP timestamps
}

// flightPackets is how many packets are searched for data that was in flight.
const flightPackets = 16

// maxChanges bounds the directions that one jump is judged by.
const maxChanges = 16

// change says by how much the capture times of one direction moved against its TCP
// timestamps at a jump.
type change struct {
	clock *tsClock
	least int64 // the least move of its packets after the jump, ns
	slack int64 // how much of the move may be drift and noise, ns
}

// judge decides what the jump before the first packet of segs is. since is the time across
// the jump by the clock of the capture, ns. With last no further packets will come. The
// result is undecided if more packets are needed.
func (w *Watch) judge(segs []packet.Segment, since int64, last bool) finding {
	if w.opt.Coarse && since < 0 && since > -Pause {
		return finding{kind: nothing}
	}
	var room [maxChanges]change
	all, span := w.changes(segs, room[:0])
	switch {
	case since > 0 && w.early(&segs[0], since):
		return w.hidden(segs, all, span, last)
	case since > 0:
		return w.forward(segs, all, span, last)
	}
	return w.back(segs, all, since, span, last)
}

// changes returns the changes that the packets of the first one's interface show, and how
// much time these packets cover, ns.
func (w *Watch) changes(segs []packet.Segment, all []change) (out []change, span int64) {
	times := w.stream(segs[0].Iface)
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
		c := w.find(&s.Src, &s.Dst)
		if c == nil || !c.reader.Known() {
			continue
		}
		by, slack := c.excess(times.time(s.Time), s.TSVal)
		all = addChange(all, change{c, by, slack})
	}
	return all, latest - first
}

// addChange adds what one packet shows: the least move of each direction counts.
func addChange(all []change, x change) []change {
	for i := range all {
		if all[i].clock == x.clock {
			all[i].least = min(all[i].least, x.least)
			return all
		}
	}
	if len(all) < maxChanges {
		all = append(all, x)
	}
	return all
}

// forward judges a jump forward. It is a pause if the TCP timestamps of any host went on.
// The timestamps of one host alone can stand still without a step: while the host is
// suspended, or while its packets wait in a queue. So it is a step only if the timestamps
// of both ends of a connection say that no time passed.
func (w *Watch) forward(segs []packet.Segment, all []change, span int64, last bool) finding {
	for i := range all {
		if all[i].least < max(Pause/2, 2*all[i].slack) {
			return finding{kind: nothing}
		}
	}
	if len(all) == 0 {
		return w.withoutTimestamps(segs, last)
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

// early reports whether the packet came earlier than its TCP timestamp allows, although its
// capture time is not before that of the packet in front. Then the clock was set back while
// nothing was captured, by less than that silence.
func (w *Watch) early(s *packet.Segment, since int64) bool {
	if since < leastHidden || s.Have&packet.HasTimestamps == 0 || s.Flags&(packet.SYN|packet.RST) != 0 {
		return false
	}
	c := w.find(&s.Src, &s.Dst)
	if c == nil || !c.reader.Known() {
		return false
	}
	by, slack := c.excess(w.stream(s.Iface).time(s.Time), s.TSVal)
	return by < -max(Pause/2, 2*slack)
}

// hidden judges a step back within a silence that was longer than the step. Packets of one
// direction also come earlier if a queue emptied during the silence. So both ends of a
// connection must show the step, and no direction may contradict it.
func (w *Watch) hidden(segs []packet.Segment, all []change, span int64, last bool) finding {
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

// bothEnds reports whether the changes include both directions of a connection.
func bothEnds(all []change) bool {
	for i := range all {
		for j := range all[:i] {
			if x, y := all[i].clock, all[j].clock; x.src == y.dst && x.dst == y.src {
				return true
			}
		}
	}
	return false
}

// proof takes the size of a step from the direction whose offsets vary least. As a rule
// that is the direction of the host that captured.
func proof(all []change) finding {
	best := &all[0]
	for i := range all {
		if x := &all[i]; x.clock.jitter+x.clock.reader.Tick() < best.clock.jitter+best.clock.reader.Tick() {
			best = x
		}
	}
	return finding{kind: step, size: best.least, within: best.slack, proven: true}
}

// back judges capture times that go back. No packet leaves before its TCP timestamp, so one
// direction suffices to prove a step. If the capture time of a packet agrees with its
// timestamp, the packet is only at the wrong place in the file.
func (w *Watch) back(segs []packet.Segment, all []change, since, span int64, last bool) finding {
	moved := false
	for i := range all {
		moved = moved || all[i].least < -max(2*all[i].slack, -since/2)
	}
	switch {
	case moved && !last && (span < settleTime || len(segs) < settlePackets):
		return finding{}
	case moved && !(-since < Pause && alone(segs, since)):
		return proof(slices.DeleteFunc(all, func(x change) bool { return x.least >= -x.slack })) // of those that show a step back
	case -since < leastLate:
		return finding{kind: nothing}
	case len(all) > 0, w.returns(segs, since):
		return finding{kind: lateness}
	case last:
		return finding{kind: step, size: since}
	}
	return finding{}
}

// alone reports whether only the first of the packets went back: the next one of its interface
// is where the times were before. Then the stamp of one packet is wrong.
func alone(segs []packet.Segment, since int64) bool {
	for i := range segs[1:] {
		if s := &segs[1+i]; s.Iface == segs[0].Iface {
			return s.Time >= segs[0].Time-since
		}
	}
	return false
}

// returns reports whether the capture times jump forward again to where they were. Then the
// packets in between are only too late in the file.
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

// withoutTimestamps judges a jump forward by packets without TCP timestamps. One clock stamps all
// interfaces of a host. So it can only have been set while all of them were silent, and by no more
// than that. If data was in flight across the silence and was not sent again, no time passed: a
// sender would have repeated it after a retransmission timeout. An interface shows this only by
// packets of its own: while it was not captured, the data may have been sent again.
func (w *Watch) withoutTimestamps(segs []packet.Segment, last bool) finding {
	silence := w.stream(segs[0].Iface).time(segs[0].Time) - w.latest
	if silence < leastWithoutTimestamps {
		return finding{kind: nothing}
	}
	if size, ok := w.repeats(segs[0].Iface, silence); ok {
		return finding{kind: step, size: size}
	}
	searched := 0
	for i := 0; i < len(segs) && searched < flightPackets; i++ {
		s := &segs[i]
		c, peer := w.find(&s.Src, &s.Dst), w.find(&s.Dst, &s.Src)
		if c == nil || peer == nil || c.iface != s.Iface || peer.iface != s.Iface || s.Flags&(packet.SYN|packet.RST) != 0 {
			continue
		}
		searched++
		switch {
		case c.hasTimestamps || peer.hasTimestamps: // packets of other connections may decide
		case c.inFlight(peer) && s.PayloadLen > 0:
			if s.Seq == c.end {
				return finding{kind: step, size: silence}
			}
			return finding{kind: nothing}
		case peer.inFlight(c) && s.Flags&packet.ACK != 0:
			if int32(s.Ack-peer.end) <= 0 && int32(s.Ack-c.ack) > 0 {
				return finding{kind: step, size: silence}
			}
			return finding{kind: nothing}
		}
	}
	if last || searched >= flightPackets {
		return finding{kind: nothing}
	}
	return finding{}
}

// inFlight reports whether data of c is in flight, by what its peer acknowledged so far.
func (c *tsClock) inFlight(peer *tsClock) bool {
	return c.sent && peer.acking && int32(c.end-peer.ack) > 0
}
