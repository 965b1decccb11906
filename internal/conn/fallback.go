package conn

import (
	"fmt"

	"mpanalyze/internal/dss"
	"mpanalyze/internal/packet"
)

// maxUnmappedRuns is how many runs of payload may wait for a mapping on the only
// subflow of a connection before the connection is taken to have fallen back.
const maxUnmappedRuns = 32

// hasNoMPTCP reports whether a packet certainly carries no MPTCP option.
func hasNoMPTCP(s *packet.Segment) bool {
	return s.Have&(packet.HasDSS|packet.OptionsCut) == 0 && s.OtherLen == 0
}

// takeUnmapped judges payload that no mapping covers. On the only subflow such payload
// implies an infinite mapping (RFC 8684, Section 3.7) as soon as it is certain that no
// mapping will come. That is never certain where the capture cut the options of a
// packet whose payload waits.
func (p *Packet) takeUnmapped(space *dss.Space, subSpace *dss.SubflowSpace) {
	c := p.Conn
	n, first := subSpace.FirstUnmapped()
	subSpace.OptionsCut = subSpace.OptionsCut || n > 0 && p.Seg.Have&packet.OptionsCut != 0
	if n == 0 || subSpace.OptionsCut || !c.isOnlyAlive(p.Sub) {
		return
	}
	switch {
	case c.Fallback != "":
	case !subSpace.Mapped() && c.Handshake && hasNoMPTCP(p.Seg):
		p.fallBack(first.Time, c.unmappedStart(p.Sub), fmt.Sprintf("the first payload of %v carries no MPTCP option, so data is plain TCP (packet %d)", p.From, first.Packet))
	case n > maxUnmappedRuns && hasNoMPTCP(p.Seg):
		code := FallbackDSS
		if !subSpace.Mapped() {
			code = "" // the capture lacks the packets that show why
		}
		p.fallBack(first.Time, code, fmt.Sprintf("payload of %v without a mapping since packet %d: options are missing%s", p.From, first.Packet, c.failure))
	default:
		return
	}
	space.AddImpliedMapping(subSpace, p.Seg.Num, &p.Result)
}

// unmappedAcked does the same as takeUnmapped, at another time: when the receiver
// acknowledges payload that waits for a mapping, and sends no DATA_ACK.
func (p *Packet) unmappedAcked(space *dss.Space, subSpace *dss.SubflowSpace) {
	c, other := p.Conn, p.From.Other()
	_, first := subSpace.FirstUnmapped()
	if subSpace.OptionsCut || p.HasDataAck || p.Seg.Have&packet.OptionsCut != 0 || !subSpace.Mapped() && !c.Handshake && c.Fallback == "" ||
		p.Sub.Senders[other].SndUna() < first.End || !c.isOnlyAlive(p.Sub) {
		return
	}
	code := FallbackDSS
	if !subSpace.Mapped() {
		code = c.unmappedStart(p.Sub)
	}
	p.fallBack(first.Time, code, fmt.Sprintf("payload of %v without a mapping since packet %d was accepted without a DATA_ACK: options are missing%s",
		other, first.Packet, c.failure))
	var found dss.Result
	space.AddImpliedMapping(subSpace, p.Seg.Num, &found)
	p.LateMapped = found.Pieces
}

// isOnlyAlive reports whether no other subflow of the connection is alive.
func (c *Conn) isOnlyAlive(sub *Subflow) bool {
	for _, s := range c.Subflows {
		if s != sub && !s.Done() && s.Established() {
			return false
		}
	}
	return true
}

// unmappedStart returns the cause of a fallback if the data never had a mapping. Either
// the third packet did not confirm the keys, or it did and the data still came without
// DSS.
func (c *Conn) unmappedStart(s *Subflow) FallbackCode {
	switch {
	case !s.thirdSeen || c.ThirdConfirms():
		return FallbackData
	case !c.Offers[OfferThird].Seen && s.Senders[A].OptionsCut > 0:
		return "" // the capture may have cut its MP_CAPABLE
	}
	return FallbackThird
}

// fallBack notes, once, that the connection has fallen back. at is the time of the
// first payload without Multipath TCP, and p the packet that shows it.
func (p *Packet) fallBack(at int64, code FallbackCode, why string) {
	c := p.Conn
	if c.Fallback != "" {
		return
	}
	c.FallbackCode = code
	c.Fallback = fmt.Sprintf("%s, since %.6f s", why, float64(at-c.Start)/1e9)
	c.FellBack = at
	p.emit(EventFallback, why)
}

// ackAfterFallback treats the subflow's acknowledgment as a DATA_ACK where an infinite
// mapping covers the stream.
func (p *Packet) ackAfterFallback(space *dss.Space) {
	other := p.From.Other()
	una := p.Sub.Senders[other].SndUna()
	if p.Sub.Senders[other].FINAcked() {
		una-- // the FIN has a position on the subflow but none in the data
		p.Sub.endAfterFallback(other)
	}
	if at, ok := p.Sub.Spaces[other].InfiniteAt(una); ok {
		p.DataAckAdvanced = space.DataAck(at, p.Seg.Time, &p.Result)
		p.DataAck = at
	}
}

// endAfterFallback treats the FIN that side from sent as a DATA_FIN where an infinite
// mapping covers the stream, because the subflow is a TCP connection then (RFC 8684,
// Section 3.7).
func (s *Subflow) endAfterFallback(from Side) {
	fin, ok := s.Senders[from].FIN()
	if !ok || s.Conn.Fallback == "" {
		return
	}
	if at, ok := s.Spaces[from].InfiniteAt(fin); ok {
		s.Conn.Spaces[from].DataFIN(at)
	}
}
