package conn

import (
	"mpanalyze/internal/dss"
	"mpanalyze/internal/mptcp"
	"mpanalyze/internal/seq"
)

// sameMapping reports whether the mappings of two options are the same.
func sameMapping(a, b *mptcp.DSS) bool {
	const flags = mptcp.DSSMap | mptcp.DSSFin | mptcp.DSSDSN8 | mptcp.DSSChecksum
	return a.DSN == b.DSN && a.SSN == b.SSN && a.Length == b.Length && (a.Flags^b.Flags)&flags == 0
}

// repeatsMapping reports whether the mapping of p is the latest of its direction, and
// then sets p.Mapping. Linux repeats a mapping of up to 64 KiB in every segment that it
// covers.
func (p *Packet) repeatsMapping(d *SubflowDir) bool {
	last := &d.lastMapping
	if !sameMapping(&last.DSS, &p.Seg.DSS) {
		return false
	}
	last.Verdict = dss.RepeatedMapping
	p.Mapping = last
	return true
}

// mapsNext is takeMapping for nearly all new mappings: a mapping with an 8-byte DSN and
// nothing else that begins with the payload of its packet. It changes nothing and
// returns false for others, and where [dss.Space.MapNext] does.
func (p *Packet) mapsNext(d *SubflowDir) bool {
	const form = mptcp.DSSMap | mptcp.DSSDSN8 | mptcp.DSSFin | mptcp.DSSChecksum
	o, ssn := &p.Seg.DSS, p.TCP.Sent.Range.Start
	if o.Flags&form != mptcp.DSSMap|mptcp.DSSDSN8 || o.Length == 0 || seq.Wire(o.SSN)+d.ssnBase != seq.Wire(ssn) {
		return false
	}
	dsn, ok := d.sentData.MapNext(d.sentSub, ssn, o.DSN, int64(o.Length), p.Seg.Num)
	if !ok {
		return false
	}
	last := &d.lastMapping // neither infinite nor with a checksum
	last.DSS, last.SSN, last.DSN, last.Verdict = *o, ssn, dsn, dss.NewMapping
	p.Mapping = last
	d.Conn.mappingsSeen |= withoutChecksum
	d.Conn.noteAnnounced(d.From, dsn, int64(o.Length), p.Seg.Time)
	return true
}

// earlyMapping is a mapping that came before the origin of its subflow was known.
type earlyMapping struct {
	wire   mptcp.DSS
	dsn    seq.DSN
	packet uint64
}

// maxEarly bounds the early mappings of a direction. Two mappings usually suffice to
// find the origin.
const maxEarly = 16

// takeMapping takes the mapping of a DSS option that differs from the latest one.
func (p *Packet) takeMapping(space *dss.Space, subSpace *dss.SubflowSpace) {
	d := &p.Seg.DSS
	m := &p.ownMapping
	dsn, ok := space.Position(d.DSN, d.Has(mptcp.DSSDSN8))
	if !ok {
		return
	}
	m.read(d, dsn)
	p.Conn.noteMapping(d)
	p.Conn.noteAnnounced(p.From, dsn, m.Length(), p.Seg.Time)
	p.Mapping = m
	end := m.DataFIN() && space.DataFIN(dsn+seq.DSN(m.Length()))
	if end {
		p.Conn.DataFIN[p.From] = p.Seg.Time
		p.emit(EventDataFIN, "end of data")
	}
	if m.DataFIN() {
		p.Conn.noteFIN(p.From, p.Seg.Time)
	}
	if m.Infinite && p.Seg.PayloadLen == 0 {
		m.Infinite = false // an empty mapping without payload maps nothing: see Mapping.read
	}
	if m.Length() == 0 && !m.Infinite { // a DATA_FIN alone maps nothing either (RFC 8684, Section 3.3.3)
		m.SSN = seq.SSN(d.SSN)
		if m.DataFIN() && !end {
			m.Verdict = dss.RepeatedMapping
		}
		return
	}
	if _, fromSYN := p.Sub.Senders[p.From].ISN(); !fromSYN && !p.Sub.originShown[p.From] && !p.guessOrigin(space, subSpace) {
		p.Sub.keepEarly(p, dsn)
		return
	}
	p.enterMapping(space, subSpace)
	if end && m.Verdict == dss.RepeatedMapping { // it is new that the data ends here
		m.Verdict = dss.NewMapping
	}
}

// noteAnnounced notes when a mapping announced data that none before it did: the sender had that
// data then, whenever its packets come.
func (c *Conn) noteAnnounced(from Side, dsn seq.DSN, length, at int64) {
	if end := dsn + seq.DSN(length); length > 0 && (end > c.announcedTo[from] || c.Announced[from] == 0) {
		c.Announced[from], c.announcedTo[from] = at, end
	}
}

// read makes m the mapping of a DSS option; its subflow position is not known yet. A
// data-level length of 0 makes an infinite mapping (RFC 8684, Section 3.7). That comes
// with the first payload under it; Linux ignores one without payload.
func (m *Mapping) read(d *mptcp.DSS, dsn seq.DSN) {
	*m = Mapping{} // the compiler would build a literal elsewhere and copy it
	m.DSS, m.SSN, m.DSN, m.Infinite = *d, -1, dsn, d.Length == 0
}

