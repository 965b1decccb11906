package jsonreport

import (
	"math"
	"strconv"
)

// floatTexts keeps the texts of numbers, as the latest one at each hash of a number. The
// figures of a connection repeat: least, largest and median of one value are one number,
// and the shortest decimal of one costs as much as ten other values.
type floatTexts [1 << floatHash]struct {
	bits uint64 // of the number; 0 where there is none
	text []byte
}

const floatHash = 9 // bits

// append appends v as [appendFloat] does.
func (f *floatTexts) append(b []byte, v float64) []byte {
	if n, ok := asInteger(v); ok {
		return strconv.AppendInt(b, n, 10)
	}
	const mix = 0x9e37_79b9_7f4a_7c15 // 2^64 / golden ratio: Knuth's multiplicative hashing
	bits := math.Float64bits(v)
	k := &f[bits*mix>>(64-floatHash)]
	if k.bits != bits {
		k.bits, k.text = bits, appendFloat(k.text[:0], v)
	}
	return append(b, k.text...)
}
