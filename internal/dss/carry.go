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

// Reset empties the scratch lists that the calls for one packet fill.
func (sp *Space) Reset() { sp.pieces, sp.checks = sp.pieces[:0], sp.checks[:0] }

// Pieces returns what the packet's payload was found to be; it is valid until
// the next packet.
func (sp *Space) Pieces() []Piece { return sp.pieces }

// Checks returns the checksums that the packet settled.
func (sp *Space) Checks() []Check { return sp.checks }

// Carry places payload p of lane l in the data sequence space. What no mapping
// covers yet waits for one; mapped is false if any of it does.
func (sp *Space) Carry(l *Lane, p Payload) (mapped bool) {
	at := p.Start
	i := l.maps.find(at)
	for ; at < p.End && i < len(l.maps.list) && l.maps.list[i].SSN.Start < p.End; i++ {
		m := &l.maps.list[i]
		if m.SSN.Start > at {
			l.wait(p, seq.Range[seq.SSN]{Start: at, End: m.SSN.Start})
			mapped = true // remembered below as a hole
		}
		run := m.SSN.Intersect(p.Range)
		sp.run(l, m, run, p)
		at = run.End
	}
	if at < p.End {
		l.wait(p, seq.Range[seq.SSN]{Start: at, End: p.End})
		return false
	}
	return !mapped
}

// run books the part of p that lies under mapping m.
func (sp *Space) run(l *Lane, m *Mapping, run seq.Range[seq.SSN], p Payload) {
	data := seq.Range[seq.DSN]{Start: m.at(run.Start), End: m.at(run.End)}
	piece := Piece{Data: data, SSN: run.Start, Bad: m.Bad, Packet: p.Packet, Time: p.Time}
	if p.Bytes != nil {
		piece.Payload = cut(p.Bytes, int64(run.Start-p.Start), run.Len())
	}
	if m.check != nil {
		piece.CheckID = m.check.id
		sp.feed(m, run, piece.Payload)
		piece.Bad = m.Bad
	}
	l.MappedBytes += run.Len()
	if !p.New {
		piece.Kind = Retransmission
		sp.pieces = append(sp.pieces, piece)
		return
	}
	l.MappedUnique += run.Len()
	sp.fresh(l, piece, p.Unit)
}

// cut returns the n octets of b from off on, or what the capture holds of them.
func cut(b []byte, off, n int64) []byte {
	if off >= int64(len(b)) {
		return b[:0]
	}
	return b[off:min(off+n, int64(len(b)))]
}

// feed adds payload to the checksum of m.
func (sp *Space) feed(m *Mapping, run seq.Range[seq.SSN], b []byte) {
	result := m.check.feed(m.SSN.Start, run, b)
	if result == CheckPending {
		return
	}
	sp.checks = append(sp.checks, Check{ID: m.check.id, Result: result, Packet: m.Packet, SSN: m.SSN.Start, DSN: m.DSN})
	m.Bad = result == CheckInvalid
	m.check = nil
}

// fresh tells first transmissions from reinjections in data that is new to its
// subflow.
func (sp *Space) fresh(l *Lane, p Piece, unit int64) {
	if p.Data.Start >= sp.nxt { // nothing of it was ever sent
		sp.first(l, p, unit)
		return
	}
	at := p.Data.Start
	sp.seen.Missing(p.Data, func(gap seq.Range[seq.DSN]) bool {
		sp.again(l, p.part(seq.Range[seq.DSN]{Start: at, End: gap.Start}), unit)
		sp.pieces = append(sp.pieces, p.part(gap)) // booked below: seen must not change under Missing
		at = gap.End
		return true
	})
	sp.again(l, p.part(seq.Range[seq.DSN]{Start: at, End: p.Data.End}), unit)
	for i, n := 0, len(sp.pieces); i < n; i++ {
		if q := &sp.pieces[i]; q.Kind == First && q.Packet == p.Packet && !sp.seen.Contains(q.Data.Start) {
			sp.book(l, q, unit)
		}
	}
}

