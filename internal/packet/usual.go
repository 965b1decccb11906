package packet

import (
	"encoding/binary"
	"math/bits"

	"mpanalyze/internal/mptcp"
	"mpanalyze/internal/seq"
)

const (
	// ViewLen is the octets that [Segment.ParseUsual] looks at: a header of any
	// length, and what an option that ends with it would have behind it.
	ViewLen = 80
	// stampsEnd is where the options after the timestamps begin.
	stampsEnd = fixedLen + 2 + lenTimestamps
)

// wordTimestamps is what stands before the timestamps in the layout of options
// that Linux has (RFC 7323, Appendix A).
const wordTimestamps = kindNOP<<24 | kindNOP<<16 | kindTimestamps<<8 | lenTimestamps

// A tail is what may follow timestamps and DSS in a usual header. Masks have the
// bits set of what is there.
type tail struct {
	mask, want uint32 // of its first four octets
	block      uint64 // all ones where a SACK block follows these
}

// tails holds the tails by their length in octets: nothing, padding, or one SACK
// block (RFC 2018, Section 3). Any other asks for what no octets can be.
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

// ParseUsual does what [Segment.ParseTCP] does for a header that has the form of
// nearly all of an MPTCP session, all of it captured: no urgent data, timestamps,
// then a DSS and one of the tails, or nothing. It reports whether the header at h
// has it; if not, the caller has to parse s in the other way. Behind the captured
// octets h may hold anything.
//
// It is here because the walk through the options has to ask of each octet what
// it is. Which of the usual forms comes next is hardly ever to be foreseen, so
// tables take the place of branches.
func (s *Segment) ParseUsual(h *[ViewLen]byte, captured, wireLen int) bool {
	header := int(h[12]>>4) * 4
	if header > captured || header > wireLen || h[13]&uint8(URG) != 0 ||
		binary.BigEndian.Uint32(h[fixedLen:]) != wordTimestamps {
		return false
	}
	s.dropRare()
	if header == stampsEnd {
		s.DSS, s.SACK[0], s.NSACK, s.Have = mptcp.DSS{}, SACKBlock{}, 0, HasTimestamps
	} else {
		n := mptcp.LeadingDSS((*[mptcp.MaxDSS]byte)(h[stampsEnd:]), &s.DSS)
		left := uint(header - stampsEnd - n) // huge where the DSS is not of this header
		if n == 0 || left >= uint(len(tails)) {
			return false
		}
		t, rest := &tails[left], h[stampsEnd+n&31:] // a mask that changes nothing but what the compiler knows
		if binary.BigEndian.Uint32(rest)&t.mask != t.want {
			return false
		}
		s.SACK[0].Left, s.SACK[0].Right = words[seq.Wire](binary.BigEndian.Uint64(rest[4:]) & t.block)
		s.NSACK, s.Have = uint8(t.block&1), HasTimestamps|HasDSS
	}
	s.fixed((*[fixedLen]byte)(h[:]))
	s.OptLen = uint8(header - fixedLen)
	s.PayloadLen = uint32(wireLen - header)
	s.TSVal, s.TSEcr = words[uint32](binary.BigEndian.Uint64(h[stampsEnd-8:]))
	return true
}

// words returns the upper and the lower half of b. Where both go to neighbouring
// fields, the compiler makes one store of this form.
func words[W ~uint32](b uint64) (first, second W) {
	b = bits.RotateLeft64(b, 32)
	return W(b), W(b >> 32)
}
