package subflow

import (
	"mpanalyze/internal/packet"
	"mpanalyze/internal/seq"
)

// SampleSource says where a round-trip sample comes from.
type SampleSource uint8

// The sources, in the order in which they are tried for one ACK.
const (
	NoSample   SampleSource = iota
	Cumulative              // the oldest piece newly acknowledged that was not SACKed before
	Selective               // the lowest piece newly SACKed
	Timestamp               // the echoed timestamp (RFC 7323, Section 4.1)
)

// Ack is what one acknowledgment says of the direction that it acknowledges.
type Ack struct {
	Advanced bool // SND.UNA moved
	Source   SampleSource
	RTT      int64 // ns; valid where Source is not NoSample
	Newest   int64 // sample of the newest piece acknowledged for the first time, ns; 0 = none

	// Covered are the positions that this ACK acknowledged or SACKed for the
	// first time, ascending; valid until the next packet.
	Covered []seq.Range[seq.SSN]
}

// ackWalk gathers the round-trip candidates of one ACK.
type ackWalk struct {
	rexmitted bool  // any piece newly acknowledged was sent more than once
	oldest    int64 // sending time of the oldest fresh piece; 0 = none
	newest    int64 // latest sending time of a fresh piece; 0 = none
	selective int64 // sending time of the lowest piece newly SACKed; 0 = none
}

// ack takes the acknowledgment that packet s of the other direction carries,
// and fills out.
func (h *Half) ack(s *packet.Segment, out *Ack) {
	*out = Ack{}
	if s.Flags&packet.ACK == 0 {
		return
	}
	if s.Flags&packet.RST != 0 {
		h.lastWord(s, out)
		return
	}
	if !h.open {
		h.begin(s.Ack - 1)
	}
	if ack, ok := h.near(s.Ack); ok {
		h.acknowledged(s, ack, out)
	}
}

// acknowledged takes what s acknowledges: everything below ack, and its SACK
// blocks.
func (h *Half) acknowledged(s *packet.Segment, ack seq.SSN, out *Ack) {
	*out = Ack{Advanced: ack > h.una}
	h.ranges = h.ranges[:0]
	var w ackWalk
	if out.Advanced {
		h.Loss.acked(h, ack, s)
		h.advance(ack, s.Time, &w)
	}
	if s.NSACK > 0 {
		h.selective(s, ack, out.Advanced, &w)
	} else if out.Advanced {
		h.lastBlock = packet.SACKBlock{}
	}
	out.Covered = h.ranges
	h.sample(s, &w, out)
}

// lastWord takes the acknowledgment of a RST. It says what had arrived, but the
// sender's TCP takes nothing from it (RFC 9293, Section 3.10.7.4): what was in
// flight stays unacknowledged and gives no sample.
func (h *Half) lastWord(s *packet.Segment, out *Ack) {
	if !h.open {
		return
	}
	h.ranges = h.ranges[:0]
	r := seq.Range[seq.SSN]{Start: h.una, End: min(h.ssn(s.Ack), h.nxt)}
	h.sacked.Missing(r, func(part seq.Range[seq.SSN]) bool {
		h.cover(part)
		return true
	})
	out.Covered = h.ranges
}

// isDuplicate reports whether packet s of the half other, which acknowledges
// this direction, carries nothing and was not taken yet, is a duplicate ACK as RFC 5681,
// Section 2 defines it. One with an MPTCP option other than DSS is a signal
// and none (RFC 8684, Section 3); whether a DATA_ACK advances only the caller
// knows.
func (h *Half) isDuplicate(s *packet.Segment, other *Half) bool {
	return s.Window == other.window && other.windowSeen && h.nxt > h.una && h.ssn(s.Ack) == h.una && h.open && s.RareLen == 0
}

// advance pops what a cumulative acknowledgment, captured at time now, covers.
func (h *Half) advance(ack seq.SSN, now int64, w *ackWalk) {
	if ack > h.nxt {
		h.holes.open(hole{Range: seq.Range[seq.SSN]{Start: h.nxt, End: ack}, opened: now, acked: true})
		h.nxt = ack
	}
	flying := h.inflight.all()
	n := 0
	for n < len(flying) && flying[n].End <= ack {
		h.leave(&flying[n], w)
		n++
	}
	if n < len(flying) && flying[n].Start < ack {
		part := flying[n]
		part.End = ack
		flying[n].Start = ack
		h.leave(&part, w)
	}
	h.inflight.pop(n)
	h.una = ack
	if h.sacked.Len() > 0 {
		h.sacked.DropBelow(ack)
	}
	h.holes.forget(ack - farAway)
}

// leave books one piece that is newly covered cumulatively.
func (h *Half) leave(p *flight, w *ackWalk) {
	if p.state&rexmitted != 0 {
		w.rexmitted = true
	}
	if p.state&sacked != 0 {
		return
	}
	if w.oldest == 0 {
		w.oldest = p.first
	}
	if p.state&rexmitted == 0 {
		w.newest = max(w.newest, p.first)
	}
	h.cover(p.Range)
}

// cover adds positions to what this ACK newly covers.
func (h *Half) cover(r seq.Range[seq.SSN]) {
	if n := len(h.ranges); n > 0 && h.ranges[n-1].End == r.Start {
		h.ranges[n-1].End = r.End
		return
	}
	h.ranges = append(h.ranges, r)
}

// sample applies the order of the sources (METRICS: rtt, rules 2 to 4, which
// are what the Linux sender does in tcp_ack_update_rtt).
func (h *Half) sample(s *packet.Segment, w *ackWalk, out *Ack) {
	echoed, ok := int64(0), false
	if out.Advanced && s.Have&packet.HasTimestamps != 0 {
		echoed, ok = h.stamps.echoed(s.TSEcr)
	}
	switch {
	case w.oldest != 0 && !w.rexmitted:
		out.Source, out.RTT = Cumulative, s.Time-w.oldest
	case w.selective != 0:
		out.Source, out.RTT = Selective, s.Time-w.selective
	case ok:
		out.Source, out.RTT = Timestamp, s.Time-echoed
	}
	if out.Source != NoSample {
		h.RTT.Add(out.RTT)
	}
	if w.newest != 0 {
		out.Newest = s.Time - w.newest
	}
}
