package dss

import "mpanalyze/internal/seq"

// Payload is a run of one packet's payload, all of it new to its subflow or
// all of it a retransmission there.
type Payload struct {
	seq.Range[seq.SSN]
	New    bool
	Unit   int64 // octets of a segment, for counting
	Packet uint64
	Time   int64  // ns
	Bytes  []byte // captured part; nil where payload is not kept
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

// Reset empties the lists that the calls for one packet fill.
func (sp *Space) Reset() { sp.pieces, sp.checks = sp.pieces[:0], sp.checks[:0] }

// Pieces returns what payload was found to be since Reset, in the order of the
// subflow; it is valid until the next Reset.
func (sp *Space) Pieces() []Piece { return sp.pieces }

// Checks returns the checksums settled since Reset, valid like Pieces.
func (sp *Space) Checks() []Check { return sp.checks }

// Carry places payload p of lane l in the data sequence space and reports
// whether mappings cover all of it. The rest waits for one.
func (sp *Space) Carry(l *Lane, p *Payload) (covered bool) {
	covered = true
	at := p.Start
	for i := l.maps.find(at); at < p.End; i++ {
		m := l.maps.at(i)
		if hole := (seq.Range[seq.SSN]{Start: at, End: min(m.SSN.Start, p.End)}); !hole.Empty() {
			covered = false
			l.wait(p, hole)
		}
		if run := m.SSN.Intersect(p.Range); !run.Empty() {
			sp.run(l, m, run, p)
		}
		at = m.SSN.End
	}
	return covered
}

// run books the part of p that lies under mapping m.
func (sp *Space) run(l *Lane, m *Mapping, run seq.Range[seq.SSN], p *Payload) {
	piece := sp.newPiece()
	// Field by field: a literal is made elsewhere and copied, which costs 5 ns.
	piece.Data, piece.SSN, piece.Kind = m.data(run), run.Start, First
	piece.Packet, piece.Time, piece.CheckID = p.Packet, p.Time, 0
	if piece.Payload != nil {
		piece.Payload = nil
	}
	if p.Bytes != nil {
		piece.Payload = cut(p.Bytes, int64(run.Start-p.Start), run.Len())
	}
	if m.check != nil {
		piece.CheckID = m.check.id
		sp.feed(m, run, piece.Payload)
	}
	piece.Bad = m.Bad
	l.MappedBytes += run.Len()
	if !p.New {
		piece.Kind = Retransmission
		return
	}
	l.MappedUnique += run.Len()
	if piece.Data.Start >= sp.nxt || sp.seen.Disjoint(piece.Data) { // nothing of it was ever sent
		sp.first(l, piece, p.Unit)
		return
	}
	whole := *piece
	sp.pieces = sp.pieces[:len(sp.pieces)-1]
	sp.partly(l, &whole, p.Unit)
}

// newPiece returns the place of another piece. Pieces are filled where they
// stand: they are too large to be handed on by value for each packet.
func (sp *Space) newPiece() *Piece {
	if n := len(sp.pieces); n < cap(sp.pieces) {
		sp.pieces = sp.pieces[:n+1]
	} else {
		sp.pieces = append(sp.pieces, Piece{})
	}
	return &sp.pieces[len(sp.pieces)-1]
}

// partly tells first transmissions from reinjections in data that is new to
// its subflow, but of which some was sent before.
func (sp *Space) partly(l *Lane, p *Piece, unit int64) {
	// The gaps are gathered first: seen must not change under Missing.
	sp.gaps = sp.gaps[:0]
	sp.seen.Missing(p.Data, func(gap seq.Range[seq.DSN]) bool {
		sp.gaps = append(sp.gaps, gap)
		return true
	})
	at := p.Data.Start
	for _, gap := range sp.gaps {
		sp.again(l, p, seq.Range[seq.DSN]{Start: at, End: gap.Start}, unit)
		piece := sp.newPiece()
		*piece = p.part(gap)
		sp.first(l, piece, unit)
		at = gap.End
	}
	sp.again(l, p, seq.Range[seq.DSN]{Start: at, End: p.Data.End}, unit)
}

// first books data that was never sent before.
func (sp *Space) first(l *Lane, p *Piece, unit int64) {
	p.Kind = First
	sp.addSeen(p.Data)
	sp.nxt = max(sp.nxt, p.Data.End)
	if p.Data.Start <= sp.edge {
		sp.edge = max(sp.edge, sp.seen.FirstGap(p.Data.Start))
		sp.moved = true
	}
	n := p.Data.Len()
	sp.Bytes += n
	l.FirstBytes += n
	sp.live(l, p, unit)
}

// live begins the life of p's data, but for what was DATA_ACKed before it was
// seen: there is nothing to tell of that.
func (sp *Space) live(l *Lane, p *Piece, unit int64) {
	r := seq.Range[seq.DSN]{Start: max(p.Data.Start, sp.floor()), End: p.Data.End}
	if r.Empty() {
		return
	}
	units := units(r.Len(), unit)
	sp.WaitingUnits += units
	c := l.put(r)
	c.Data, c.SSN, c.Packet = r, p.SSN+seq.SSN(r.Start-p.Data.Start), p.Packet
	c.Seen, c.Acked, c.DataAcked, c.InOrder = p.Time, 0, 0, 0
	c.Sub, c.Units, c.copied = int32(l.Sub), int32(units), false
	sp.crowded = sp.crowded || l.crowd() > 0
}

// units returns how many segments n octets are, at least one.
func units(n, unit int64) int64 {
	if n <= unit {
		return 1
	}
	return (n + unit - 1) / unit
}

// again books the part r of p as a reinjection, told by where its data
// travelled before. A segment counts once, however many runs of it are
// reinjected.
func (sp *Space) again(l *Lane, p *Piece, r seq.Range[seq.DSN], unit int64) {
	if r.Empty() {
		return
	}
	if sp.copier != p.Packet {
		sp.copier, sp.copied = p.Packet, 0
	}
	if sp.copied > 0 {
		l.ReinjectedSegments -= units(sp.copied, unit)
	}
	sp.copied += r.Len()
	l.ReinjectedSegments += units(sp.copied, unit)
	l.ReinjectedBytes += r.Len()
	same := sp.travelled(l, r)
	l.ReinjectedSame += same
	copied := sp.newPiece()
	*copied = p.part(r)
	copied.Kind = Reinjection
	if same == r.Len() {
		copied.Kind = ReinjectedSame
	}
}

// travelled returns how many octets of r had only been carried by lane l, and
// notes that it carries them now.
func (sp *Space) travelled(l *Lane, r seq.Range[seq.DSN]) (same int64) {
	for _, o := range sp.lanes {
		if o == l {
			same = max(0, o.carried(r)-o.elsewhere.Overlap(r))
			continue
		}
		o.past.Common(r, o.copied)
		for i := o.search(r.Start); i < len(o.chunks) && o.chunks[i].Data.Start < r.End; i++ {
			o.chunks[i].copied = true
			o.copied(o.chunks[i].Data.Intersect(r))
		}
	}
	return same
}

// carried returns how many octets of r the lane was the first to carry.
func (l *Lane) carried(r seq.Range[seq.DSN]) (n int64) {
	n = l.past.Overlap(r)
	for i := l.search(r.Start); i < len(l.chunks) && l.chunks[i].Data.Start < r.End; i++ {
		n += l.chunks[i].Data.Intersect(r).Len()
	}
	return n
}

// copied notes that another subflow carried the lane's data r, too.
func (l *Lane) copied(r seq.Range[seq.DSN]) {
	l.elsewhere.Add(r)
	l.elsewhere.DropOldest(maxSeen)
}
