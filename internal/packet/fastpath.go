package packet

import (
	"encoding/binary"
	"math/bits"

	"mpanalyze/internal/mptcp"
	"mpanalyze/internal/seq"
)

const (
	// ViewLen is the number of bytes that [Segment.ParseFast] reads: the longest header, and the
	// bytes behind it that it may read when an option stands at the end of the header.
	ViewLen = 80
	// timestampsEnd is where the options after the timestamps begin.
	timestampsEnd = fixedLen + 2 + lenTimestamps
)

// wordTimestamps are the four bytes before the timestamps in the option layout of Linux
// (RFC 7323, Appendix A).
const wordTimestamps = kindNOP<<24 | kindNOP<<16 | kindTimestamps<<8 | lenTimestamps

// A tail describes the bytes behind timestamps and DSS in a header on the fast path.
type tail struct {
	mask, want uint32 // its first four bytes, under mask, must be want
	block      uint64 // all ones if a SACK block follows them
}

// tails holds the tails by their length: nothing, padding, or one SACK block (RFC 2018,
// Section 3). The entries for other lengths match no bytes.
var tails = func() (table [4 + lenSACKBlock + 1]tail) {
	const padding, sack = kindNOP<<24 | kindNOP<<16, kindSACK<<8 | (2 + lenSACKBlock)
	for n := range table {
		table[n].want = 1
	}
	table[0] = tail{}
	table[2] = tail{mask: 0xffff << 16, want: padding}
	table[4+lenSACKBlock] = tail{mask: ^uint32(0), want: padding | sack, block: ^uint64(0)}
	return table
}()

// ParseFast does what [Segment.ParseTCP] does for nearly all headers of an MPTCP session: the
// header was captured whole, has no urgent data, and has timestamps, then nothing or a DSS and
// one of the tails. If the header at h is not of this kind, it returns false, and ParseTCP must
// parse it. After the captured bytes h may hold anything.
//
// A walk through the options branches on each byte, and the processor can hardly predict which
// form comes next. The fast path uses tables instead of branches.
func (s *Segment) ParseFast(h *[ViewLen]byte, captured, wireLen int) bool {
	header := int(h[12]>>4) * 4
	if header > captured || header > wireLen || h[13]&uint8(URG) != 0 ||
		binary.BigEndian.Uint32(h[fixedLen:]) != wordTimestamps {
		return false
	}
	s.clearRare()
	if header == timestampsEnd {
		s.DSS, s.SACK[0], s.NSACK, s.Have = mptcp.DSS{}, SACKBlock{}, 0, HasTimestamps
	} else {
		n := mptcp.LeadingDSS((*[mptcp.MaxDSS]byte)(h[timestampsEnd:]), &s.DSS)
		left := uint(header - timestampsEnd - n) // huge if the DSS is longer than the header
		if n == 0 || left >= uint(len(tails)) {
			return false
		}
		t, rest := &tails[left], h[timestampsEnd+n&31:] // the mask changes nothing, but saves a bounds check
		if binary.BigEndian.Uint32(rest)&t.mask != t.want {
			return false
		}
		s.SACK[0].Left, s.SACK[0].Right = words[seq.Wire](binary.BigEndian.Uint64(rest[4:]) & t.block)
		s.NSACK, s.Have = uint8(t.block&1), HasTimestamps|HasDSS
	}
	s.fixedHeader((*[fixedLen]byte)(h[:]))
	s.OptLen = uint8(header - fixedLen)
	s.PayloadLen = uint32(wireLen - header)
	s.TSVal, s.TSEcr = words[uint32](binary.BigEndian.Uint64(h[timestampsEnd-8:]))
	return true
}

// words returns the upper and the lower half of b. If both are assigned to neighbouring
// fields, the compiler makes one store of them.
func words[W ~uint32](b uint64) (first, second W) {
	b = bits.RotateLeft64(b, 32)
	return W(b), W(b >> 32)
}
