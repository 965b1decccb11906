package packet

import (
	"encoding/binary"
	"errors"

	"mpanalyze/internal/mptcp"
	"mpanalyze/internal/seq"
)

// Errors of [Segment.ParseTCP]. Both are values without a place: the caller
// knows packet number and offset.
var (
	// ErrShort says that the capture ends inside the 20 octets of the fixed
	// TCP header.
	ErrShort = errors.New("TCP header cut short by the capture: fewer than 20 octets")
	// ErrDataOffset says that the data offset is below 5 words or points
	// past the end of the segment.
	ErrDataOffset = errors.New("TCP data offset outside the segment")
)

// fixedLen is the octets of a TCP header without options (RFC 9293, Section 3.1).
const fixedLen = 20

// ParseTCP fills s from one TCP segment: tcp is what the capture holds from
// the header's first octet on, wireLen the octets that header and payload had
// on the wire, by the IP length. Octets of tcp beyond wireLen (padding of the
// link layer) are ignored.
//
// It sets, and first clears, the ports in Src and Dst and all that the TCP
// header tells: Seq to Other, and Have but for the direction bits [Outgoing] and
// [Incoming], which are the caller's like all other fields.
//
// Damage in the options is no error but a bit in Have: what was read before it
// stands, as in a host. After an error those fields are set that the captured
// octets hold, up to the octet that is wrong, and nothing else is.
func (s *Segment) ParseTCP(tcp []byte, wireLen int) error {
	direction := s.Have & (Outgoing | Incoming)
	if cap(tcp) >= ViewLen && s.ParseUsual((*[ViewLen]byte)(tcp[:ViewLen]), len(tcp), wireLen) {
		s.Have |= direction
		return nil
	}
	s.Have = direction
	return s.parse(tcp, wireLen)
}

// parse is ParseTCP for a header of any form. Have holds the direction.
func (s *Segment) parse(tcp []byte, wireLen int) error {
	s.clear()
	if len(tcp) > wireLen {
		tcp = tcp[:max(0, wireLen)]
	}
	if len(tcp) < fixedLen {
		s.parseStump(tcp)
		if wireLen < fixedLen {
			return ErrDataOffset
		}
		return ErrShort
	}
	s.fixed((*[fixedLen]byte)(tcp))
	if s.Flags&URG != 0 {
		s.Urgent = binary.BigEndian.Uint16(tcp[18:])
	}
	header := int(tcp[12]>>4) * 4
	if header < fixedLen || header > wireLen {
		return ErrDataOffset
	}
	s.OptLen = uint8(header - fixedLen)
	s.PayloadLen = uint32(wireLen - header)
	if header > len(tcp) {
		s.Have |= OptionsCut
		s.parseOptions(tcp[fixedLen:], header-len(tcp))
		return nil
	}
	s.parseOptions(tcp[fixedLen:header], 0)
	return nil
}

// fixed reads what nearly every header uses of its fixed part.
func (s *Segment) fixed(h *[fixedLen]byte) {
	s.Src.Port = binary.BigEndian.Uint16(h[0:])
	s.Dst.Port = binary.BigEndian.Uint16(h[2:])
	s.Seq, s.Ack = words[seq.Wire](binary.BigEndian.Uint64(h[4:]))
	s.Flags = Flags(h[13])
	s.Window = binary.BigEndian.Uint16(h[14:])
}

// clear empties the fields that parse owns but for those that it sets in every
// case.
func (s *Segment) clear() {
	s.dropRare()
	s.SACK[0], s.NSACK = SACKBlock{}, 0
	s.DSS = mptcp.DSS{}
	s.OptLen, s.PayloadLen = 0, 0
	s.TSVal, s.TSEcr = 0, 0
}

// dropRare empties the fields that few headers fill. They are only looked at,
// and the part of the memory where they lie is left alone, if the segment in s
// says that it has filled them.
func (s *Segment) dropRare() {
	if s.Flags&(SYN|URG)|Flags(s.NSACK>>1|s.OtherLen) == 0 {
		return
	}
	s.SACK, s.NSACK = [4]SACKBlock{}, 0
	s.Other, s.OtherLen = [40]byte{}, 0
	s.MSS, s.WScale, s.Urgent = 0, 0, 0
	s.FastOpen = FastOpen{}
}

// PayloadIn returns the captured part of the payload; tcp is what s was parsed
// from.
func (s *Segment) PayloadIn(tcp []byte) []byte {
	header := fixedLen + int(s.OptLen)
	if header > len(tcp) {
		return nil
	}
	return tcp[header:min(len(tcp), header+int(s.PayloadLen))]
}

// parseStump fills the fields that stand whole in a header of fewer than 20
// octets: enough to say which flow a cut packet belongs to.
func (s *Segment) parseStump(tcp []byte) {
	s.Src.Port, s.Dst.Port = 0, 0
	s.Seq, s.Ack = 0, 0
	s.Window, s.Urgent, s.Flags = 0, 0, 0
	if len(tcp) >= 4 {
		s.Src.Port = binary.BigEndian.Uint16(tcp)
		s.Dst.Port = binary.BigEndian.Uint16(tcp[2:])
	}
	if len(tcp) >= 8 {
		s.Seq = seq.Wire(binary.BigEndian.Uint32(tcp[4:]))
	}
	if len(tcp) >= 12 {
		s.Ack = seq.Wire(binary.BigEndian.Uint32(tcp[8:]))
	}
	if len(tcp) >= 14 {
		s.Flags = Flags(tcp[13])
	}
	if len(tcp) >= 16 {
		s.Window = binary.BigEndian.Uint16(tcp[14:])
	}
}
