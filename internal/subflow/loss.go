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
	Fast      Cause = iota // later data was SACKed, or three duplicate ACKs (RFC 5681, 6675, 8985)
	Timeout                // nothing was heard for a retransmission timeout (RFC 6298)
	TailProbe              // the last segment, before the timeout (RFC 8985, Section 7)
	nCauses
)

// Loss keeps what a sender's retransmissions and the receiver's reports say
// of lost and of needless copies.
type Loss struct {
	ByCause      [nCauses]int64 // retransmitted segments by cause
	Spurious     int64          // segments whose copy was needless: DSACK, Eifel, or an ACK too early for it
	DSACKed      int64          // copies that DSACK reports as duplicates, segments
	NetDuplicate int64          // segments that DSACK reports though they were never sent again

	copies      []rexmit // bounded by maxCopies
	waiting     int      // copies that are not covered yet
	recovery    seq.SSN  // end of what was in flight when recovery began
	inTimeout   bool     // that recovery began with a timeout
	lastNews    int64    // when the ACKs last made progress, ns
	dupAcks     int
	highestSACK seq.SSN // end of the highest SACKed position
}

// rexmit is one retransmitted copy whose fate is not settled.
type rexmit struct {
	seq.Range[seq.SSN]
	at       int64
	tsval    uint32
	hasTS    bool
	spurious bool
	covered  bool  // acknowledged cumulatively
	reported int64 // octets of it that DSACK reported
}

// maxCopies bounds the retransmitted copies that wait for a DSACK. At the
// bound the oldest are forgotten and count as lost originals.
const maxCopies = 1024

// Drops returns how many segments of the direction were lost, as its sender
// can tell: every copy was sent because one was taken for lost, and every
// duplicate that DSACK reports shows that one was not.
func (h *Half) Drops() int64 { return max(0, h.RexmitSegments-h.Loss.DSACKed) }

// UnresolvedSegments returns the segments that were sent and never acknowledged
// in any way. Pieces of one captured segment are counted together.
func (h *Half) UnresolvedSegments() (n int64) {
	run, unit := int64(0), int64(1)
	for i := range h.inflight.len() {
		p := h.inflight.at(i)
		if p.state&continued == 0 {
			n += units(run, unit)
			run, unit = 0, max(1, int64(p.unit))
		}
		control := p.Start == 0 && h.syn || h.finSeen && p.Start == h.fin
		if p.state&sacked == 0 && !control {
			run += p.Len()
		}
	}
	return n + units(run, unit)
}

func (l *Loss) shift(delta seq.SSN) {
	for i := range l.copies {
		l.copies[i].Start += delta
		l.copies[i].End += delta
	}
	l.recovery += delta
	l.highestSACK += delta
}

// retransmitted notes a copy of r; i is the index of the first piece in
// flight that ends above r.Start.
func (l *Loss) retransmitted(h *Half, r seq.Range[seq.SSN], i int, s *packet.Segment) {
	if s.PayloadLen == 0 { // SYN and FIN are no data segments
		return
	}
	l.ByCause[l.cause(h, r, i, s.Time)] += h.Units(r.Len())
	if len(l.copies) >= maxCopies {
		for i := range maxCopies / 4 {
			if !l.copies[i].covered {
				l.waiting--
			}
		}
		l.copies = slices.Delete(l.copies, 0, maxCopies/4)
	}
	l.waiting++
	l.copies = append(l.copies, rexmit{Range: r, at: s.Time, tsval: s.TSVal, hasTS: s.Have&packet.HasTimestamps != 0})
}

// cause tells why r is sent again at time now.
func (l *Loss) cause(h *Half, r seq.Range[seq.SSN], i int, now int64) Cause {
	if r.Start < l.recovery {
		if l.inTimeout {
			return Timeout
		}
		return Fast
	}
	if l.highestSACK > r.Start || l.dupAcks >= 3 {
		l.recovery, l.inTimeout = h.nxt, false
		return Fast
	}
	last := l.lastNews
	if i < h.inflight.len() {
		last = max(last, h.inflight.at(i).last)
	}
	if r.End == h.nxt && float64(now-last) < h.RTT.RTO() {
		return TailProbe
	}
	if float64(now-last) < 0.8*h.RTT.RTO() {
		return Fast
	}
	l.recovery, l.inTimeout = h.nxt, true
	return Timeout
}

// acked takes note of a cumulative acknowledgment up to ack, before the
// pieces leave.
func (l *Loss) acked(h *Half, ack seq.SSN, s *packet.Segment) {
	l.lastNews, l.dupAcks = s.Time, 0
	if ack >= l.recovery {
		l.inTimeout = false
	}
	if l.waiting == 0 {
		return
	}
	for i := range l.copies {
		c := &l.copies[i]
		if c.covered || c.End > ack {
			continue
		}
		c.covered = true
		l.waiting--
		if c.spurious || c.Start < h.una {
			continue
		}
		eifel := c.hasTS && s.Have&packet.HasTimestamps != 0 && int32(s.TSEcr-c.tsval) < 0
		early := h.RTT.Samples > 0 && 2*(s.Time-c.at) < h.RTT.Min
		if eifel || early {
			c.spurious = true
			l.Spurious += h.Units(c.Len())
		}
	}
}

// Duplicate takes note of a duplicate ACK.
func (l *Loss) Duplicate() { l.dupAcks++ }

// selectively takes note of a piece that was SACKed for the first time.
func (l *Loss) selectively(p *flight) { l.highestSACK = max(l.highestSACK, p.End) }

// dsack books a report that r was received twice, and returns its segments.
// Octets that were sent again explain the report first; what no copy explains
// was duplicated by the network.
func (l *Loss) dsack(h *Half, r seq.Range[seq.SSN]) (units int64) {
	units = h.Units(r.Len())
	var explained int64
	for i := range l.copies {
		c := &l.copies[i]
		n := c.Intersect(r).Len()
		if n <= 0 || c.reported >= c.Len() || explained >= r.Len() {
			continue
		}
		c.reported += n
		explained += n
		if !c.spurious {
			c.spurious = true
			l.Spurious += h.Units(n)
		}
	}
	known := min(units, h.Units(explained))
	l.DSACKed += known
	l.NetDuplicate += units - known
	return units
}
