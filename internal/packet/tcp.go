package packet

import (
	"encoding/binary"
	"errors"

	"mpanalyze/internal/mptcp"
	"mpanalyze/internal/seq"
)

// Errors of [Segment.ParseTCP]. They have no position: the caller knows packet number
// and offset.
var (
	// ErrShort says that the capture ends inside the fixed part of the TCP header.
	ErrShort = errors.New("TCP header cut short by the capture: fewer than 20 bytes")
	// ErrDataOffset says that the data offset is below 5 words or points
	// past the end of the segment.
	ErrDataOffset = errors.New("TCP data offset outside the segment")
)

// fixedLen is the length of a TCP header without options (RFC 9293, Section 3.1).
const fixedLen = 20

// ParseTCP fills s from a TCP segment. tcp holds the captured bytes from the header on,
// wireLen is the length of header and payload on the wire, by the IP length. Bytes of
// tcp beyond wireLen (padding of the link layer) are ignored.
//
// It sets all fields that come from the TCP header: the ports in Src and Dst, Seq to Other, and
// Have except [Outgoing] and [Incoming]. The caller sets the other fields.
//
// Damage in the options is not an error: it sets a bit in Have, and the options before it are
// kept, as hosts do. After an error s must not be used.
func (s *Segment) ParseTCP(tcp []byte, wireLen int) error {
	direction := s.Have & (Outgoing | Incoming)
	if cap(tcp) >= ViewLen && s.ParseFast((*[ViewLen]byte)(tcp[:ViewLen]), len(tcp), wireLen) {
		s.Have |= direction
		return nil
	}
	s.Have = direction
	return s.parse(tcp, wireLen)
}

// parse does what ParseTCP does, for any header. s.Have holds Outgoing or Incoming.
func (s *Segment) parse(tcp []byte, wireLen int) error {
	s.clear()
	if len(tcp) > wireLen {
		tcp = tcp[:max(0, wireLen)]
	}
	if len(tcp) < fixedLen {
		if wireLen < fixedLen {
			return ErrDataOffset
		}
		return ErrShort
	}
	s.fixedHeader((*[fixedLen]byte)(tcp))
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

// fixedHeader reads the fields of the fixed part that nearly every header uses.
func (s *Segment) fixedHeader(h *[fixedLen]byte) {
	s.Src.Port = binary.BigEndian.Uint16(h[0:])
	s.Dst.Port = binary.BigEndian.Uint16(h[2:])
	s.Seq, s.Ack = words[seq.Wire](binary.BigEndian.Uint64(h[4:]))
	s.Flags = Flags(h[13])
	s.Window = binary.BigEndian.Uint16(h[14:])
}

// clear clears the fields that parse may leave unset.
func (s *Segment) clear() {
	s.clearRare()
	s.SACK[0], s.NSACK = SACKBlock{}, 0
	s.DSS = mptcp.DSS{}
	s.OptLen, s.PayloadLen = 0, 0
	s.TSVal, s.TSEcr = 0, 0
}

// clearRare clears the fields that few headers fill. It accesses their memory only if the other
// fields of s say that they are filled.
func (s *Segment) clearRare() {
	if s.Flags&(SYN|URG)|Flags(s.NSACK>>1|s.OtherLen) == 0 {
		return
	}
	s.SACK, s.NSACK = [4]SACKBlock{}, 0
	s.Other, s.OtherLen = [40]byte{}, 0
	s.MSS, s.WScale, s.Urgent = 0, 0, 0
	s.FastOpen = FastOpen{}
}

// HeaderLen returns the length of the TCP header on the wire, bytes.
func (s *Segment) HeaderLen() int { return fixedLen + int(s.OptLen) }

// PayloadIn returns the captured part of the payload. tcp holds the bytes from which s was
// parsed.
func (s *Segment) PayloadIn(tcp []byte) []byte {
	header := s.HeaderLen()
	if header > len(tcp) {
		return nil
	}
	return tcp[header:min(len(tcp), header+int(s.PayloadLen))]
}
