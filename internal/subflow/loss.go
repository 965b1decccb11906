package subflow

import (
	"slices"

	"mpanalyze/internal/packet"
	"mpanalyze/internal/seq"
)

// Cause is why a sender retransmitted something, as far as the capture shows it.
type Cause uint8

// The causes.
const (
	FastRetransmit Cause = iota // later data was SACKed, or three duplicate ACKs (RFC 5681, 6675, 8985)
	Timeout                     // no progress for a retransmission timeout (RFC 6298)
	TailLossProbe               // the last segment, sent before the first timeout (RFC 8985, Section 7)
	UnknownCause                // the capture shows no reason
	nCauses
)

// Loss holds what the sender's retransmissions and the receiver's reports show of lost
// segments and of spurious retransmissions.
type Loss struct {
	ByCause      [nCauses]int64 // retransmitted segments and hole fills by cause
	Spurious     int64          // retransmitted segments that were spurious: shown by DSACK, Eifel, or an ACK too early to be for the retransmission
	Missed       int64          // segments that filled a hole and were spurious for the same reasons: the capture missed the original
	DSACKed      int64          // segments of retransmissions that DSACK reports as duplicates
	NetDuplicate int64          // segments that DSACK reports as duplicates but that were not retransmitted

	rexmits       []rexmit // bounded by maxRexmits
	ackedRexmits  int32    // number of retransmissions at the start of the list that are acknowledged
	dupAcks       int32
	recovery      seq.SSN // SND.NXT when the recovery began
	inTimeout     bool    // the recovery began with a timeout
	maybeSpurious bool    // the timeout may have been spurious: only the first segment was retransmitted since
	unproven      int32   // retransmitted segments that may not have been lost: see UnprovenSegments
	lastProgress  int64   // when ACKs last made progress, ns
	unreported    seq.SSN // end of what was sent when an ACK had no room for SACK: what of it arrived above the ACK is not known
	highestSACK   seq.SSN // end of the highest SACKed position
	lastDelivered int64   // sending time of the latest segment that is known to have arrived, ns
}

// rexmit is a retransmission that a DSACK may still report.
type rexmit struct {
	seq.Range[seq.SSN]
	at        int64
	tsval     uint32
	hasTS     bool
	spurious  bool
	unproven  bool
	fillsHole bool // it fills a hole: the original was not captured
	segBytes  uint16
	reported  int64 // bytes of it that DSACK reported
}

// maxRexmits bounds the retransmissions that wait for a DSACK. At the bound the oldest are
// dropped: their originals count as lost.
const maxRexmits = 1024

// LostSegments returns how many segments of the direction were lost, as far as its
// sender can know. The sender sends each retransmission because it assumes that a segment was
// lost; each duplicate that a DSACK reports shows that one was not.
func (snd *Sender) LostSegments() int64 {
	return max(0, snd.RexmitSegments-snd.Loss.DSACKed) + snd.LostBeforeCapture()
}

// LostBeforeCapture returns how many segments were lost between the sender and the
// capture point: later packets were captured, and of these segments only a retransmission. A
// segment does not count if its original arrived, because then the capture missed it.
func (snd *Sender) LostBeforeCapture() int64 { return max(0, snd.HoleFills-snd.Loss.Missed) }

// UnprovenSegments returns how many of the lost segments may have arrived. The ACK that first covers a retransmission
// shows that it was needed if the ACKs before stood at it: the receiver waited for it. What else that ACK covers may have
// arrived before, which SACK tells the sender, and DSACK afterwards. Beside timestamps and the DSS of data the options of an
// ACK have no room for either.
func (snd *Sender) UnprovenSegments() int64 { return min(int64(snd.Loss.unproven), snd.LostSegments()) }

