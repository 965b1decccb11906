package dss

import "mpanalyze/internal/seq"

// Payload is a run of one packet's payload, all of it new to its subflow or
// all of it a retransmission there.
type Payload struct {
	seq.Range[seq.SSN]
	New          bool
	SegmentBytes int64 // octets of a segment, for counting
	Packet       uint64
	Time         int64  // ns
	Bytes        []byte // captured part; nil where payload is not kept
}

// PieceKind says what a piece of payload is at the data level.
type PieceKind uint8

// The kinds of a piece.
const (
	First          PieceKind = iota // data that was never sent before
	Retransmission                  // sent again on the same subflow at the same position of it
	Reinjection                     // sent before, on another subflow at least
	ReinjectedSame                  // sent before, and only on this very subflow
)

// Piece is a run of one packet's payload under one mapping and of one kind.
type Piece struct {
	Data    seq.Range[seq.DSN]
	SSN     seq.SSN // subflow position of Data.Start
	Kind    PieceKind
	Bad     bool   // under a mapping whose checksum failed
	Packet  uint64 // number of the packet that carried it
	Time    int64  // ns
	CheckID uint64 // the checksum that will tell whether the data is sound; 0 = none pending
	Payload []byte // captured part; nil where payload is not kept
}

// part returns the part of p that carries r.
func (p *Piece) part(r seq.Range[seq.DSN]) Piece {
	off := int64(r.Start - p.Data.Start)
	q := *p
	q.SSN += seq.SSN(off)
	q.Data = r
	if p.Payload != nil {
		q.Payload = cut(p.Payload, off, r.Len())
	}
	return q
}

// cut returns the n octets of b from off on, or what the capture holds of them.
func cut(b []byte, off, n int64) []byte {
	if off >= int64(len(b)) {
		return b[:0]
	}
	return b[off:min(off+n, int64(len(b)))]
}

// AddPayload places payload p of lane l, one octet at least, in the data sequence
// space, adds to f what it is, and reports whether mappings cover all of it. The
// rest waits for one.
func (sp *Space) AddPayload(l *SubflowSpace, p *Payload, f *Result) (covered bool) {
	if m := l.maps.newest(); p.Start >= m.SSN.Start && p.End <= m.SSN.End {
		covered = true
		sp.run(l, m, p.Range, p, f)
	} else {
		covered = sp.carryAcross(l, p, f)
	}
	if p.New && p.End > l.onward.ssn {
		l.goOn(p.End)
	}
	return covered
}

// carryAcross is Carry for payload that the newest mapping does not cover whole.
func (sp *Space) carryAcross(l *SubflowSpace, p *Payload, f *Result) (covered bool) {
	covered = true
	at := p.Start
	for place := l.maps.find(at); at < p.End; place = l.maps.list.Next(place) {
		m := l.maps.at(place)
		if hole := (seq.Range[seq.SSN]{Start: at, End: min(m.SSN.Start, p.End)}); !hole.Empty() {
			covered = false
			l.wait(p, hole)
		}
		if run := m.SSN.Intersect(p.Range); !run.Empty() {
			sp.run(l, m, run, p, f)
		}
		at = m.SSN.End
	}
	return covered
}

// run books the part of p that lies under mapping m.
func (sp *Space) run(l *SubflowSpace, m *Mapping, run seq.Range[seq.SSN], p *Payload, f *Result) {
	piece := f.newPiece()
	piece.fill(m.data(run), run.Start, m.Bad, p.Packet, p.Time)
	if p.Bytes != nil {
		piece.Payload = cut(p.Bytes, int64(run.Start-p.Start), run.Len())
	}
	if m.check != nil {
		piece.CheckID = m.check.id
		sp.feed(m, run, piece.Payload, f)
		piece.Bad = m.Bad
	}
	if !p.New {
		piece.Kind = Retransmission
		l.RepeatedBytes += run.Len()
		l.repeats(piece.Data, run)
		return
	}
	if piece.Data.Start >= sp.nxt || sp.seen.Disjoint(piece.Data) { // nothing of it was ever sent
		sp.enter(l, piece, p.SegmentBytes)
		return
	}
	whole := *piece
	f.Pieces = f.Pieces[:len(f.Pieces)-1]
	sp.partly(l, &whole, p.SegmentBytes, f)
}

// fill makes x a piece of a packet, of data at a subflow's position, but for
// payload and checksum. It fills field by field: a literal would be made
// elsewhere and copied.
func (x *Piece) fill(data seq.Range[seq.DSN], at seq.SSN, bad bool, packet uint64, now int64) {
	x.Data, x.SSN, x.Kind, x.Bad = data, at, First, bad
	x.Packet, x.Time, x.CheckID = packet, now, 0
	if x.Payload != nil {
		x.Payload = nil
	}
}

// late is first for data that may have been DATA_ACKed, in part or whole, before
// it was seen: there is nothing to tell of the life of that.
func (sp *Space) late(l *SubflowSpace, r seq.Range[seq.DSN], at seq.SSN, unit int64, packet uint64, now int64) {
	if gone := min(sp.floor(), r.End) - r.Start; gone > 0 {
		sp.nxt = max(sp.nxt, r.Start+gone)
		sp.Bytes += int64(gone)
		l.FirstBytes += int64(gone)
		at += seq.SSN(gone)
		r.Start += gone
	}
	if !r.Empty() {
		sp.first(l, r, at, unit, packet, now)
	}
}

// first counts data r of a packet, at a subflow's position, that was never sent
// before and was entered in seen, and begins its life.
func (sp *Space) first(l *SubflowSpace, r seq.Range[seq.DSN], at seq.SSN, unit int64, packet uint64, now int64) {
	n := r.Len()
	units := units(n, unit)
	sp.nxt = max(sp.nxt, r.End)
	sp.Bytes += n
	l.FirstBytes += n
	sp.OutstandingBytes += n
	sp.OutstandingSegments += units
	c := l.place(r.Start)
	c.Data, c.SSN = r, at
	c.begin(l, units, packet, now)
	sp.work(l)
	if l.crowd() > 0 {
		sp.ended = true
	}
	if r.End > l.onward.data {
		l.onward = onward{}
	}
}

// units returns how many segments n octets are, at least one.
func units(n, unit int64) int64 {
	if n <= unit {
		return 1
	}
	return (n + unit - 1) / unit
}
