package mptcp

import (
	"encoding/binary"
	"math/bits"
)

// Sum accumulates the DSS checksum of one mapping: the 16-bit ones' complement
// sum of RFC 9293 over a pseudo-header and the mapping's data (RFC 8684,
// Section 3.3.1). The zero value is empty and ready to use. Pieces of data are
// added in the order of the stream and may be of any length, odd ones too; the
// pseudo-header may be added before, between or after them.
type Sum struct {
	acc uint64 // sum of 16-bit words; pieces add less than 2^16 each, so it cannot overflow before 2^48 of them
	odd bool   // an odd number of bytes of data was added
}

// PseudoHeader adds the pseudo-header: all 64 bits of the data sequence number, even if
// the option has 32 of them, the subflow sequence number, the data-level length and 16
// zero bits.
func (s *Sum) PseudoHeader(dsn uint64, ssn uint32, length uint16) {
	s.acc += uint64(fold(dsn)) + uint64(fold(uint64(ssn))) + uint64(length)
}

// Add adds the next bytes of data.
func (s *Sum) Add(b []byte) {
	sum := fold(words(b))
	if s.odd { // the piece starts in the low half of a word
		sum = bits.ReverseBytes16(sum)
	}
	s.acc += uint64(sum)
	s.odd = s.odd != (len(b)%2 == 1)
}

// Value returns the checksum that the option must carry.
func (s *Sum) Value() uint16 { return ^fold(s.acc) }

// Verify reports whether checksum, as read from the option, fits the bytes that were added. It
// follows RFC 1071: the sum together with the checksum must be all ones.
func (s *Sum) Verify(checksum uint16) bool { return fold(s.acc+uint64(checksum)) == 0xffff }

// words returns the ones' complement sum of b as 64-bit words. The last word is filled with
// zeros. Folded to 16 bits, the sum equals the sum of b's 16-bit words, because 2^16 is 1 modulo
// 2^16-1.
func words(b []byte) uint64 {
	var sum, carry uint64
	for len(b) >= 32 {
		sum, carry = bits.Add64(sum, binary.BigEndian.Uint64(b), carry)
		sum, carry = bits.Add64(sum, binary.BigEndian.Uint64(b[8:]), carry)
		sum, carry = bits.Add64(sum, binary.BigEndian.Uint64(b[16:]), carry)
		sum, carry = bits.Add64(sum, binary.BigEndian.Uint64(b[24:]), carry)
		b = b[32:]
	}
	for len(b) >= 8 {
		sum, carry = bits.Add64(sum, binary.BigEndian.Uint64(b), carry)
		b = b[8:]
	}
	if len(b) > 0 {
		var tail [8]byte
		copy(tail[:], b)
		sum, carry = bits.Add64(sum, binary.BigEndian.Uint64(tail[:]), carry)
	}
	sum, carry = bits.Add64(sum, 0, carry)
	return sum + carry
}

// fold reduces a sum to 16 bits with end-around carry.
func fold(x uint64) uint16 {
	x = x>>32 + x&0xffffffff
	x = x>>16 + x&0xffff
	x = x>>16 + x&0xffff
	return uint16(x>>16 + x)
}