// UnresolvedSegments returns how many segments were sent and never acknowledged in any
// way. The parts of one captured segment are counted together. A hole that was never
// filled counts, too, because later positions were sent.
func (snd *Sender) UnresolvedSegments() (n int64) {
	run, unit := int64(0), int64(1)
	first := snd.rtxQueue.list.Front()
	for p := range snd.rtxQueue.list.All() {
		if p == first || p.marks&continued == 0 {
			n += segments(run, unit)
			run, unit = 0, max(1, p.marks.segBytes())
		}
		control := p.Start == 0 && snd.isnFromSYN || snd.finSeen && p.Start == snd.fin
		if p.marks&sacked == 0 && !control {
			run += p.Len()
		}
	}
	n += segments(run, unit)
	for x := range snd.holes.list.All() {
		n += snd.segmentsIn(snd.unackedBytes(x.Range))
	}
	return n
}

// restart forgets all positions.
func (l *Loss) restart() {
	l.rexmits, l.ackedRexmits = l.rexmits[:0], 0
	l.recovery, l.highestSACK, l.inTimeout, l.maybeSpurious, l.dupAcks, l.unreported, l.lastDelivered = 0, 0, false, false, 0, 0, 0
}

func (l *Loss) shift(delta seq.SSN) {
	for i := range l.rexmits {
		l.rexmits[i].Start += delta
		l.rexmits[i].End += delta
	}
	l.recovery += delta
	l.unreported += delta
	l.highestSACK += delta
}

// retransmitted notes a retransmission of r, which is n segments and not yet marked in the queue.
func (l *Loss) retransmitted(snd *Sender, r seq.Range[seq.SSN], n int64, s *packet.Segment) {
	latest, again := s.Time, false // if r is acknowledged already, the time of the original is not known
	if p := snd.rtxQueue.list.At(snd.rtxQueue.find(r.Start)); p != nil && p.Start < r.End {
		latest, again = p.sent, p.marks&rexmitted != 0
	}
	l.ByCause[l.cause(snd, r, s.Time, latest, again)] += n
	l.keepRexmit(snd, r, s, false)
}

// filled notes a retransmission of r, which is n segments and fills hole x. The original was sent
// before the packet that opened the hole.
func (l *Loss) filled(snd *Sender, r seq.Range[seq.SSN], x *hole, n int64, s *packet.Segment) {
	l.ByCause[l.cause(snd, r, s.Time, x.after.Time, false)] += n
	l.keepRexmit(snd, r, s, true)
}

// keepRexmit keeps a retransmission that a DSACK may report.
func (l *Loss) keepRexmit(snd *Sender, r seq.Range[seq.SSN], s *packet.Segment, fill bool) {
	if len(l.rexmits) >= maxRexmits {
		l.rexmits = slices.Delete(l.rexmits, 0, maxRexmits/4)
		l.ackedRexmits = max(0, l.ackedRexmits-maxRexmits/4)
	}
	x := rexmit{
		Range: r, at: s.Time, tsval: s.TSVal, hasTS: s.Have&packet.HasTimestamps != 0, fillsHole: fill, segBytes: uint16(snd.SegmentBytes()),
	}
	if r.End <= snd.sndUna { // an acknowledgment of the original crossed it
		l.markUnproven(&x)
	}
	l.rexmits = append(l.rexmits, x)
}

const (
	maxOptions = 40 // bytes (RFC 9293, Section 3.1)
	leastSACK  = 10 // bytes of a SACK option with one block (RFC 2018, Section 3)
)

// noSACK takes an ACK. Where it has no SACK, and its options leave no room for a block, they do not tell what arrived above it.
func (snd *Sender) noSACK(s *packet.Segment) {
	if s.OptLen > maxOptions-leastSACK && s.NSACK == 0 {
		snd.Loss.unreported = snd.sndNxt
	}
}

// markUnproven counts a retransmission that may not replace a lost segment.
func (l *Loss) markUnproven(x *rexmit) {
	if !x.fillsHole && !x.unproven && x.reported == 0 {
		x.unproven = true
		l.unproven += int32(segments(x.Len(), int64(x.segBytes)))
	}
}

