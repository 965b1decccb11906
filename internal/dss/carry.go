package dss

import "mpanalyze/internal/seq"

// Payload is a run of one packet's payload: either all of it is new to its subflow or
// all of it is a retransmission there.
type Payload struct {
	seq.Range[seq.SSN]
	New          bool
	SegmentBytes int64 // size of a full segment, by which segments are counted
	Packet       uint64
	Time         int64  // ns
	Bytes        []byte // captured part; nil where payload is not kept
}

// PieceKind says what a piece of payload is at the data level.
type PieceKind uint8

// The kinds of a piece.
const (
	First          PieceKind = iota // data that was never sent before
	Retransmission                  // sent again on the same subflow at the same subflow position
	Reinjection                     // sent before on another subflow, or on several
	ReinjectedSame                  // sent before on this subflow only, at another position of it
)

// Piece is a run of one packet's payload under one mapping and of one kind.
type Piece struct {
	Data    seq.Range[seq.DSN]
	SSN     seq.SSN // subflow position of Data.Start
	Kind    PieceKind
	Bad     bool   // its mapping has a wrong checksum
	Packet  uint64 // number of the packet that carried it
	Time    int64  // ns
	CheckID uint64 // identifies the checksum in [Result.Checks] that will tell whether the data is sound; 0 = none pending
	Payload []byte // captured part; nil where payload is not kept
}

// part returns the part of p with data r.
func (p *Piece) part(r seq.Range[seq.DSN]) Piece {
	off := int64(r.Start - p.Data.Start)
	q := *p
	q.SSN += seq.SSN(off)
	q.Data = r
	if p.Payload != nil {
		q.Payload = CapturedPart(p.Payload, off, r.Len())
	}
	return q
}

// CapturedPart returns the n bytes of payload b from off on, or as many of them as were
// captured. It never returns nil, because nil means that payload is not kept.
func CapturedPart(b []byte, off, n int64) []byte {
	if off >= int64(len(b)) {
		return b[:0]
	}
	return b[off:min(off+n, int64(len(b)))]
}

// AddPayload enters payload p of sub in the data sequence space and adds its pieces to
// f. p must not be empty. It reports whether mappings cover all of p; the rest waits
// for a mapping.
func (sp *Space) AddPayload(sub *SubflowSpace, p *Payload, f *Result) (covered bool) {
	if m := sub.maps.newest(); p.Start >= m.SSN.Start && p.End <= m.SSN.End {
		covered = true
		sp.addMapped(sub, m, p.Range, p, f)
	} else {
		covered = sp.addAcrossMappings(sub, p, f)
	}
	if p.New && p.End > sub.expected.ssn {
		sub.setExpected(p.End)
	}
	return covered
}

// addAcrossMappings is AddPayload where the newest mapping does not cover all of p.
func (sp *Space) addAcrossMappings(sub *SubflowSpace, p *Payload, f *Result) (covered bool) {
	covered = true
	at := p.Start
	for place := sub.maps.find(at); at < p.End; place = sub.maps.list.Next(place) {
		m := sub.maps.at(place)
		if hole := (seq.Range[seq.SSN]{Start: at, End: min(m.SSN.Start, p.End)}); !hole.Empty() {
			covered = false
			sub.keepUnmapped(p, hole)
		}
		if run := m.SSN.Intersect(p.Range); !run.Empty() {
			sp.addMapped(sub, m, run, p, f)
		}
		at = m.SSN.End
	}
	return covered
}

// addMapped enters the part of p that lies under mapping m.
func (sp *Space) addMapped(sub *SubflowSpace, m *Mapping, run seq.Range[seq.SSN], p *Payload, f *Result) {
	piece := f.newPiece()
	piece.fill(m.data(run), run.Start, m.bad(), p.Packet, p.Time)
	if p.Bytes != nil {
		piece.Payload = CapturedPart(p.Bytes, int64(run.Start-p.Start), run.Len())
	}
	if m.check != nil && !piece.Bad {
		piece.CheckID = m.check.id
		sp.feed(m, run, piece.Payload, f)
		piece.Bad = m.bad()
	}
	if !p.New {
		piece.Kind = Retransmission
		sub.RepeatedBytes += run.Len()
		sub.noteRetransmitted(piece.Data, run)
		return
	}
	if piece.Data.Start >= sp.sndNxt || sp.seen.Disjoint(piece.Data) { // all of it is new data
		sp.addNew(sub, piece, p.SegmentBytes)
		return
	}
	whole := *piece
	f.Pieces = f.Pieces[:len(f.Pieces)-1]
	sp.addMixed(sub, &whole, p.SegmentBytes, f)
}

// fill sets all fields of x. Payload and CheckID become empty. It assigns field by
// field because the compiler would build a literal on the stack and copy it.
func (x *Piece) fill(data seq.Range[seq.DSN], at seq.SSN, bad bool, packet uint64, now int64) {
	x.Data, x.SSN, x.Kind, x.Bad = data, at, First, bad
	x.Packet, x.Time, x.CheckID = packet, now, 0
	if x.Payload != nil {
		x.Payload = nil
	}
}

// addFirstUnacked is addFirst for data that may have been DATA_ACKed before it was
// captured. That part is counted but gets no chunk.
func (sp *Space) addFirstUnacked(sub *SubflowSpace, r seq.Range[seq.DSN], at seq.SSN, unit int64, packet uint64, now int64) {
	if gone := min(sp.sndUna, r.End) - r.Start; gone > 0 {
		sp.sndNxt = max(sp.sndNxt, r.Start+gone)
		sp.Bytes += int64(gone)
		sub.FirstBytes += int64(gone)
		at += seq.SSN(gone)
		r.Start += gone
	}
	if !r.Empty() {
		sp.addFirst(sub, r, at, unit, packet, now)
	}
}

// addFirst counts data r, which was never sent before and has been added to seen, and
// makes its chunk. unit is the size of a full segment.
func (sp *Space) addFirst(sub *SubflowSpace, r seq.Range[seq.DSN], at seq.SSN, unit int64, packet uint64, now int64) {
	n := r.Len()
	units := segments(n, unit)
	sp.sndNxt = max(sp.sndNxt, r.End)
	sp.Bytes += n
	sub.FirstBytes += n
	sp.OutstandingBytes += n
	sp.OutstandingSegments += units
	c := sub.newChunk(r.Start)
	c.Data, c.SSN = r, at
	c.start(sub, units, packet, now)
	sp.activate(sub)
	if sub.excessChunks() > 0 {
		sp.settleDue = true
	}
	if r.End > sub.expected.data {
		sub.expected = expected{}
	}
}

// segments returns how many segments of unit bytes n bytes take, at least one.
func segments(n, unit int64) int64 {
	if n <= unit {
		return 1
	}
	return (n + unit - 1) / unit
}
