package subflow

import (
	"mpanalyze/internal/packet"
	"mpanalyze/internal/seq"
)

// SampleSource says where a round-trip sample comes from.
type SampleSource uint16

// The sources, in the order in which they are tried for one ACK.
const (
	NoSample   SampleSource = iota
	Cumulative              // the oldest piece newly acknowledged that was not SACKed before
	Selective               // the lowest piece newly SACKed
	Timestamp               // the echoed timestamp (RFC 7323, Section 4.1)
)

// Ack is what one acknowledgment says of the direction that it acknowledges.
type Ack struct {
	New       bool // it says anything of what follows
	Advanced  bool // SND.UNA moved
	Source    SampleSource
	RTT       int64 // ns; valid where Source is not NoSample
	NewestRTT int64 // sample of the newest piece acknowledged for the first time, ns; 0 = none; valid with News

	// NewlyAcked are the positions that this ACK acknowledged or SACKed for the
	// first time, ascending; valid until the next packet.
	NewlyAcked []seq.Range[seq.SSN]
}

// Payload reports whether any payload may be among what is covered: a SYN, the
// position before all payload, is none.
func (a *Ack) Payload() bool {
	n := len(a.NewlyAcked)
	return n > 0 && a.NewlyAcked[n-1].End > 1
}

// reset forgets the packet before, and keeps room for what is covered.
func (a *Ack) reset() {
	a.New, a.Advanced, a.Source, a.RTT, a.NewestRTT = false, false, NoSample, 0, 0
	a.NewlyAcked = a.NewlyAcked[:0]
}

// nothing is reset for an acknowledgment that is none of news.
func (a *Ack) nothing() {
	a.New, a.Advanced, a.Source = false, false, NoSample
	a.NewlyAcked = a.NewlyAcked[:0]
}

// cover adds positions to what this ACK newly covers.
func (a *Ack) cover(r seq.Range[seq.SSN]) {
	if n := len(a.NewlyAcked); n > 0 && a.NewlyAcked[n-1].End == r.Start {
		a.NewlyAcked[n-1].End = r.End
		return
	}
	a.NewlyAcked = append(a.NewlyAcked, r)
}

// ackWalk gathers the round-trip candidates of one ACK.
type ackWalk struct {
	*Ack            // what the ACK is found to say
	rexmitted bool  // any piece newly acknowledged was sent more than once
	oldest    int64 // sending time of the oldest fresh piece; 0 = none
	newest    int64 // latest sending time of a fresh piece; 0 = none
	selective int64 // sending time of the lowest piece newly SACKed; 0 = none
	delivered int64 // latest sending time of what arrived; 0 = none
	limit     int64 // a copy sent after that cannot have arrived and be acknowledged yet, ns
}