// cause returns why r is retransmitted at time now. latest is when it was last sent,
// ns; again says that it was a retransmission already then.
func (l *Loss) cause(snd *Sender, r seq.Range[seq.SSN], now, latest int64, again bool) Cause {
	rto := snd.RTT.RTO()
	silence := float64(now - max(l.lastProgress, latest))
	// The sender assumes that a missing segment is lost if one that was sent later has
	// arrived (RFC 8985, Section 6.2).
	shown := l.highestSACK > r.Start || l.dupAcks >= 3 || latest < l.lastDelivered && snd.usesSACK()
	switch {
	case again && r.Start == snd.sndUna && silence >= 0.8*rto:
		// The first retransmission of the segment at SND.UNA was lost as well: SACKs of data
		// above it do not restart the timer.
	case r.Start < l.recovery && l.inTimeout:
		l.maybeSpurious = false
		return Timeout
	case r.Start < l.recovery && (shown || r.End <= snd.sndUna || r.Start == snd.sndUna && silence <= snd.RTT.SRTT):
		// The host may have queued a retransmission for so long that its acknowledgment was
		// captured before it. A partial acknowledgment shows the next loss without SACK
		// (RFC 6582, Section 3.2).
		l.maybeSpurious = false
		return FastRetransmit
	case shown:
		l.recovery, l.inTimeout, l.maybeSpurious = snd.sndNxt, false, false
		return FastRetransmit
	case snd.usesSACK() && r.End == snd.dataEnd() && (silence < rto || !again && r.Len() <= snd.SegmentBytes()):
		// The probe replaces a timeout that would come earlier (RFC 8985, Section 7.2):
		// as a rule when a single segment is outstanding.
		return TailLossProbe
	case silence < 0.8*(snd.RTT.SRTT+MinRTO):
		return UnknownCause // earlier than the shortest timeout
	}
	l.maybeSpurious = l.maybeSpurious || snd.sndUna >= l.recovery
	l.recovery, l.inTimeout = snd.sndNxt, true
	return Timeout
}

// usesSACK reports whether the sender uses SACK; without it there are no tail loss
// probes. Where no SYN shows that, it is assumed to.
func (snd *Sender) usesSACK() bool { return !snd.peerNoSACK && !snd.RefusesSACK() }

// acked takes a cumulative acknowledgment up to ack, before the queue does.
func (l *Loss) acked(snd *Sender, ack seq.SSN, s *packet.Segment) {
	l.lastProgress, l.dupAcks = s.Time, 0
	first, eifel := true, false
	for i := int(l.ackedRexmits); i < len(l.rexmits); i++ {
		x := &l.rexmits[i]
		if x.End > ack || x.Start < snd.sndUna {
			continue
		}
		if proof := l.judge(snd, x, s); first && x.Start == snd.sndUna {
			first, eifel = false, proof
		}
		if x.Start < l.unreported && (x.Start != snd.sndUna || x.spurious) {
			l.markUnproven(x)
		}
	}
	switch {
	case !l.maybeSpurious:
	case eifel || snd.isOriginal(ack):
		l.undoTimeout(snd)
	case ack < l.recovery:
		return // ackedRexmits stays below, so that no ACK takes the fast path until the retransmission is decided
	default:
		l.maybeSpurious = false
	}
	for int(l.ackedRexmits) < len(l.rexmits) && l.rexmits[l.ackedRexmits].End <= ack {
		l.ackedRexmits++
	}
}

// undoTimeout ends the recovery that a timeout began, as the sender does when it learns
// that the timeout was spurious (RFC 4015, RFC 5682): later retransmissions have other
// causes.
func (l *Loss) undoTimeout(snd *Sender) {
	l.recovery, l.inTimeout, l.maybeSpurious = snd.sndUna, false, false
}

// isOriginal reports whether an acknowledgment up to ack covers, for the first time,
// data that was sent before the latest timeout and not retransmitted: then the timeout
// was spurious (RFC 5682, Section 3). Without SACK this proves nothing for data above a
// retransmission, because the data may have waited for the retransmission.
func (snd *Sender) isOriginal(ack seq.SSN) (found bool) {
	end := min(ack, snd.Loss.recovery)
	for p := range snd.rtxQueue.list.All() {
		switch m := p.marks; {
		case p.End > end:
			return found
		case m&rexmitted != 0 && !snd.usesSACK():
			return false
		case m&(rexmitted|sacked) == 0:
			found = true
		}
	}
	return found
}

