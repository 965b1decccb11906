package stats

import (
	"encoding/binary"
	"math"
	"math/bits"
	"slices"
	"sync"
)

// entries are values in the order in which they were added; equal neighbours are one
// entry. Most values are near the value before, and they are whole numbers of bytes or
// segments, or whole nanoseconds expressed in milliseconds. Most weights are 1 or
// another whole number. So each entry holds a difference, in a few bytes.
type entries struct {
	// code holds all values, if there are two or more, and all weights except the
	// latest. Each is a byte and up to eight more bytes ([appendField]). A weight
	// belongs to the entry before it. Bounded by 18 bytes for each of full + BatchSize
	// entries.
	code []byte
	last Weighted // the latest
	n    uint16
	form byte   // of the latest value in code; the next one has the same form or a higher one
	unit uint32 // 1 less than the latest whole weight; entries without a weight in code have that weight
}

// The kind of a field: the upper bits of its first byte. The lower bits are the number
// of bytes that follow.
const (
	formWhole  = iota << 4 // the difference from the value before, a whole number
	formNanos              // the same, in millionths
	formBits               // the bits that differ from those of the value before
	weighted               // the weight of the entry before, a whole number; the value follows
	weightBits             // the weight of the entry before, as the bits of a float64
	sizeMask   = 15
)

// put adds a finite value. If it equals the latest entry, put adds its weight to that
// entry and returns false.
func (x *entries) put(v, w float64) (added bool) {
	if x.n > 0 {
		if x.last.Value == v {
			x.last.Weight += w
			return false
		}
		if cap(x.code)-len(x.code) < maxEntry {
			x.grow()
		}
		if x.n == 1 {
			x.appendValue(0, x.last.Value)
		}
		if w := x.last.Weight; w != float64(x.unit)+1 {
			x.appendWeight(w)
		}
		x.appendValue(x.last.Value, v)
	}
	x.last = Weighted{v, w}
	x.n++
	return true
}

// maxEntry is the largest number of bytes that two values and a weight take.
const maxEntry = 3 * 9

// grow makes the capacity of code larger by a quarter.
func (x *entries) grow() {
	room := cap(x.code)
	x.code = append(slices.Grow([]byte(nil), room+room/4+maxEntry), x.code...)
}

// appendValue appends the value v; before is the value before it.
func (x *entries) appendValue(before, v float64) {
	if x.form == formWhole {
		if i := int64(v); math.Abs(v) < maxWhole && math.Float64bits(float64(i)) == math.Float64bits(v) {
			x.code = appendField(x.code, formWhole, zigzag(i-int64(before)))
			return
		}
		x.form = formNanos
	}
	if x.form == formNanos {
		if i := nanos(v); math.Float64bits(float64(i)/1e6) == math.Float64bits(v) {
			x.code = appendField(x.code, formNanos, zigzag(i-nanos(before)))
			return
		}
		x.form = formBits
	}
	x.code = appendField(x.code, formBits, math.Float64bits(v)^math.Float64bits(before))
}

// appendWeight appends the weight of the latest entry.
func (x *entries) appendWeight(w float64) {
	if i := int64(w); w < maxWhole && i > 0 && float64(i) == w {
		x.code = appendField(x.code, weighted, uint64(i))
		x.unit = uint32(min(i-1, math.MaxUint32))
	} else {
		x.code = appendField(x.code, weightBits, math.Float64bits(w))
	}
}

// appendField appends a byte with the kind of u and its number of bytes, and then those
// bytes. The capacity must allow eight of them.
func appendField(code []byte, what byte, u uint64) []byte {
	at, n := len(code), (bits.Len64(u)+7)>>3
	code = code[:at+9]
	code[at] = what | byte(n)
	binary.LittleEndian.PutUint64(code[at+1:], u)
	return code[:at+1+n]
}

// maxWhole bounds the numbers of which a float64 holds every whole one and every half.
const maxWhole = 1 << 52

// nanos returns a whole number next to v times a million; 0 if the product is too large.
func nanos(v float64) int64 {
	if v *= 1e6; !(math.Abs(v) < maxWhole) {
		return 0
	}
	return int64(v + math.Copysign(0.5, v))
}

// zigzag maps small numbers, positive or negative, to small unsigned numbers.
func zigzag(i int64) uint64 { return uint64(i<<1) ^ uint64(i>>63) }

func unzigzag(u uint64) int64 { return int64(u>>1) ^ -int64(u&1) }

// lists are unused lists for decoded entries.
var lists = sync.Pool{New: func() any { return new(make([]Weighted, 0, full+BatchSize)) }}

// list returns all entries in a list from lists.
func (x *entries) list() *[]Weighted {
	room := lists.Get().(*[]Weighted)
	list, before, unit := (*room)[:0], 0., 1.
	for code := x.code; len(code) > 0; {
		n := int(code[0] & sizeMask)
		u := binary.LittleEndian.Uint64(code[1:9]) & (1<<(8*n) - 1) // the capacity allows eight bytes
		what := code[0] &^ sizeMask
		code = code[n+1:]
		switch what {
		case weighted:
			unit = float64(min(u, 1<<32))
			list[len(list)-1].Weight = float64(u)
			continue
		case weightBits:
			list[len(list)-1].Weight = math.Float64frombits(u)
			continue
		case formWhole:
			before = float64(int64(before) + unzigzag(u))
		case formNanos:
			before = float64(nanos(before)+unzigzag(u)) / 1e6
		default:
			before = math.Float64frombits(math.Float64bits(before) ^ u)
		}
		list = append(list, Weighted{before, unit})
	}
	switch x.n {
	case 0:
	case 1:
		list = append(list, x.last)
	default:
		list[len(list)-1].Weight = x.last.Weight
	}
	*room = list
	return room
}
