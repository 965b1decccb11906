package dss

import (
	"math"

	"mpanalyze/internal/seq"
)

// Space is one direction of a connection's data sequence space.
type Space struct {
	// What usual data and acknowledgments touch stands together.
	Bytes                int64   // distinct octets of data seen, DATA_FIN not counted
	OutstandingBytes     int64   // octets seen and not DATA_ACKed
	OutstandingSegments  int64   // the same in segments, chunk by chunk
	SubflowAckedBytes    int64   // octets acknowledged or SACKed on a subflow and not DATA_ACKed
	SubflowAckedSegments int64   // the same in segments, chunk by chunk
	nxt                  seq.DSN // end of the data seen
	edge                 seq.DSN // end of the data seen, or DATA_ACKed unseen, without a gap
	ack                  seq.DSN // highest DATA_ACK; lowest without acked, once there are positions

	acked   bool
	moved   movement // of edge since InOrder
	ended   bool     // the life of some chunk may be over since Settle
	known   bool     // base is set
	wide    bool     // the upper half of base is known
	finSeen bool
	seen    seq.Set[seq.DSN] // bounded by maxSeen
	heard   heard
	held    seq.Set[seq.DSN] // acknowledged on a subflow, above the DATA_ACK; bounded by maxSeen
	lanes   []*SubflowSpace
	working []*SubflowSpace // those that may have chunks not DATA_ACKed or not in order, in the order of lanes

	SYNBytes      int64 // bytes of application data in the SYN, which have no DSN (RFC 8684, Appendix B.2); not in Bytes
	AckedMissing  int64 // octets DATA_ACKed above all data that was captured by then
	Conflicts     int64 // mappings that contradict an earlier one
	AcksOverHoles int64 // DATA_ACKs that passed octets that were not seen
	Strays        int64 // mappings and DATA_ACKs whose number fits no window

	base     uint64  // absolute number of position 0, the IDSN where it is known
	fin      seq.DSN // position of the DATA_FIN; valid with finSeen
	spare    []*check
	nextID   uint64
	headLane *SubflowSpace        // of the chunk that Awaited told last; checked before use
	gaps     []seq.Range[seq.DSN] // scratch of partly
	same     []seq.Range[seq.DSN] // scratch of again
	passed   []*Chunk             // scratch of accepted
	copier   uint64               // packet that the latest reinjection was in
	copied   int64                // octets of it that were reinjected
	lastCopy int64                // the latest arrivesLast of a lane
	worth    ReinjectionOutcome   // but for the duplicates that lanes keep
	patience int                  // so many chunks of a lane, at least, may wait for Settle when their lives are over
}

// movement says whose data the edge of the data in order may have passed.
type movement uint8

const (
	byOne movement = 1 // only what the lane of the packet carried
	byAll movement = 3 // also what came before, on any lane
)

// maxSeen bounds the runs of data seen: holes in the space. At the bound the
// oldest runs are forgotten, and a copy of their data counts as new.
const maxSeen = 1 << 15

// lowest lies below any position, and is safe to subtract from.
const lowest = math.MinInt64 / 2

// farAway is how far a number may lie from what is known before it is taken
// for a stray: a data-level window is at most 2^30 octets wide.
const farAway = 1 << 31

// begin fixes the origin of the positions.
func (sp *Space) begin(base uint64, wide bool) {
	sp.base, sp.known, sp.wide = base, true, wide
	sp.nxt, sp.edge = 1, 1
	if !sp.acked {
		sp.ack = lowest
	}
}

// SetIDSN tells the initial data sequence number that follows from the
// sender's key (RFC 8684, Section 3.1). It becomes the origin of the positions
// unless other numbers were seen before; then it tells their upper half.
func (sp *Space) SetIDSN(idsn uint64) {
	if sp.known {
		sp.Position(idsn, true)
		return
	}
	sp.begin(idsn, true)
}

// Base returns the absolute number of position 0, whether its upper half is
// known, and whether it is known at all.
func (sp *Space) Base() (base uint64, wide, known bool) { return sp.base, sp.wide, sp.known }

// Absolute returns the data sequence number of p as it stands on the wire in
// 8 octets; ok is false while the upper half is unknown.
func (sp *Space) Absolute(p seq.DSN) (n uint64, ok bool) { return sp.base + uint64(p), sp.wide }

// SndNxt returns the end of the data seen or DATA_ACKed.
func (sp *Space) SndNxt() seq.DSN { return sp.nxt }

// MissingBytes returns how many octets below [Space.SndNxt] were never seen; at the
// end that may be the place of a DATA_FIN that was not seen either. It is 0
// where data below the origin of the positions makes up for them.
func (sp *Space) MissingBytes() int64 { return max(0, int64(sp.nxt)-1-sp.Bytes) }

// AckedMissingBytes returns how many octets below the highest DATA_ACK were never seen,
// with the reserves of [Space.MissingBytes].
func (sp *Space) AckedMissingBytes() int64 {
	if !sp.acked {
		return 0
	}
	return max(0, int64(sp.ack)-1-(sp.Bytes-sp.OutstandingBytes))
}

// SndUna returns the highest DATA_ACK and whether there was one.
func (sp *Space) SndUna() (seq.DSN, bool) { return sp.ack, sp.acked }

// RcvNxt returns the end of the data that was seen, or DATA_ACKed unseen,
// without a gap.
func (sp *Space) RcvNxt() seq.DSN { return sp.edge }

// Position widens a number of the wire to a position (RFC 8684, Section
// 3.3.1: 4-octet numbers stand for the 64-bit one nearest to the window). The
// first number of a space whose origin is not known becomes position 1. ok is
// false where the number fits no window.
func (sp *Space) Position(wire uint64, octets8 bool) (p seq.DSN, ok bool) {
	if !sp.known {
		sp.begin(wire-1, octets8)
		return 1, true
	}
	near := max(sp.nxt, sp.ack)
	if !octets8 {
		return seq.Unwrap(seq.Wire(wire), seq.Wire(sp.base), near), true
	}
	if !sp.wide {
		low := seq.Unwrap(seq.Wire(wire), seq.Wire(sp.base), near)
		sp.base, sp.wide = wire-uint64(low), true
	}
	p = seq.DSN(wire - sp.base)
	if d := p - near; d > farAway || d < -farAway {
		sp.Strays++
		return 0, false
	}
	return p, true
}

// DataFIN notes that the DATA_FIN occupies position p (RFC 8684, Section
// 3.3.3), and reports whether none was seen before; the first one holds.
func (sp *Space) DataFIN(p seq.DSN) (fresh bool) {
	fresh = !sp.finSeen
	if fresh {
		sp.fin, sp.finSeen = p, true
	}
	return fresh
}

// FINAcked reports whether the DATA_FIN was seen and DATA_ACKed.
func (sp *Space) FINAcked() bool { return sp.finSeen && sp.acked && sp.ack > sp.fin }

// Delivered reports whether a DATA_FIN was sent and everything below it is
// DATA_ACKed.
func (sp *Space) Delivered() bool { return sp.finSeen && sp.acked && sp.ack >= sp.fin }
