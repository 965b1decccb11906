package jsonreport

import (
	"math"
	"strconv"
)

// floatCache keeps the texts of numbers. Few values give figures that are alike:
// least, largest and median of one value are one number, and the mean of one
// metric is that of another.
type floatCache struct {
	last  floatText              // the latest number
	known [knownFloats]floatText // further ones that are no integers, by a hash of their bits
}

// knownFloats is how many numbers the cache keeps.
const knownFloats = 1 << 9

type floatText struct {
	bits   uint64 // of the number; 0, for which no text is kept, where there is none
	text   [floatRoom]byte
	length uint8
}

// floatRoom is more than a number takes: 17 digits, sign, point and six zeros in
// front, or 21 digits and sign.
const floatRoom = 32

// append appends v as appendJSONFloat does, to what has room for floatRoom
// bytes more.
func (m *floatCache) append(b []byte, v float64) []byte {
	bits := math.Float64bits(v)
	if bits>>63 == 0 && v < 10 {
		if n := int64(v); float64(n) == v { // as most are
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
	if n, ok := asInteger(v); ok {
		m.last.bits, m.last.length = bits, uint8(len(strconv.AppendInt(m.last.text[:0], n, 10)))
		return
	}
	const mixes = 0x9e37_79b9_7f4a_7c15 // 2^64 / golden ratio: Knuth's multiplicative hashing
	k := &m.known[bits*mixes>>(64-9)]
	if k.bits != bits {
		k.bits, k.length = bits, uint8(len(appendJSONFloat(k.text[:0], v)))
	}
	m.last = *k
}
