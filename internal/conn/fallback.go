package conn

import (
	"fmt"

	"mpanalyze/internal/dss"
	"mpanalyze/internal/packet"
)

// patience is how many runs of payload may wait for a mapping, on the only
// subflow of a connection, before the connection is taken to have fallen back.
const patience = 32

// unmapped judges payload that no mapping covers. On the only subflow it
// implies an infinite mapping (RFC 8684, Section 3.7) once it is certain that
// no mapping is still to come.
func (t *Table) unmapped(p *Packet, space *dss.Space, lane *dss.Lane) {
	c := p.Conn
	if len(c.Subflows) > 1 && !c.alone(p.Sub) {
		return
	}
	n, first := lane.Pending()
	optionless := p.Seg.Have&packet.HasDSS == 0 && p.Seg.RareLen == 0
	switch {
	case c.Fallback != "":
		t.imply(p, space, lane)
	case !lane.Mapped() && optionless && c.Handshake:
		t.fallBack(p, fmt.Sprintf("the first payload of %v carries no MPTCP option, so data is plain TCP (packet %d)", p.From, first.Packet))
		t.imply(p, space, lane)
	case n > patience && optionless:
		t.fallBack(p, fmt.Sprintf("payload of %v without a mapping since packet %d: options are missing", p.From, first.Packet))
		t.imply(p, space, lane)
	}
}

// unmappedAcked does the same when the receiver accepts unmapped payload with
// an acknowledgment that carries no DATA_ACK.
func (t *Table) unmappedAcked(p *Packet) {
	c, other := p.Conn, p.From.Other()
	lane := p.Sub.Lanes[other]
	n, first := lane.Pending()
	if n == 0 || p.DataAck || !lane.Mapped() && !c.Handshake || p.Sub.Half[other].Una() < first.End {
		return
	}
	if len(c.Subflows) > 1 && !c.alone(p.Sub) {
		return
	}
	if c.Fallback == "" {
		t.fallBack(p, fmt.Sprintf("payload of %v without a mapping since packet %d was accepted without a DATA_ACK: options are missing", other, first.Packet))
	}
	t.imply(p, &c.Spaces[other], lane)
}

// alone reports whether no other subflow of the connection is alive.
func (c *Conn) alone(sub *Subflow) bool {
	for _, s := range c.Subflows {
		if s != sub && !s.Done() && s.Established() {
			return false
		}
	}
	return true
}

// imply maps the rest of a lane one to one.
func (t *Table) imply(p *Packet, space *dss.Space, lane *dss.Lane) {
	space.Implied(lane, p.Seg.Num)
}

// fallBack notes that the connection has fallen back, once.
func (t *Table) fallBack(p *Packet, why string) {
	c := p.Conn
	if c.Fallback != "" {
		return
	}
	c.FallbackAt = p.Seg.Time
	c.Fallback = fmt.Sprintf("%s, since %.6f s", why, float64(p.Seg.Time-c.Start)/1e9)
	c.event(Event{Time: p.Seg.Time, Sub: p.Sub, From: p.From, Packet: p.Seg.Num, Kind: EventFallback, Detail: why})
}

// ackAfterFallback lets the subflow's acknowledgment stand for the DATA_ACK
// where the stream is mapped one to one.
func (t *Table) ackAfterFallback(p *Packet, space *dss.Space) {
	other := p.From.Other()
	una := p.Sub.Half[other].Una()
	if p.Sub.Half[other].FINAcked() {
		una-- // the FIN takes a place on the subflow and none in the data
	}
	if at, ok := p.Sub.Lanes[other].InfiniteAt(una); ok {
		p.Advanced, p.DataAcked = space.DataAck(at, p.Seg.Time)
		p.AckAt = at
	}
}

// checksumFailed reports a mapping whose payload was changed on the way.
func (t *Table) checksumFailed(p *Packet, k *dss.Check) {
	p.Conn.event(Event{Time: p.Seg.Time, Sub: p.Sub, From: p.From, Packet: p.Seg.Num, Kind: EventChecksum,
		Detail: fmt.Sprintf("DSS checksum of the mapping at subflow sequence number %d (packet %d) fails", k.SSN, k.Packet)})
}
