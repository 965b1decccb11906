package dss

import (
	"math"

	"mpanalyze/internal/seq"
)

// Space is one direction of a connection's data sequence space.
type Space struct {
	// Fields that the fast path uses are neighbours.
	Bytes                int64   // distinct bytes of data seen, DATA_FIN not counted
	OutstandingBytes     int64   // bytes seen and not DATA_ACKed
	OutstandingSegments  int64   // the same in segments, counted chunk by chunk
	SubflowAckedBytes    int64   // bytes acknowledged or SACKed on a subflow and not DATA_ACKed
	SubflowAckedSegments int64   // the same in segments, counted chunk by chunk
	sndNxt               seq.DSN // end of the data seen, or of what was DATA_ACKed
	rcvNxt               seq.DSN // end of the data without a gap; data that was DATA_ACKed but not captured is not a gap
	sndUna               seq.DSN // highest DATA_ACK; the constant lowest before there is any

	hasDataAck   bool
	rcvNxtMoved  bool // rcvNxt may have moved over chunks since InOrder
	settleDue    bool // some chunk may be settled
	hasOrigin    bool // base is set
	wide         bool // the upper half of base is known
	finSeen      bool
	seen         seq.Set[seq.DSN] // bounded by maxRanges
	latestAck    wireAck          // the DATA_ACK of TakeDataAck
	subflowAcked seq.Set[seq.DSN] // acknowledged on a subflow, above the DATA_ACK; bounded by maxRanges
	subflows     []*SubflowSpace
	active       []*SubflowSpace // those that may have chunks not DATA_ACKed or not in order, by ID

	SYNBytes      int64 // bytes of application data in the SYN, which have no DSN (RFC 8684, Appendix B.2); not in Bytes
	AcksOverHoles int64 // DATA_ACKs above data that was not seen

	base             uint64  // absolute number of position 0, the IDSN where it is known
	fin              seq.DSN // position of the DATA_FIN; valid with finSeen
	spareChecks      []*check
	nextCheckID      uint64
	headSubflow      *SubflowSpace                // of the chunk that HeadOfLine returned last; may be out of date
	gaps             []seq.Range[seq.DSN]         // scratch memory of addMixed
	same             []seq.Range[seq.DSN]         // scratch memory of onlyOn
	passed           []*Chunk                     // scratch memory of advanceRcvNxt
	reinjectedPacket uint64                       // the packet with the latest reinjection
	reinjectedBytes  int64                        // its bytes that were reinjected
	lastArrival      int64                        // the latest lastArrival of a subflow
	outcome          ReinjectionOutcome           // without the duplicates that subflows keep
	settleLater      int                          // how many settled chunks of a subflow may wait
	onSettled        func(*SubflowSpace, []Chunk) // nil where nobody wants settled chunks
}

// maxRanges bounds the ranges of data seen, and so the holes. At the bound the oldest
// ranges are dropped, and their data counts as new if it is sent again.
const maxRanges = 1 << 15

// lowest lies below any position. A subtraction from it does not overflow.
const lowest = math.MinInt64 / 2

// maxDistance is how far a number may lie from the window. Numbers further away are
// ignored, because a data-level window is at most 2^30 bytes.
const maxDistance = 1 << 31

// setOrigin fixes the origin of the positions.
func (sp *Space) setOrigin(base uint64, wide bool) {
	sp.base, sp.hasOrigin, sp.wide = base, true, wide
	sp.sndNxt, sp.rcvNxt = 1, 1
	if !sp.hasDataAck {
		sp.sndUna = lowest
	}
}

// SetIDSN sets the initial data sequence number, which follows from the sender's key
// (RFC 8684, Section 3.1). It becomes the origin of the positions, unless data or a DATA_ACK
// was seen before. Then it only tells their upper half.
func (sp *Space) SetIDSN(idsn uint64) {
	if sp.hasOrigin && (!sp.wide || sp.sndNxt > 1 || sp.hasDataAck) {
		sp.Position(idsn, true)
		return
	}
	sp.setOrigin(idsn, true)
}

