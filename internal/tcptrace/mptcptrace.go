package tcptrace

import (
	"mpanalyze/internal/conn"
	"mpanalyze/internal/mptcp"
	"mpanalyze/internal/output"
	"mpanalyze/internal/packet"
	"mpanalyze/internal/seq"
)

// Statistics is a module that writes the files that mptcptrace writes with
// -s -S -a -r 3 -F 3 -G 10 -A -R -w 2, by the definitions of mptcptrace. The rows are equal if
// mptcptrace understands the capture: version 0 with DATA_ACKs and data sequence numbers of 4
// bytes, over IPv4. The names of files have mptcptrace's number of the connection, which is the
// number in the report plus one. internal/differential/differences.md lists the differences.
type Statistics struct {
	folder
	file   string
	totals totals
}

// NewStatistics returns a module that writes into a directory, which it makes if there is none.
// file is the name of the capture, for a column of the files.
func NewStatistics(dir, file string) (*Statistics, error) {
	d, err := output.OpenDir(dir)
	if err != nil {
		return nil, err
	}
	return &Statistics{folder: folder{dir: d}, file: file}, nil
}

// Open returns the observer of a connection.
func (s *Statistics) Open(c *conn.Conn) conn.Observer { return &mptcpConn{out: s, conn: c} }

// mptcpConn is a connection as mptcptrace sees it. Data sequence numbers are the low 4 bytes of
// the numbers on the wire. They are compared as in RFC 1982.
type mptcpConn struct {
	conn.Nop
	out     *Statistics
	conn    *conn.Conn
	sides   [2]mptcpSide   // by the sender
	subs    []mptcpSubflow // by the subflow's ID
	added   *file          // announced addresses
	removed *file          // withdrawn addresses
	asked   bool           // a SYN with MP_CAPABLE was seen
	over    bool           // mptcptrace has closed it, and ignores what follows
}

// mptcpSide is what one end of a connection sends.
type mptcpSide struct {
	files [fileKinds]*file

	hasFirst bool
	first    seq.Wire // initial data sequence number
	firstAt  int64    // us

	hasAck    bool
	ack       seq.Wire // its latest DATA_ACK
	ackAt     int64    // us
	rightEdge seq.Wire // largest DATA_ACK + window; 0 for none yet
	rate      goodput  // of what it acknowledges

	unacked mappings // its data that is not acknowledged
	seen    mappings // all its data
	hasFIN  bool
	fin     seq.Wire // end of its latest DATA_FIN

	reinjected uint32             // bytes
	times      [maxSubflows]int64 // mappings by the number of subflows that carried them
	causedBy   [maxSubflows]int64 // reinjected mappings by the subflow that carried them first
}

// maxSubflows is how many subflows mptcptrace has room for.
const maxSubflows = 32

// mptcpSubflow is one subflow.
type mptcpSubflow struct {
	sides [2]mptcpSubflowSide // by the sender
}

// mptcpSubflowSide is what one end sends on a subflow.
type mptcpSubflowSide struct {
	carried int64    // bytes of all mappings
	unacked mappings // its payload that is not acknowledged
	hasAck  bool
	ack     seq.Wire // the highest ACK that it sent
}

func (c *mptcpConn) Packet(p *conn.Packet) {
	if p.Seg.OtherLen > 0 {
		c.optionsBeforeDSS(p)
	}
	if c.conn.Kind != conn.Multipath || c.over {
		return
	}
	for len(c.subs) < len(c.conn.Subflows) {
		c.subs = append(c.subs, mptcpSubflow{})
	}
	c.takeDSS(p)
	if p.Seg.OtherLen > 0 && !c.over {
		c.optionsAfterDSS(p)
	}
}

// optionsBeforeDSS processes the options that mptcptrace reads before the DSS. It also counts
// FASTCLOSEs of connections that mptcptrace does not know or has closed: mptcptrace counts these
// for the server.
func (c *mptcpConn) optionsBeforeDSS(p *conn.Packet) {
	mptcp.Walk(p.Seg.OtherMPTCP(), func(sub mptcp.Subtype, _ []byte) bool {
		switch {
		case sub == mptcp.SubFastclose && (c.over || c.conn.Kind != conn.Multipath):
			c.out.totals.fastclosesSeen[conn.B]++
		case sub == mptcp.SubCapable && p.Seg.Flags&(packet.SYN|packet.ACK) == packet.SYN:
			c.asked = true
		case sub == mptcp.SubCapable && p.Seg.Flags&(packet.SYN|packet.ACK) == packet.ACK:
			c.setStart(p.Seg.Time / 1000)
		}
		return true
	})
}

// setStart stores the numbers at which the streams begin. It is called at the third ACK of the
// handshake, or at the first mapping if that ACK was not captured.
func (c *mptcpConn) setStart(now int64) {
	for i := range c.sides {
		me, peer := &c.sides[i], &c.sides[1-i]
		base, _ := c.conn.Spaces[i].Absolute(0)
		me.hasFirst, me.first, me.firstAt = true, seq.Wire(base), now
		peer.hasAck, peer.ack, peer.ackAt = true, seq.Wire(base)-1, now
	}
}

