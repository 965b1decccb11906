package subflow

import (
	"mpanalyze/internal/packet"
	"mpanalyze/internal/seq"
)

// DefaultMSS is the segment size assumed where no SYN told the peer's: an
// Ethernet frame's worth of IPv4 (RFC 9293, Section 3.7.1 would say 536, which
// no path of today uses).
const DefaultMSS = 1460

// farAway is how far a sequence number may lie from the stream's end before
// the packet is taken for a stray: no window is wider (RFC 7323, Section 2.3).
const farAway = 1 << 30

// Counters are what one direction of a subflow sums up. A segment is an MSS
// unit: a captured segment of n payload octets counts ceil(n / (peer's MSS -
// option octets of that packet)).
type Counters struct {
	Packets           int64 // captured packets of this direction
	Segments          int64
	CapturedSegments  int64 // captured packets with payload
	Bytes             int64 // payload octets, copies included
	RexmitSegments    int64
	RexmitBytes       int64
	OutOfOrder        int64 // segments below the highest SSN seen that are not retransmissions
	HoleFills         int64 // out-of-order segments that came too late for reordering
	PureACKs          int64 // ACKs with neither payload nor SYN, FIN, RST
	DupACKs           int64
	SACKBlocks        int64
	DSACKBlocks       int64
	Resets            int64
	SYNs              int64
	FINs              int64
	ZeroWindows       int64 // times the advertised window became zero
	Strays            int64 // packets whose sequence number fits no window
	KeepAlives        int64 // probes below the left edge without news (RFC 9293, Section 3.8.4)
	AckedUnseen       int64 // octets that were acknowledged but never captured
	FirstData         int64 // time of the first payload, ns; 0 = none
	LastData          int64 // time of the latest payload, ns
	FirstSeen, Latest int64 // time of the first and the latest packet, ns
	MaxIdle           int64 // longest gap between two packets of this direction, ns
}

// Half is one direction of a subflow: what one end sends, and what the other
// end's acknowledgments say of it.
type Half struct {
	Counters
	RTT  Estimator // acknowledgment-based, at the capture point (METRICS: rtt rules 1-4)
	Near Estimator // the newest acknowledged piece's sample: no delayed-ACK inflation
	Loss Loss

	isn  seq.Wire
	open bool    // isn is known, from a SYN or from the first packet
	syn  bool    // isn comes from a SYN: SSNs are the real ones
	nxt  seq.SSN // end of what was sent (SND.NXT)
	una  seq.SSN // everything below was acknowledged (SND.UNA)

	inflight flights
	sacked   seq.Set[seq.SSN] // above una; bounded by maxSACKed
	stamps   stamps
	gaps     seq.Set[seq.SSN] // never-seen positions below nxt; bounded by maxGaps

	mss        uint16 // what the other end accepts; 0 = not told
	wscale     uint8  // what this end's windows are to be shifted by
	hasWScale  bool
	sackOK     bool
	hasTS      bool
	window     uint16 // latest advertised, not scaled
	windowSeen bool
	fin        seq.SSN // position of the FIN; valid with finSeen
	finSeen    bool
	unit       int64 // octets of the segment unit of the latest packet

	lastBlock  packet.SACKBlock // the latest lone SACK block, to tell repetitions
	lastTSEcr  uint32           // greatest TSecr on payload of this direction
	hasTSEcr   bool
	pauseFloor int64 // when the latest payload of this direction passed

	parts  []Part               // scratch of Send
	ranges []seq.Range[seq.SSN] // scratch of Ack
}

// The bounds of the sets of a half: at the bound the oldest ranges are
// forgotten, so that a hostile capture costs accuracy and never memory.
const (
	maxSACKed = 4096
	maxGaps   = 4096
)

// PartKind says what a part of a captured segment is.
type PartKind uint8

// The kinds of a part.
const (
	New        PartKind = iota // octets never seen before on this subflow
	Retransmit                 // octets whose SSNs were already sent on this subflow
)

// Part is a run of a captured segment's payload of one kind.
type Part struct {
	seq.Range[seq.SSN]
	Kind PartKind
}

// Sent is what [Half.Send] found out about one packet.
type Sent struct {
	Range      seq.Range[seq.SSN] // the payload's position; empty without payload
	Parts      []Part             // the payload by kind, ascending; valid until the next packet
	Segments   int64              // MSS units of the payload
	OutOfOrder bool               // the payload lies below the highest SSN seen and is no retransmission
	NewFIN     bool               // the first sight of the stream's FIN
	Stray      bool               // the sequence number fits no window: nothing was counted
}

// ISN returns the initial sequence number and whether a SYN told it.
func (h *Half) ISN() (seq.Wire, bool) { return h.isn, h.syn }

// Open reports whether any position of the direction is known.
func (h *Half) Open() bool { return h.open }

// MSS returns the segment size that the other end's SYN allows, 0 if none was
// captured or it had no MSS option.
func (h *Half) MSS() int { return int(h.mss) }

// WScale returns the shift of this end's windows, and whether its SYN was
// captured and offered one.
func (h *Half) WScale() (shift uint8, ok bool) { return h.wscale, h.hasWScale }

// SACKPermitted reports whether this end's SYN offered SACK.
func (h *Half) SACKPermitted() bool { return h.sackOK }

// Timestamps reports whether this end's SYN, or in its absence its packets,
// carried TCP timestamps.
func (h *Half) Timestamps() bool { return h.hasTS }

