package conn

import (
	"mpanalyze/internal/dss"
	"mpanalyze/internal/mptcp"
	"mpanalyze/internal/seq"
)

// lastMapping is the latest mapping of one direction of a subflow. Linux
// repeats a mapping of up to 64 KiB in every segment that it covers, so most
// options say again what the one before said.
type lastMapping struct {
	wire mptcp.DSS
	Mapping
}

// sameMapping reports whether the mappings of two options are the same.
func sameMapping(a, b *mptcp.DSS) bool {
	const flags = mptcp.DSSMap | mptcp.DSSFin | mptcp.DSSDSN8 | mptcp.DSSChecksum
	return a.DSN == b.DSN && a.SSN == b.SSN && a.Length == b.Length && (a.Flags^b.Flags)&flags == 0
}

// repeatsMapping reports whether the mapping of p is the latest of its direction, and
// takes it then.
func (p *Packet) repeatsMapping(d *Direction) bool {
	if !sameMapping(&d.lastMapping.wire, &p.Seg.DSS) {
		return false
	}
	p.Mapping = &d.lastMapping.Mapping
	return true
}

// earlyMapping is a mapping that was announced before its subflow's origin was known.
type earlyMapping struct {
	wire   mptcp.DSS
	dsn    seq.DSN
	packet uint64
}

// maxEarly bounds them: two mappings tell the origin as a rule.
const maxEarly = 16

// takeMapping takes the mapping of a DSS option, which is not the latest one.
func (t *Table) takeMapping(p *Packet, space *dss.Space, subSpace *dss.SubflowSpace) {
	d := &p.Seg.DSS
	m := &t.mapping
	dsn, ok := space.Position(d.DSN, d.Has(mptcp.DSSDSN8))
	if !ok {
		return
	}
	*m = mappingOf(d, dsn)
	p.Conn.noteMapping(d)
	p.Mapping = m
	end := m.DataFIN && space.DataFIN(dsn+seq.DSN(m.Length))
	if end {
		p.Conn.DataFIN[p.From] = p.Seg.Time
		p.emit(EventDataFIN, "end of data")
	}
	if m.Infinite && p.Seg.PayloadLen == 0 {
		m.Infinite = false // an empty mapping beside no payload maps nothing: see describe
	}
	if m.Length == 0 && !m.Infinite { // nor does a DATA_FIN on its own (RFC 8684, Section 3.3.3)
		m.SSN = seq.SSN(d.SSN)
		if m.DataFIN && !end {
			m.Verdict = dss.RepeatedMapping
		}
		return
	}
	if _, fromSYN := p.Sub.Senders[p.From].ISN(); !fromSYN && !t.guessOrigin(p, space, subSpace) {
		p.Sub.keepEarly(p, dsn)
		return
	}
	t.enterMapping(p, space, subSpace)
	if end && m.Verdict == dss.RepeatedMapping { // that the data ends here was not known
		m.Verdict = dss.NewMapping
	}
}

// mappingOf returns the mapping of a DSS option, its place on the subflow not
// yet known. A data-level length of 0 makes an infinite mapping (RFC 8684,
// Section 3.7). It stands on a segment with payload, the first one under it;
// Linux ignores one beside no payload.
func mappingOf(d *mptcp.DSS, dsn seq.DSN) Mapping {
	m := Mapping{SSN: -1, DSN: dsn, Wire: d.DSN, WireBytes: 4, Length: int64(d.Length), Checksum: -1, Infinite: d.Length == 0}
	if d.Has(mptcp.DSSDSN8) {
		m.WireBytes = 8
	}
	if d.Has(mptcp.DSSChecksum) {
		m.Checksum = int32(d.Checksum)
	}
	if d.Has(mptcp.DSSFin) && !m.Infinite {
		m.DataFIN = true
		m.Length--
	}
	return m
}

// keepEarly keeps the mapping of p until its subflow's origin is known.
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

// guessOrigin finds the subflow's origin from its mappings where its SYN was not
// captured, and then enters those that came before.
func (t *Table) guessOrigin(p *Packet, space *dss.Space, subSpace *dss.SubflowSpace) bool {
	half := &p.Sub.Senders[p.From]
	origin, ok := subSpace.GuessOrigin(p.Seg.DSS.SSN, t.mapping.Length, p.TCP.Sent.Range)
	if !ok {
		return false
	}
	isn, _ := half.ISN()
	delta := half.Rebase(isn - seq.Wire(origin))
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
		m := mappingOf(&e.wire, e.dsn)
		t.placeMapping(p, space, subSpace, &e.wire, &m, e.packet)
	}
	p.Sub.early[p.From] = nil
	return true
}

// enterMapping gives the mapping of p to its lane.
func (t *Table) enterMapping(p *Packet, space *dss.Space, subSpace *dss.SubflowSpace) {
	d, m := &p.Seg.DSS, &t.mapping
	p.Sub.checkSSNBase(p, d.SSN, m.Length)
	t.placeMapping(p, space, subSpace, d, m, p.Seg.Num)
	t.reportConflict(p)
	if !m.Infinite && m.Verdict != dss.ConflictingMapping && m.Checksum < 0 {
		p.Direction.lastMapping = lastMapping{*d, *m}
		p.Direction.lastMapping.Verdict = dss.RepeatedMapping
	}
	if m.Infinite && p.Conn.Fallback == "" {
		p.emit(EventInfinite, "infinite mapping")
		code := FallbackInfinite
		if p.Conn.failure != "" {
			code = FallbackChecksum
		}
		t.fallBack(p, p.Seg.Time, code, "infinite mapping announced by "+p.From.String()+p.Conn.failure)
	}
}

// placeMapping finds out where on the subflow mapping m of option d lies, and enters
// it there.
func (t *Table) placeMapping(p *Packet, space *dss.Space, subSpace *dss.SubflowSpace, d *mptcp.DSS, m *Mapping, packet uint64) {
	m.SSN = p.Sub.wireSSN(p.From, d.SSN)
	mapping := dss.Mapping{
		SSN: seq.Range[seq.SSN]{Start: m.SSN, End: m.SSN + seq.SSN(m.Length)}, DSN: m.DSN, Packet: packet, Infinite: m.Infinite,
	}
	var want *dss.Checksum
	if d.Has(mptcp.DSSChecksum) && !m.Infinite {
		if abs, wide := space.Absolute(m.DSN); wide {
			t.checksum = dss.Checksum{DSN: abs, SSN: d.SSN, Length: d.Length, Value: d.Checksum}
			want = &t.checksum
		}
	}
	m.Verdict, m.ChecksumPending = space.AddMapping(subSpace, mapping, want, &p.Result)
}

// reportConflict reports a mapping at odds with an earlier one.
func (t *Table) reportConflict(p *Packet) {
	if p.Mapping.Verdict == dss.ConflictingMapping {
		p.emit(EventConflict, "mapping gives other data to subflow positions that were mapped before; the earlier mapping is kept")
	}
}