// takeDSS processes the DSS of a packet, and in version 1 the mapping of an MP_CAPABLE with a
// data-level length.
func (c *mptcpConn) takeDSS(p *conn.Packet) {
	d, has := &p.Seg.DSS, p.Seg.Have&packet.HasDSS != 0
	if has {
		c.subs[p.Sub.ID].packet(p)
	}
	switch {
	case has && d.Has(mptcp.DSSMap):
		m := mapping{start: seq.Wire(d.DSN), length: uint32(d.Length), at: p.Seg.Time / 1000, sub: p.Sub.ID}
		c.takeMapping(p.From, m)
		if side := &c.sides[p.From]; d.Has(mptcp.DSSFin) {
			side.hasFIN, side.fin = true, m.end()
		}
	case !has && p.Mapping != nil:
		c.takeMapping(p.From, mapping{start: seq.Wire(p.Mapping.DSS.DSN), length: uint32(p.Mapping.Length()), at: p.Seg.Time / 1000, sub: p.Sub.ID})
	}
	if has && d.Has(mptcp.DSSAck) {
		c.takeDataAck(p, seq.Wire(d.DataAck))
		c.closeIfFinished()
	}
}

// takeMapping processes a mapping, also one that is announced again.
func (c *mptcpConn) takeMapping(from conn.Side, m mapping) {
	d, peer := &c.sides[from], &c.sides[from.Other()]
	if !d.hasFirst {
		c.setStart(m.at)
	}
	if !peer.hasAck || peer.ack.Less(m.end()) {
		d.unacked.add(m)
	}
	c.writeSequence(from, m)
	c.flight(from, m.at)
	c.flightPerFlow(from, m.at)
	c.flightOfSubflows(from, m.at)
	c.subs[m.sub].sides[from].carried += int64(m.length)
}

// writeSequence writes a mapping into the sequence file. A mapping is reinjected if it has the
// same start as an earlier mapping of another subflow.
func (c *mptcpConn) writeSequence(from conn.Side, m mapping) {
	d := &c.sides[from]
	x, added := d.seen.add(m)
	original := -1
	bit := uint64(1) << m.sub
	switch {
	case added:
		x.carriers, x.times = bit, 1
		d.times[1]++
	case x.sub != m.sub:
		original = x.sub + 1
		if x.carriers&bit == 0 {
			d.times[min(x.times, maxSubflows-1)]--
			x.carriers |= bit
			x.times++
			d.times[min(x.times, maxSubflows-1)]++
		}
		if x.sub < maxSubflows {
			d.causedBy[x.sub]++
		}
		d.reinjected += m.length
	}
	c.line(from, fileSeq, m.at, uint32(m.start), m.sub+1, m.length, original)
}

// takeDataAck processes a DATA_ACK.
func (c *mptcpConn) takeDataAck(p *conn.Packet, ack seq.Wire) {
	me, other, now := &c.sides[p.From], p.From.Other(), p.Seg.Time/1000
	covered := uint32(0)
	c.sides[other].unacked.removeAcked(ack, func(m *mapping) {
		covered += m.length
		ms := float64(now-m.at) / 1000
		c.value(other, fileRTTAck, now, ms, 2)
		c.value(other, fileRTTSeq, m.at, ms, 2)
	})
	if !me.hasAck || !ack.Less(me.ack) {
		me.hasAck, me.ack, me.ackAt = true, ack, now
	}
	c.dot(other, fileSeq, now, uint32(ack), p.Sub.ID+1)
	shift, _ := p.Sub.Senders[p.From].WScale()
	if edge := ack + seq.Wire(uint32(p.Seg.Window)<<shift); me.rightEdge == 0 || !edge.Less(me.rightEdge) {
		me.rightEdge = edge
	}
	c.dot(other, fileFlight, now, uint32(me.rightEdge-me.ack), flightWindow)
	c.flight(other, now)
	c.flightOfSubflows(p.From, now)
	c.flightPerFlow(p.From, now)
	me.rate.add(ack, now, func(colour int, v float64) { c.value(other, fileGoodput, now, v, colour) })
	c.dot(other, fileAckSize, now, covered, p.Sub.ID+1)
}

// closeIfFinished closes the connection once the DATA_FINs of both ends are acknowledged.
func (c *mptcpConn) closeIfFinished() {
	a, b := &c.sides[conn.A], &c.sides[conn.B]
	if a.hasFIN && b.hasFIN && a.hasAck && b.hasAck && a.fin == b.ack && b.fin == a.ack {
		c.out.totals.finished[conn.A]++
		c.end()
	}
}

// optionsAfterDSS processes the options that mptcptrace reads after the DSS.
func (c *mptcpConn) optionsAfterDSS(p *conn.Packet) {
	c.addresses(p)
	mptcp.Walk(p.Seg.OtherMPTCP(), func(sub mptcp.Subtype, _ []byte) bool {
		if sub == mptcp.SubFastclose {
			c.out.totals.fastclosesSeen[p.From]++
			c.out.totals.fastcloses[p.From]++
			c.end()
			return false
		}
		return true
	})
}

func (c *mptcpConn) Close(int64) {
	if c.conn.Kind != conn.Multipath {
		if c.asked {
			c.out.totals.subflows[conn.A]++
		}
		return
	}
	c.out.count(c.conn)
	if !c.over {
		c.end()
	}
}

// end writes what mptcptrace writes when it closes a connection.
func (c *mptcpConn) end() {
	c.over = true
	c.throughput()
	c.closeFiles()
	c.statistics()
	c.sides, c.subs = [2]mptcpSide{}, nil
}
