package conn

import (
	"fmt"

	"mpanalyze/internal/dss"
	"mpanalyze/internal/packet"
)

// maxUnmappedRuns is how many runs of payload may wait for a mapping, on the only
// subflow of a connection, before the connection is taken to have fallen back.
const maxUnmappedRuns = 32

// hasNoMPTCP reports whether a packet certainly carries no MPTCP option.
func hasNoMPTCP(s *packet.Segment) bool {
	return s.Have&(packet.HasDSS|packet.OptionsCut) == 0 && s.OtherLen == 0
}

// takeUnmapped judges payload that no mapping covers. On the only subflow it
// implies an infinite mapping (RFC 8684, Section 3.7) once it is certain that
// no mapping is still to come. Where the capture cut the options of payload
// that waits, nothing is certain any more.
func (t *Table) takeUnmapped(p *Packet, space *dss.Space, subSpace *dss.SubflowSpace) {
	c := p.Conn
	n, first := subSpace.FirstUnmapped()
	subSpace.OptionsCut = subSpace.OptionsCut || n > 0 && p.Seg.Have&packet.OptionsCut != 0
	if n == 0 || subSpace.OptionsCut || !c.alone(p.Sub) {
		return
	}
	switch {
	case c.Fallback != "":
	case !subSpace.Mapped() && c.Handshake && hasNoMPTCP(p.Seg):
		t.fallBack(p, first.Time, c.unmappedStart(p.Sub), fmt.Sprintf("the first payload of %v carries no MPTCP option, so data is plain TCP (packet %d)", p.From, first.Packet))
	case n > maxUnmappedRuns && hasNoMPTCP(p.Seg):
		t.fallBack(p, first.Time, FallbackDSS, fmt.Sprintf("payload of %v without a mapping since packet %d: options are missing%s", p.From, first.Packet, c.failure))
	default:
		return
	}
	space.AddImpliedMapping(subSpace, p.Seg.Num, &p.Result)
}

// unmappedAcked does the same when the receiver accepts unmapped payload, which
// waits on the lane, with an acknowledgment that carries no DATA_ACK.
func (t *Table) unmappedAcked(p *Packet, space *dss.Space, subSpace *dss.SubflowSpace) {
	c, other := p.Conn, p.From.Other()
	_, first := subSpace.FirstUnmapped()
	if subSpace.OptionsCut || p.HasDataAck || p.Seg.Have&packet.OptionsCut != 0 || !subSpace.Mapped() && !c.Handshake ||
		p.Sub.Senders[other].SndUna() < first.End || !c.alone(p.Sub) {
		return
	}
	code := FallbackDSS
	if !subSpace.Mapped() {
		code = c.unmappedStart(p.Sub)
	}
	t.fallBack(p, first.Time, code, fmt.Sprintf("payload of %v without a mapping since packet %d was accepted without a DATA_ACK: options are missing%s",
		other, first.Packet, c.failure))
	var found dss.Result
	space.AddImpliedMapping(subSpace, p.Seg.Num, &found)
	p.LateMapped = found.Pieces
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

// unmappedStart returns the cause of data that never had a mapping: the third
// packet did not confirm the keys, or it did, and the data came without DSS all the
// same.
func (c *Conn) unmappedStart(s *Subflow) FallbackCode {
	switch {
	case !s.thirdSeen || c.thirdConfirms():
		return FallbackData
	case !c.Offers[OfferThird].Seen && s.Senders[A].OptionsCut > 0:
		return "" // the capture may have cut it off
	}
	return FallbackThird
}

// fallBack notes that the connection has fallen back, once: the first payload
// without Multipath TCP passed at a time, which p shows.
func (t *Table) fallBack(p *Packet, at int64, code FallbackCode, why string) {
	c := p.Conn
	if c.Fallback != "" {
		return
	}
	c.FallbackCode = code
	c.Fallback = fmt.Sprintf("%s, since %.6f s", why, float64(at-c.Start)/1e9)
	c.FellBack = at
	p.emit(EventFallback, why)
}

// ackAfterFallback lets the subflow's acknowledgment stand for the DATA_ACK
// where the stream is mapped one to one.
func (t *Table) ackAfterFallback(p *Packet, space *dss.Space) {
	other := p.From.Other()
	una := p.Sub.Senders[other].SndUna()
	if p.Sub.Senders[other].FINAcked() {
		una-- // the FIN takes a place on the subflow and none in the data
		p.Sub.endAfterFallback(other)
	}
	if at, ok := p.Sub.Spaces[other].InfiniteAt(una); ok {
		p.DataAckAdvanced = space.DataAck(at, p.Seg.Time, &p.Result)
		p.DataAck = at
	}
}

// endAfterFallback notes that the FIN of what side from sends on the subflow ends
// the data, where the stream is mapped one to one: the receiver counts it like a
// DATA_FIN (RFC 8684, Section 3.7: the subflow is a TCP connection from there on).
func (s *Subflow) endAfterFallback(from Side) {
	fin, ok := s.Senders[from].FIN()
	if !ok || s.Conn.Fallback == "" {
		return
	}
	if at, ok := s.Spaces[from].InfiniteAt(fin); ok {
		s.Conn.Spaces[from].DataFIN(at)
	}
}
