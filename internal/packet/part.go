package packet

import (
	"mpanalyze/internal/mptcp"
	"mpanalyze/internal/seq"
)

// SetPart makes s the segment that carries n bytes of the payload of whole, from byte at on, as a
// network card cuts a packet: the segments have the same header, but PSH and FIN stand in the last
// one. What tells something once, as a mapping of all the payload, stays in the first.
func (s *Segment) SetPart(whole *Segment, at, n uint32) {
	*s = *whole
	s.Seq, s.PayloadLen = whole.Seq+seq.Wire(at), n
	s.Captured = min(whole.Captured-min(at, whole.Captured), n)
	if at+n < whole.PayloadLen {
		s.Flags &^= PSH | FIN
	}
	if at > 0 {
		s.Flags &^= CWR | URG // RFC 3168, Section 6.1.2: one CWR for a reduced window
		s.Have &^= ClockChanged | OptionsMalformed | BadMPTCP | OddMPTCP
		s.OtherLen = 0
		s.DSS.Flags &^= mptcp.DSSMap | mptcp.DSSFin | mptcp.DSSChecksum
	}
	if whole.Have&HasPayload != 0 {
		from := min(int(at), len(whole.Payload))
		s.Payload = whole.Payload[from:min(from+int(n), len(whole.Payload))]
	}
}
