package subflow

import (
	"slices"

	"mpanalyze/internal/packet"
	"mpanalyze/internal/seq"
)

// Cause is why a sender sent something again, as far as the capture shows it.
type Cause uint8

// The causes.
const (
	FastRetransmit Cause = iota // later data was SACKed, or three duplicate ACKs (RFC 5681, 6675, 8985)
	Timeout                     // nothing was heard for a retransmission timeout (RFC 6298)
	TailLossProbe               // the last segment, in place of a first timeout (RFC 8985, Section 7)
	UnknownCause                // the capture shows no reason
	nCauses
)

// Loss keeps what a sender's retransmissions and the receiver's reports say
// of lost and of needless copies.
type Loss struct {
	ByCause      [nCauses]int64 // retransmitted segments and hole fills by cause
	Spurious     int64          // retransmitted segments whose copy was needless: DSACK, Eifel, or an ACK too early for it
	Missed       int64          // hole fills that were needless for the same reasons, segments: the capture missed the original
	DSACKed      int64          // copies that DSACK reports as duplicates, segments
	NetDuplicate int64          // segments that DSACK reports though they were never sent again

	copies      []rexmit // bounded by maxCopies
	settled     int      // the first so many copies are acknowledged
	recovery    seq.SSN  // end of what was in flight when recovery began
	inTimeout   bool     // that recovery began with a timeout
	doubtful    bool     // nothing but the first segment was sent again since: the timeout may have been needless
	lastNews    int64    // when the ACKs last made progress, ns
	dupAcks     int
	highestSACK seq.SSN // end of the highest SACKed position
	delivered   int64   // sending time of the latest piece that is known to have arrived, ns
}

// rexmit is one retransmitted copy that a DSACK may still report.
type rexmit struct {
	seq.Range[seq.SSN]
	at       int64
	tsval    uint32
	hasTS    bool
	spurious bool
	fill     bool // it fills a hole: the capture does not show the original
	unit     uint16
	reported int64 // octets of it that DSACK reported
}

// maxCopies bounds the retransmitted copies that wait for a DSACK. At the
// bound the oldest are forgotten and count as lost originals.
const maxCopies = 1024

// LostSegments returns how many segments of the direction were lost, as its sender
// can tell: every copy was sent because one was taken for lost, and every
// duplicate that DSACK reports shows that one was not.
func (h *Sender) LostSegments() int64 {
	return max(0, h.RexmitSegments-h.Loss.DSACKed) + h.LostBeforeCapture()
}

// LostBeforeCapture returns how many segments the sender sent that were lost before
// they came to a capture point at its own host: later packets passed, and only a
// copy came of these. A copy whose original had arrived shows no loss but that
// the capture missed a packet.
func (h *Sender) LostBeforeCapture() int64 { return max(0, h.HoleFills-h.Loss.Missed) }

// UnresolvedSegments returns the segments that were sent and never acknowledged
// in any way. Pieces of one captured segment are counted together. A hole that
// nothing filled was sent, too: later positions were.
func (h *Sender) UnresolvedSegments() (n int64) {
	run, unit := int64(0), int64(1)
	first := h.inflight.list.Front()
	for p := range h.inflight.list.All() {
		if p == first || p.marks&continued == 0 {
			n += units(run, unit)
			run, unit = 0, max(1, p.marks.unit())
		}
		control := p.Start == 0 && h.syn || h.finSeen && p.Start == h.fin
		if p.marks&sacked == 0 && !control {
			run += p.Len()
		}
	}
	n += units(run, unit)
	for x := range h.holes.list.All() {
		n += h.units(h.missing(x.Range))
	}
	return n
}

// restart forgets the positions.
func (l *Loss) restart() {
	l.copies, l.settled = l.copies[:0], 0
	l.recovery, l.highestSACK, l.inTimeout, l.doubtful, l.dupAcks, l.delivered = 0, 0, false, false, 0, 0
}

