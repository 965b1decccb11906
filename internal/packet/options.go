package packet

import (
	"encoding/binary"

	"mpanalyze/internal/mptcp"
	"mpanalyze/internal/seq"
)

// TCP option kinds (RFC 9293, Section 3.2; RFC 7323; RFC 2018).
const (
	kindEnd           = 0
	kindNOP           = 1
	kindMSS           = 2
	kindWScale        = 3
	kindSACKPermitted = 4
	kindSACK          = 5
	kindTimestamps    = 8
)

// Lengths of options in bytes, kind and length byte included.
const (
	lenMSS           = 4
	lenWScale        = 3
	lenSACKPermitted = 2
	lenTimestamps    = 10
	lenSACKBlock     = 8
)

// maxWScale is the largest shift count: a host that receives a larger one must
// use this instead (RFC 7323, Section 2.3).
const maxWScale = 14

// parseOptions reads the captured part of the option list, b. beyond is the number of
// bytes that were not captured.
func (s *Segment) parseOptions(b []byte, beyond int) {
	for len(b) > 0 {
		switch b[0] {
		case kindNOP:
			b = b[1:]
			continue
		case kindEnd:
			return
		}
		if len(b) < 2 || b[1] < 2 || int(b[1]) > len(b) {
			if !cutShort(b, beyond) {
				s.Have |= OptionsMalformed
			}
			return
		}
		n := int(b[1])
		if b[0] == mptcp.Kind {
			s.mptcpOption(b[:n])
		} else {
			s.tcpOption(b[:n])
		}
		b = b[n:]
	}
}

// cutShort reports whether the option at b, which is longer than b, may end within the
// bytes beyond that were not captured.
func cutShort(b []byte, beyond int) bool {
	if len(b) < 2 {
		return beyond > 0
	}
	return b[1] >= 2 && int(b[1]) <= len(b)+beyond
}

// tcpOption reads an option other than MPTCP. Like hosts, it ignores an option with a wrong
// length.
func (s *Segment) tcpOption(b []byte) {
	switch kind := b[0]; {
	case kind == kindTimestamps && len(b) == lenTimestamps:
		s.TSVal, s.TSEcr = binary.BigEndian.Uint32(b[2:]), binary.BigEndian.Uint32(b[6:])
		s.Have |= HasTimestamps
	case kind == kindSACK:
		s.sackBlocks(b[2:])
	case s.Flags&SYN == 0: // the options below have a meaning only in a SYN
	case kind == kindMSS && len(b) == lenMSS:
		s.MSS = binary.BigEndian.Uint16(b[2:])
		s.Have |= HasMSS
	case kind == kindWScale && len(b) == lenWScale:
		s.WScale = min(b[2], maxWScale)
		s.Have |= HasWScale
	case kind == kindSACKPermitted && len(b) == lenSACKPermitted:
		s.Have |= HasSACKPermitted
	case kind == kindFastOpen || kind == kindExperimental:
		s.fastOpen(b)
	}
}

func (s *Segment) sackBlocks(b []byte) {
	if len(b)%lenSACKBlock != 0 {
		return
	}
	for ; len(b) >= lenSACKBlock && int(s.NSACK) < len(s.SACK); b = b[lenSACKBlock:] {
		s.SACK[s.NSACK] = SACKBlock{
			Left:  seq.Wire(binary.BigEndian.Uint32(b)),
			Right: seq.Wire(binary.BigEndian.Uint32(b[4:])),
		}
		s.NSACK++
	}
}

// mptcpOption decodes b if it is the first DSS, and otherwise keeps it whole.
func (s *Segment) mptcpOption(b []byte) {
	sub := mptcp.SubtypeOf(b)
	if sub == mptcp.SubDSS && s.Have&HasDSS == 0 && mptcp.ParseDSS(b, &s.DSS) == nil {
		s.Have |= HasDSS
		return
	}
	s.otherOption(sub, b)
}

// otherOption keeps b and stores whether its form is legal. The option list has at most 40
// bytes, so Other has room for all options.
func (s *Segment) otherOption(sub mptcp.Subtype, b []byte) {
	s.OtherLen += uint8(copy(s.Other[s.OtherLen:], b))
	switch {
	case mptcp.Check(b) != nil:
		s.Have |= BadMPTCP
	case sub == mptcp.SubDSS:
		s.Have |= OddMPTCP
	case !sub.Known():
		s.Have |= OddMPTCP
	}
}