// part returns the part of p that carries r.
func (p Piece) part(r seq.Range[seq.DSN]) Piece {
	off := int64(r.Start - p.Data.Start)
	p.SSN += seq.SSN(off)
	p.Data = r
	if p.Payload != nil {
		p.Payload = cut(p.Payload, off, max(0, r.Len()))
	}
	return p
}

// first books data that was never sent before.
func (sp *Space) first(l *Lane, p Piece, unit int64) {
	p.Kind = First
	sp.pieces = append(sp.pieces, p)
	sp.book(l, &sp.pieces[len(sp.pieces)-1], unit)
}

// book enters a first transmission.
func (sp *Space) book(l *Lane, p *Piece, unit int64) {
	sp.seen.Add(p.Data)
	sp.seen.DropOldest(maxSeen)
	sp.nxt = max(sp.nxt, p.Data.End)
	if p.Data.Start <= sp.edge {
		sp.edge = max(sp.edge, sp.seen.FirstGap(p.Data.Start))
	}
	n := p.Data.Len()
	sp.Bytes += n
	l.FirstBytes += n
	if p.Data.End <= sp.ack && sp.acked {
		return // acknowledged before it was seen: its life cannot be told
	}
	units := units(n, unit)
	sp.WaitingBytes += int64(p.Data.End - max(p.Data.Start, sp.ack))
	sp.WaitingUnits += units
	l.put(Chunk{Sub: int32(l.Sub), Data: p.Data, SSN: p.SSN, Packet: p.Packet, Seen: p.Time, Units: int32(units)})
}

func units(n, unit int64) int64 {
	if n <= unit {
		return 1
	}
	return (n + unit - 1) / unit
}

// again books a reinjection, told by where its data travelled before.
func (sp *Space) again(l *Lane, p Piece, unit int64) {
	if p.Data.Empty() {
		return
	}
	l.ReinjectedBytes += p.Data.Len()
	l.ReinjectedSegments += units(p.Data.Len(), unit)
	same := sp.travelled(l, p.Data)
	l.ReinjectedSame += same
	p.Kind = Reinjection
	if same == p.Data.Len() {
		p.Kind = ReinjectedSame
	}
	sp.pieces = append(sp.pieces, p)
}

// travelled returns how many octets of r had only been carried by lane l, and
// notes that it carries them now.
func (sp *Space) travelled(l *Lane, r seq.Range[seq.DSN]) (same int64) {
	for _, o := range sp.lanes {
		for i := o.search(r.Start); i < len(o.chunks) && o.chunks[i].Data.Start < r.End; i++ {
			part := o.chunks[i].Data.Intersect(r)
			if o == l {
				same += part.Len() - o.elsewhere.Overlap(part)
				continue
			}
			o.chunks[i].copied = true
			o.elsewhere.Add(part)
			o.elsewhere.DropOldest(maxSeen)
		}
	}
	return same
}

// Map takes the mapping of a DSS option, or of an MP_CAPABLE with data, in
// packet s on lane l: payload octets at ssn that carry data from dsn on.
func (sp *Space) Map(l *Lane, m Mapping, want *Checksum) Verdict {
	if want != nil {
		sp.nextID++
		m.check = newCheck(want.DSN, want.SSN, want.Length, want.Value, m.SSN.Len())
		m.check.id = sp.nextID
	}
	v := l.maps.add(m)
	if v == Contradicts {
		sp.Contradicting++
	}
	if v != Repeated {
		if m.SSN.End >= l.lastEnd || m.Infinite {
			l.lastEnd, l.lastDSN, l.mapped = m.SSN.End, m.at(m.SSN.End), true
		}
		sp.resolve(l)
	}
	return v
}

// Checksum is what a mapping's checksum covers besides the payload, as the
// option says it.
type Checksum struct {
	DSN    uint64 // absolute
	SSN    uint32
	Length uint16 // data-level length, the DATA_FIN counted
	Value  uint16
}

// Forget drops the mappings of lane l that its subflow's acknowledgments have
// left far behind.
func (l *Lane) Forget(una seq.SSN) {
	if len(l.maps.list) > 64 {
		l.maps.dropBelow(una - keepBehind)
	}
}