// Length returns the length in bytes of payload, DATA_FIN not counted.
func (m *Mapping) Length() int64 {
	if m.DataFIN() {
		return int64(m.DSS.Length) - 1
	}
	return int64(m.DSS.Length)
}

// DataFIN reports whether the data ends with the mapping.
func (m *Mapping) DataFIN() bool { return m.DSS.Has(mptcp.DSSFin) && m.DSS.Length > 0 }

// Checksum returns the checksum; -1 if there is none.
func (m *Mapping) Checksum() int32 {
	if !m.DSS.Has(mptcp.DSSChecksum) {
		return -1
	}
	return int32(m.DSS.Checksum)
}

// WireBytes returns the width of the DSN on the wire: 4 or 8.
func (m *Mapping) WireBytes() int {
	if m.DSS.Has(mptcp.DSSDSN8) {
		return 8
	}
	return 4
}

// keepEarly keeps the mapping of p until the origin of its subflow is known.
func (s *Subflow) keepEarly(p *Packet, dsn seq.DSN) {
	if s.early == nil {
		s.early = new([2][]earlyMapping)
	}
	list := s.early[p.From]
	if n := len(list); n >= maxEarly || n > 0 && sameMapping(&list[n-1].wire, &p.Seg.DSS) {
		return
	}
	s.early[p.From] = append(list, earlyMapping{p.Seg.DSS, dsn, p.Seg.Num})
}

// guessOrigin finds the origin of a subflow whose SYN was not captured from its
// mappings, and then enters the early mappings.
func (p *Packet) guessOrigin(space *dss.Space, subSpace *dss.SubflowSpace) bool {
	snd := &p.Sub.Senders[p.From]
	origin, ok := subSpace.GuessOrigin(p.Seg.DSS.SSN, p.ownMapping.Length(), p.TCP.Sent.Range)
	if !ok {
		return false
	}
	isn, _ := snd.ISN()
	delta := snd.Rebase(isn - seq.Wire(origin))
	subSpace.Shift(delta)
	p.TCP.Sent.Range.Start += delta
	p.TCP.Sent.Range.End += delta
	for i := range p.TCP.Sent.Parts {
		p.TCP.Sent.Parts[i].Start += delta
		p.TCP.Sent.Parts[i].End += delta
	}
	if p.Sub.early == nil {
		return true
	}
	for i := range p.Sub.early[p.From] {
		e := &p.Sub.early[p.From][i]
		var m Mapping
		m.read(&e.wire, e.dsn)
		p.placeMapping(space, subSpace, &e.wire, &m, e.packet)
	}
	p.Sub.early[p.From] = nil
	return true
}

// enterMapping enters the mapping of p in its subflow.
func (p *Packet) enterMapping(space *dss.Space, subSpace *dss.SubflowSpace) {
	d, m := &p.Seg.DSS, &p.ownMapping
	p.Sub.checkSSNBase(p, d.SSN, m.Length())
	p.placeMapping(space, subSpace, d, m, p.Seg.Num)
	p.reportConflict()
	if !m.Infinite && m.Verdict != dss.ConflictingMapping && m.Checksum() < 0 {
		p.SubflowDir.lastMapping = *m
	}
	if m.Infinite && p.Conn.Fallback == "" {
		p.emit(EventInfinite, "infinite mapping")
		code := FallbackInfinite
		if p.Conn.failure != "" {
			code = FallbackChecksum
		}
		p.fallBack(p.Seg.Time, code, "infinite mapping announced by "+p.From.String()+p.Conn.failure)
	}
}

// placeMapping finds the subflow position of mapping m, which option d announced, and
// enters it.
func (p *Packet) placeMapping(space *dss.Space, subSpace *dss.SubflowSpace, d *mptcp.DSS, m *Mapping, packet uint64) {
	m.SSN = p.Sub.wireSSN(p.From, d.SSN)
	mapping := dss.Mapping{
		SSN: seq.Range[seq.SSN]{Start: m.SSN, End: m.SSN + seq.SSN(m.Length())}, DSN: m.DSN, Packet: packet,
	}
	if m.Infinite {
		mapping.SSN.End = dss.NoEnd
	}
	var want *dss.Checksum
	if d.Has(mptcp.DSSChecksum) && !m.Infinite {
		if abs, wide := space.Absolute(m.DSN); wide {
			p.checksum = dss.Checksum{DSN: abs, SSN: d.SSN, Length: d.Length, Value: d.Checksum}
			want = &p.checksum
		}
	}
	m.Verdict, m.ChecksumPending = space.AddMapping(subSpace, &mapping, want, &p.Result)
}

// reportConflict reports a mapping that contradicts an earlier one.
func (p *Packet) reportConflict() {
	if p.Mapping.Verdict == dss.ConflictingMapping {
		p.emit(EventConflict, "mapping gives other data to subflow positions that were mapped before; the earlier mapping is kept")
	}
}