func (l *Loss) shift(delta seq.SSN) {
	for i := range l.copies {
		l.copies[i].Start += delta
		l.copies[i].End += delta
	}
	l.recovery += delta
	l.highestSACK += delta
}

// retransmitted notes a copy of r, which is n segments and not marked in
// flight yet.
func (l *Loss) retransmitted(h *Sender, r seq.Range[seq.SSN], n int64, s *packet.Segment) {
	latest, again := s.Time, false // of what is acknowledged it is not known any more
	if p := h.inflight.list.At(h.inflight.find(r.Start)); p != nil && p.Start < r.End {
		latest, again = p.sent, p.marks&rexmitted != 0
	}
	l.ByCause[l.cause(h, r, s.Time, latest, again)] += n
	l.remember(h, r, s, false)
}

// filled notes a copy of r, which is n segments and fills hole x. The original
// was sent before what opened the hole.
func (l *Loss) filled(h *Sender, r seq.Range[seq.SSN], x *hole, n int64, s *packet.Segment) {
	l.ByCause[l.cause(h, r, s.Time, x.opened, false)] += n
	l.remember(h, r, s, true)
}

// remember keeps a copy that a DSACK may report.
func (l *Loss) remember(h *Sender, r seq.Range[seq.SSN], s *packet.Segment, fill bool) {
	if len(l.copies) >= maxCopies {
		l.copies = slices.Delete(l.copies, 0, maxCopies/4)
		l.settled = max(0, l.settled-maxCopies/4)
	}
	l.copies = append(l.copies, rexmit{
		Range: r, at: s.Time, tsval: s.TSVal, hasTS: s.Have&packet.HasTimestamps != 0, fill: fill, unit: uint16(h.SegmentBytes()),
	})
}

// cause tells why r, sent at time latest and perhaps before that, is sent again
// at time now; again says that latest was a copy itself.
func (l *Loss) cause(h *Sender, r seq.Range[seq.SSN], now, latest int64, again bool) Cause {
	rto := h.RTT.RTO()
	silence := float64(now - max(l.lastNews, latest))
	// What is missing though later packets arrived is taken for lost (RFC 8985, Section 6.2).
	shown := l.highestSACK > r.Start || l.dupAcks >= 3 || latest < l.delivered && h.usesSACK()
	switch {
	case again && r.Start == h.una && silence >= 0.8*rto:
		// The first copy of the segment at the left edge was lost as well,
		// and SACKs of what lies above restart no timer.
	case r.Start < l.recovery && l.inTimeout:
		l.doubtful = false
		return Timeout
	case r.Start < l.recovery && (shown || r.End <= h.una || r.Start == h.una && silence <= h.RTT.SRTT):
		// A copy that the host queued for long may leave behind the acknowledgment
		// of what it repeats. A partial acknowledgment shows the next loss without
		// SACK (RFC 6582, Section 3.2).
		l.doubtful = false
		return FastRetransmit
	case shown:
		l.recovery, l.inTimeout, l.doubtful = h.nxt, false, false
		return FastRetransmit
	case h.usesSACK() && r.End == h.dataEnd() && (silence < rto || !again && r.Len() <= h.SegmentBytes()):
		// Where the timeout would come first the probe takes its place
		// (RFC 8985, Section 7.2): as a rule if but one segment is in flight.
		return TailLossProbe
	case silence < 0.8*(h.RTT.SRTT+minRTO):
		return UnknownCause // too soon even for the least timeout
	}
	l.doubtful = l.doubtful || h.una >= l.recovery
	l.recovery, l.inTimeout = h.nxt, true
	return Timeout
}

// usesSACK reports whether the sender has SACK, without which it sends no tail
// probes. That is assumed of a handshake that was not captured.
func (h *Sender) usesSACK() bool { return !h.sackless && (h.sackOK || !h.syn) }

