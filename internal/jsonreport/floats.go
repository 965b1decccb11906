package jsonreport

import (
	"math"
	"strconv"

	"mpanalyze/internal/jsontext"
)

// floatCache keeps the texts of numbers. Many figures are equal: the least, the largest
// and the median of a single value are one number, and metrics may have equal means.
type floatCache struct {
	last  floatText              // the latest number
	known [knownFloats]floatText // further numbers that are not integers, by a hash of their bits
}

// knownFloats is how many numbers the cache keeps.
const knownFloats = 1 << 9

type floatText struct {
	bits   uint64 // bits of the number; 0 where no text is kept
	text   [floatRoom]byte
	length uint8
}

// floatRoom is more than the text of a number takes: 17 digits, sign, point and six
// leading zeros, or 21 digits and sign.
const floatRoom = 32

// append appends v as [jsontext.AppendFloat] does. b must have room for floatRoom more bytes.
func (m *floatCache) append(b []byte, v float64) []byte {
	bits := math.Float64bits(v)
	if bits>>63 == 0 && v < 10 {
		if n := int64(v); float64(n) == v { // most numbers are integers
			return append(b, '0'+byte(n))
		}
	}
	if bits != m.last.bits {
		m.find(bits, v)
	}
	n := len(b)
	*(*[floatRoom]byte)(b[n : n+floatRoom]) = m.last.text
	return b[:n+int(m.last.length)]
}

// find makes v the latest number.
func (m *floatCache) find(bits uint64, v float64) {
	if n, ok := jsontext.AsInteger(v); ok {
		m.last.bits, m.last.length = bits, uint8(len(strconv.AppendInt(m.last.text[:0], n, 10)))
		return
	}
	const mixes = 0x9e37_79b9_7f4a_7c15 // 2^64 / golden ratio: Knuth's multiplicative hashing
	k := &m.known[bits*mixes>>(64-9)]
	if k.bits != bits {
		k.bits, k.length = bits, uint8(len(jsontext.AppendFloat(k.text[:0], v)))
	}
	m.last = *k
}