// judge decides by the ACK that first covers a retransmission whether the retransmission was spurious. An
// ACK echoes the timestamp of the segment that advanced RCV.NXT (RFC 7323, Section
// 4.3). So for the retransmission at SND.UNA an older timestamp proves that the original arrived
// (Eifel, RFC 3522); for retransmissions above it the timestamp proves nothing. eifel is that
// proof.
func (l *Loss) judge(snd *Sender, x *rexmit, s *packet.Segment) (eifel bool) {
	eifel = x.Start == snd.sndUna && x.hasTS && s.Have&packet.HasTimestamps != 0 && int32(s.TSEcr-x.tsval) < 0
	early := snd.RTT.Samples > 0 && 2*(s.Time-x.at) < snd.RTT.Min
	if eifel || early {
		l.markSpurious(x, x.Len())
	}
	return eifel
}

// answered takes an ACK that repeats the one before although nothing is outstanding: it answers a segment that the
// receiver had already (RFC 9293, Section 3.10.7.4), and where timestamps and MPTCP options leave no room for SACK, nothing
// else reports that. It counts as a report of the latest retransmission without one, if that is not older than a
// retransmission timeout, ns.
func (l *Loss) answered(s *packet.Segment, rto int64) {
	for i := len(l.rexmits) - 1; i >= 0 && s.Time-l.rexmits[i].at <= rto; i-- {
		if x := &l.rexmits[i]; x.reported == 0 && !x.fillsHole {
			l.duplicate(x, x.Len())
			return
		}
	}
}

// markSpurious counts n bytes of a retransmission as spurious, unless the retransmission is counted
// already.
func (l *Loss) markSpurious(x *rexmit, n int64) {
	switch {
	case x.spurious:
	case x.fillsHole:
		l.Missed += segments(n, int64(x.segBytes))
	default:
		l.Spurious += segments(n, int64(x.segBytes))
	}
	x.spurious = true
}

// duplicate counts n bytes of a retransmission that the receiver reports as duplicates.
func (l *Loss) duplicate(x *rexmit, n int64) {
	unit := int64(x.segBytes)
	more := segments(x.reported+n, unit) - segments(x.reported, unit)
	if !x.fillsHole {
		l.DSACKed += more
	}
	if x.unproven {
		x.unproven = x.reported+n < x.Len()
		l.unproven -= int32(more)
	}
	l.markSpurious(x, n)
	x.reported += n
}

// isRexmit reports whether r lies within one retransmission that a DSACK may still report.
func (l *Loss) isRexmit(r seq.Range[seq.SSN]) bool {
	return slices.ContainsFunc(l.rexmits, func(x rexmit) bool { return x.Intersect(r) == r })
}

// dsack takes a report that r was received twice. Retransmissions explain the report first; the
// network duplicated the rest. If there are several retransmissions of the same bytes, the
// latest is the spurious one, because the earlier ones had to be repeated. Segments are
// counted as they were for the retransmissions, and bytes reported in several blocks count once.
func (l *Loss) dsack(snd *Sender, r seq.Range[seq.SSN]) {
	if r.Start == 0 && snd.isnFromSYN { // neither SYN nor FIN is data
		r.Start = 1
	}
	if snd.finSeen {
		r.End = min(r.End, snd.fin)
	}
	left := r.Len()
	for i := len(l.rexmits) - 1; i >= 0 && left > 0; i-- {
		x := &l.rexmits[i]
		n := min(x.Intersect(r).Len(), x.Len()-x.reported, left)
		if n <= 0 {
			continue
		}
		l.duplicate(x, n)
		left -= n
	}
	l.NetDuplicate += snd.segmentsIn(left)
}