// Una returns the position below which everything was acknowledged.
func (h *Half) Una() seq.SSN { return h.una }

// Next returns the end of what was sent.
func (h *Half) Next() seq.SSN { return h.nxt }

// InFlight returns the octets sent and not acknowledged cumulatively.
func (h *Half) InFlight() int64 { return int64(h.nxt - h.una) }

// FIN returns the position of the FIN and whether one was sent.
func (h *Half) FIN() (seq.SSN, bool) { return h.fin, h.finSeen }

// FINAcked reports whether the FIN was sent and acknowledged.
func (h *Half) FINAcked() bool { return h.finSeen && h.una > h.fin }

// Unit returns the octets of payload that the latest packet of this
// direction would count as one segment.
func (h *Half) Unit() int64 { return max(1, h.unit) }

// Units returns how many segments n octets are.
func (h *Half) Units(n int64) int64 { return units(n, h.Unit()) }

func units(n, unit int64) int64 {
	if n <= unit { // nearly every packet, and a division costs more than the rest
		return min(1, max(0, n))
	}
	return (n + unit - 1) / unit
}

// SSN returns the position of a sequence number of this direction.
func (h *Half) SSN(w seq.Wire) seq.SSN { return seq.Unwrap(w, h.isn, h.nxt) }

// Rebase declares that the stream's true initial sequence number lies delta
// positions above the one assumed from its first packet; positions given out
// before must be shifted by their holders.
func (h *Half) Rebase(isn seq.Wire) (delta seq.SSN) {
	delta = -seq.SSN(isn.Sub(h.isn))
	h.isn = isn
	h.nxt += delta
	h.una += delta
	h.fin += delta
	for i := range h.inflight.len() {
		p := h.inflight.at(i)
		p.Start += delta
		p.End += delta
	}
	h.sacked.Shift(delta)
	h.gaps.Shift(delta)
	h.Loss.shift(delta)
	h.syn = true
	return delta
}

// begin fixes the origin of the positions at the first packet that tells one.
func (h *Half) begin(isn seq.Wire, fromSYN bool) {
	h.isn, h.open, h.syn = isn, true, fromSYN
	if !fromSYN {
		h.nxt, h.una = 1, 1
	}
}

// payload classifies [r.Start, r.End) against what was sent before.
func (h *Half) payload(r seq.Range[seq.SSN], s *packet.Segment, out *Sent) {
	h.parts = h.parts[:0]
	if r.Start >= h.nxt { // in order, or beyond a hole
		if r.Start > h.nxt {
			h.gaps.Add(seq.Range[seq.SSN]{Start: h.nxt, End: r.Start})
			h.gaps.DropOldest(maxGaps)
		}
		h.parts = append(h.parts, Part{r, New})
		h.inflight.push(flight{Range: r, first: s.Time, last: s.Time, unit: uint16(h.unit)})
		h.nxt = r.End
		out.Parts = h.parts
		return
	}
	h.below(r, s, out)
	out.Parts = h.parts
}

// below is payload for a segment that starts below what was sent: it fills a
// hole, repeats, or both.
func (h *Half) below(r seq.Range[seq.SSN], s *packet.Segment, out *Sent) {
	at := r.Start
	for _, g := range h.gaps.Ranges() {
		hole := g.Intersect(r)
		if g.Start >= r.End {
			break
		}
		if hole.Empty() {
			continue
		}
		h.repeat(seq.Range[seq.SSN]{Start: at, End: hole.Start}, s)
		h.fresh(hole, s)
		at = hole.End
	}
	h.repeat(seq.Range[seq.SSN]{Start: at, End: min(r.End, h.nxt)}, s)
	filled := len(h.parts) > 0 && h.parts[0].Kind == New && h.parts[0].End <= h.nxt
	h.gaps.Remove(r)
	if r.End > h.nxt {
		tail := seq.Range[seq.SSN]{Start: max(h.nxt, r.Start), End: r.End}
		h.parts = append(h.parts, Part{tail, New})
		h.inflight.push(flight{Range: tail, first: s.Time, last: s.Time, unit: uint16(h.unit)})
		h.nxt = r.End
	}
	out.OutOfOrder = filled && len(h.parts) == 1
}

// fresh enters positions below the end of the stream that were never seen.
func (h *Half) fresh(r seq.Range[seq.SSN], s *packet.Segment) {
	h.parts = append(h.parts, Part{r, New})
	if r.Start >= h.una {
		h.inflight.insert(h.inflight.find(r.Start), flight{Range: r, first: s.Time, last: s.Time, unit: uint16(h.unit)})
	}
}

// repeat notes that positions were sent again.
func (h *Half) repeat(r seq.Range[seq.SSN], s *packet.Segment) {
	if r.Empty() {
		return
	}
	h.parts = append(h.parts, Part{r, Retransmit})
	i := h.inflight.find(r.Start)
	h.Loss.retransmitted(h, r, i, s)
	for ; i < h.inflight.len() && h.inflight.at(i).Start < r.End; i++ {
		if h.inflight.at(i).Start < r.Start {
			h.inflight.split(i, r.Start)
			continue
		}
		if h.inflight.at(i).End > r.End {
			h.inflight.split(i, r.End)
		}
		p := h.inflight.at(i)
		p.state |= rexmitted
		p.last = s.Time
	}
}