// Base returns the absolute number of position 0, whether its upper half is known, and
// whether it is known at all.
func (sp *Space) Base() (base uint64, wide, known bool) { return sp.base, sp.wide, sp.hasOrigin }

// Absolute returns the 64-bit data sequence number of p; ok is false while its upper
// half is unknown.
func (sp *Space) Absolute(p seq.DSN) (n uint64, ok bool) { return sp.base + uint64(p), sp.wide }

// SndNxt returns the end of the data seen or DATA_ACKed: SND.NXT of RFC 9293 at the
// data level.
func (sp *Space) SndNxt() seq.DSN { return sp.sndNxt }

// MissingBytes returns how many bytes below [Space.SndNxt] were not captured. The place
// of a DATA_FIN that was not captured may count as one. Data below the origin of the
// positions can make the number too small.
func (sp *Space) MissingBytes() int64 { return max(0, int64(sp.sndNxt)-1-sp.Bytes) }

// AckedMissingBytes returns how many bytes below the highest DATA_ACK were not
// captured, with the limits of [Space.MissingBytes].
func (sp *Space) AckedMissingBytes() int64 {
	if !sp.hasDataAck {
		return 0
	}
	return max(0, int64(sp.sndUna)-1-(sp.Bytes-sp.OutstandingBytes))
}

// SndUna returns the highest DATA_ACK and whether there was one: SND.UNA of RFC 9293 at
// the data level.
func (sp *Space) SndUna() (seq.DSN, bool) { return sp.sndUna, sp.hasDataAck }

// RcvNxt returns the end of the data without a gap: RCV.NXT of RFC 9293 at the data
// level. Data that was DATA_ACKed but not captured is no gap.
func (sp *Space) RcvNxt() seq.DSN { return sp.rcvNxt }

// Position returns the position of a number as on the wire, of 8 bytes if bytes8 is
// set, else of 4, which stand for the nearest 64-bit number (RFC 8684, Section 3.3.1).
// The first number of a space whose origin is not known becomes position 1. ok is false
// where the number is too far from the window.
func (sp *Space) Position(wire uint64, bytes8 bool) (p seq.DSN, ok bool) {
	if !sp.hasOrigin {
		sp.setOrigin(wire-1, bytes8)
		return 1, true
	}
	near := max(sp.sndNxt, sp.sndUna)
	if !bytes8 {
		return seq.Unwrap(seq.Wire(wire), seq.Wire(sp.base), near), true
	}
	if !sp.wide {
		low := seq.Unwrap(seq.Wire(wire), seq.Wire(sp.base), near)
		sp.base, sp.wide = wire-uint64(low), true
	}
	if p = seq.DSN(wire - sp.base); !sp.inWindow(p) {
		return 0, false
	}
	return p, true
}

// inWindow reports whether p is not too far from the window.
func (sp *Space) inWindow(p seq.DSN) bool {
	return uint64(p-max(sp.sndNxt, sp.sndUna)+maxDistance) <= 2*maxDistance
}

// DataFIN notes that the DATA_FIN occupies position p (RFC 8684, Section 3.3.3). It
// reports whether this is the first one; a later one does not move it.
func (sp *Space) DataFIN(p seq.DSN) (fresh bool) {
	fresh = !sp.finSeen
	if fresh {
		sp.fin, sp.finSeen = p, true
	}
	return fresh
}

// FINAcked reports whether the DATA_FIN was captured and DATA_ACKed.
func (sp *Space) FINAcked() bool { return sp.finSeen && sp.hasDataAck && sp.sndUna > sp.fin }

// Delivered reports whether a DATA_FIN was captured and all data below it is
// DATA_ACKed.
func (sp *Space) Delivered() bool { return sp.finSeen && sp.hasDataAck && sp.sndUna >= sp.fin }