// acked takes note of a cumulative acknowledgment up to ack, before the
// pieces leave.
func (l *Loss) acked(h *Sender, ack seq.SSN, s *packet.Segment) {
	l.lastNews, l.dupAcks = s.Time, 0
	first, eifel := true, false
	for i := l.settled; i < len(l.copies); i++ {
		c := &l.copies[i]
		if c.End > ack || c.Start < h.una {
			continue
		}
		if proof := l.judge(h, c, s); first && c.Start == h.una {
			first, eifel = false, proof
		}
	}
	switch {
	case !l.doubtful:
	case eifel || h.isOriginal(ack):
		l.absolve(h)
	case ack < l.recovery:
		return // the copy is not settled yet, so that no ACK until then is taken for a usual one
	default:
		l.doubtful = false
	}
	for l.settled < len(l.copies) && l.copies[l.settled].End <= ack {
		l.settled++
	}
}

// absolve ends the recovery that a timeout began, as the sender does when it
// learns that the timeout was needless (RFC 4015, RFC 5682): what it sends again
// from here on has other causes.
func (l *Loss) absolve(h *Sender) { l.recovery, l.inTimeout, l.doubtful = h.una, false, false }

// isOriginal reports whether an acknowledgment up to ack covers for the first
// time what was sent before the latest timeout and never again: then the
// timeout was needless (RFC 5682, Section 3). Without SACK what lies above a
// copy may have waited for it.
func (h *Sender) isOriginal(ack seq.SSN) (found bool) {
	end := min(ack, h.Loss.recovery)
	for p := range h.inflight.list.All() {
		switch m := p.marks; {
		case p.End > end:
			return found
		case m&rexmitted != 0 && !h.usesSACK():
			return false
		case m&(rexmitted|sacked) == 0:
			found = true
		}
	}
	return found
}

// judge tells by the ACK that first covers copy c whether the copy was
// needless. An ACK echoes the timestamp of the segment that reached the left
// edge (RFC 7323, Section 4.3), so for the copy there a lower one proves that
// the original arrived (Eifel, RFC 3522); of copies above it that stamp says
// nothing. It reports whether Eifel is the proof.
func (l *Loss) judge(h *Sender, c *rexmit, s *packet.Segment) (eifel bool) {
	eifel = c.Start == h.una && c.hasTS && s.Have&packet.HasTimestamps != 0 && int32(s.TSEcr-c.tsval) < 0
	early := h.RTT.Samples > 0 && 2*(s.Time-c.at) < h.RTT.Min
	if eifel || early {
		l.needless(c, c.Len())
	}
	return eifel
}

// needless books that n octets of copy c were not needed, unless that is known.
func (l *Loss) needless(c *rexmit, n int64) {
	switch {
	case c.spurious:
	case c.fill:
		l.Missed += units(n, int64(c.unit))
	default:
		l.Spurious += units(n, int64(c.unit))
	}
	c.spurious = true
}

// isCopy reports whether r was sent again in one piece and may yet be reported.
func (l *Loss) isCopy(r seq.Range[seq.SSN]) bool {
	return slices.ContainsFunc(l.copies, func(c rexmit) bool { return c.Intersect(r) == r })
}

// dsack books a report that r was received twice. Octets that were sent again
// explain the report first; what no copy explains was duplicated by the
// network. Segments are counted as the copies were: of octets reported in
// several blocks none twice. Of copies of the same octets the latest is the
// needless one: what it repeats had been repeated before.
func (l *Loss) dsack(h *Sender, r seq.Range[seq.SSN]) {
	if r.Start == 0 && h.syn { // SYN and FIN are no data
		r.Start = 1
	}
	if h.finSeen {
		r.End = min(r.End, h.fin)
	}
	left := r.Len()
	for i := len(l.copies) - 1; i >= 0 && left > 0; i-- {
		c := &l.copies[i]
		n := min(c.Intersect(r).Len(), c.Len()-c.reported, left)
		if n <= 0 {
			continue
		}
		unit := int64(c.unit)
		if !c.fill {
			l.DSACKed += units(c.reported+n, unit) - units(c.reported, unit)
		}
		l.needless(c, n)
		c.reported += n
		left -= n
	}
	l.NetDuplicate += h.units(left)
}