// ack takes the acknowledgment that packet s of the other direction carries,
// and fills out.
func (h *Sender) ack(s *packet.Segment, out *Ack) {
	out.reset()
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
// blocks. See also [Sender.advances] and [Sender.lengthens].
func (h *Sender) acknowledged(s *packet.Segment, ack seq.SSN, out *Ack) {
	out.reset()
	w := ackWalk{Ack: out, limit: s.Time - h.RTT.Min}
	if ack > h.una {
		out.Advanced = true
		h.Loss.acked(h, ack, s)
		h.advance(ack, s.Time, &w)
	}
	if s.NSACK > 0 {
		h.selective(s, ack, &w)
	} else if out.Advanced {
		h.lastBlock = packet.SACKBlock{}
	}
	h.Loss.delivered = max(h.Loss.delivered, w.delivered)
	h.sample(s, &w)
	out.New = out.Advanced || len(out.NewlyAcked) > 0
}

// advances takes an ACK without blocks that acknowledges whole pieces, each sent
// once and going on where the one before ends, while no loss is being repaired:
// nearly all then. It returns false, and has changed nothing, for any other.
func (h *Sender) advances(s *packet.Segment, ack seq.SSN, out *Ack) bool {
	f := &h.inflight
	if h.sacked.Len() > 0 || h.Loss.settled < len(h.Loss.copies) || cap(out.NewlyAcked) == 0 {
		return false
	}
	n, newest := f.whole(ack)
	if n == 0 {
		return false
	}
	first := f.list.Front()
	rtt := s.Time - first.sent
	out.New, out.Advanced, out.Source, out.RTT, out.NewestRTT = true, true, Cumulative, rtt, s.Time-newest
	out.NewlyAcked = out.NewlyAcked[:1]
	out.NewlyAcked[0] = seq.Range[seq.SSN]{Start: first.Start, End: ack}
	f.list.Pop(n)
	h.una, h.lastBlock = ack, packet.SACKBlock{}
	h.holes.forget(ack - farAway)
	h.Loss.lastNews, h.Loss.dupAcks = s.Time, 0
	if newest > h.Loss.delivered {
		h.Loss.delivered = newest
	}
	if s.Have&packet.HasTimestamps != 0 && !h.stamps.isOldest(s.TSEcr) {
		h.echoed(s.TSEcr)
	}
	h.RTT.Add(rtt)
	return true
}

// lastWord takes the acknowledgment of a RST. It says what had arrived, but the
// sender's TCP takes nothing from it (RFC 9293, Section 3.10.7.4): what was in
// flight stays unacknowledged and gives no sample.
func (h *Sender) lastWord(s *packet.Segment, out *Ack) {
	if !h.open {
		return
	}
	r := seq.Range[seq.SSN]{Start: h.una, End: min(h.ssn(s.Ack), h.nxt)}
	h.sacked.Missing(r, func(part seq.Range[seq.SSN]) bool {
		out.cover(part)
		return true
	})
	out.New = len(out.NewlyAcked) > 0
}

// isDuplicate reports whether packet s of the half other, which acknowledges
// what this direction had acknowledged before, carries nothing and was not taken
// yet, is a duplicate ACK as RFC 5681, Section 2 defines it. One with an MPTCP
// option other than DSS is a signal and none (RFC 8684, Section 3); whether a
// DATA_ACK advances only the caller knows.
func (h *Sender) isDuplicate(s *packet.Segment, other *Sender) bool {
	return offered(s.Window) == other.window && h.awaits(s)
}

// awaits is what isDuplicate asks besides the window.
func (h *Sender) awaits(s *packet.Segment) bool { return h.nxt > h.una && s.OtherLen == 0 }

// advance pops what a cumulative acknowledgment, captured at time now, covers.
func (h *Sender) advance(ack seq.SSN, now int64, w *ackWalk) {
	if ack > h.nxt {
		h.holes.open(hole{Range: seq.Range[seq.SSN]{Start: h.nxt, End: ack}, opened: now, acked: true})
		h.nxt = ack
	}
	flying := &h.inflight.list
	for run := flying.FirstSlice(); len(run) > 0; run = flying.FirstSlice() {
		n := 0
		for ; n < len(run) && run[n].End <= ack; n++ {
			if p := &run[n]; p.marks&marked != sacked { // else nothing of it is news
				w.leaves(p, p.End)
			}
		}
		if flying.Pop(n); n == len(run) {
			continue
		}
		if p := &run[n]; p.Start < ack {
			w.leaves(p, ack)
			p.Start = ack
		}
		break
	}
	h.una = ack
	if h.sacked.Len() > 0 {
		h.sacked.DropBelow(ack)
	}
	h.holes.forget(ack - farAway)
}

// leaves books that piece p is newly covered cumulatively, up to end.
func (w *ackWalk) leaves(p *flight, end seq.SSN) {
	if p.marks&rexmitted != 0 {
		w.rexmitted = true
	}
	if p.marks&sacked != 0 {
		return
	}
	if w.oldest == 0 {
		w.oldest = p.sent
	}
	w.latest(p)
	w.cover(seq.Range[seq.SSN]{Start: p.Start, End: end})
}

// latest notes when piece p, newly covered, was last sent. What covers a copy
// within the least round trip is for the original (RFC 8985, Section 6.2, step 2).
func (w *ackWalk) latest(p *flight) {
	if p.marks&rexmitted == 0 {
		w.newest = max(w.newest, p.sent)
	} else if p.sent > w.limit {
		return
	}
	w.delivered = max(w.delivered, p.sent)
}

// sample applies the order of the sources (METRICS: rtt, rules 2 to 4, which
// are what the Linux sender does in tcp_ack_update_rtt).
func (h *Sender) sample(s *packet.Segment, w *ackWalk) {
	echoed, ok := int64(0), false
	if w.Advanced && s.Have&packet.HasTimestamps != 0 {
		echoed, ok = h.echoed(s.TSEcr)
	}
	switch {
	case w.oldest != 0 && !w.rexmitted:
		w.Source, w.RTT = Cumulative, s.Time-w.oldest
	case w.selective != 0:
		w.Source, w.RTT = Selective, s.Time-w.selective
	case ok:
		w.Source, w.RTT = Timestamp, s.Time-echoed
	}
	if w.Source != NoSample {
		h.RTT.Add(w.RTT)
	}
	if w.newest != 0 {
		w.NewestRTT = s.Time - w.newest
	}
}
