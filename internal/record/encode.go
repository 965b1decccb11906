package record

import (
	"encoding/binary"
	"hash/crc32"
	"math/bits"
	"reflect"
	"unsafe"
)

// Codec writes and reads values of one type. It accesses the memory of fields directly, at the
// offsets that the type gives. Reflection would take three times as long.
type Codec[T any] struct {
	words *Dictionary
	plan  *plan
	types []reflect.Type // by number of slab
}

// NewCodec returns a codec for values of T. Several codecs may share a dictionary. shared is a
// type of list: many values hold the same list of this type, at the same address. Such lists
// are stored in the dictionary, which keeps them in memory.
func NewCodec[T any](words *Dictionary, shared reflect.Type) *Codec[T] {
	p := planned(reflect.TypeFor[T](), shared)
	return &Codec[T]{words, p.top, p.types}
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// sumBytes is the length of a checksum.
const sumBytes = 4

// Append appends the record of a value.
func (c *Codec[T]) Append(b []byte, v *T) []byte {
	begun := len(b)
	e := encoder{words: c.words}
	b = e.value(b, c.plan, unsafe.Pointer(v))
	return binary.LittleEndian.AppendUint32(b, crc32.Checksum(b[begun:], castagnoli))
}

type encoder struct {
	words *Dictionary
	last  uint64 // bits of the latest float
}

// value appends the value at the address v.
func (e *encoder) value(b []byte, p *plan, v unsafe.Pointer) []byte {
	switch p.kind {
	case kindInt:
		return appendInt(b, int64(*(*int)(v)))
	case kindInt64:
		return appendInt(b, *(*int64)(v))
	case kindBool:
		if *(*bool)(v) {
			return append(b, 1)
		}
		return append(b, 0)
	case kindFloat:
		return e.float(b, *(*uint64)(v))
	case kindText:
		return e.words.appendText(b, *(*string)(v))
	case kindList:
		return e.list(b, p, v)
	case kindShared:
		all := *(*[]byte)(v) // slices of all types have the same layout
		if n, ok := e.words.numberOf(list{unsafe.Pointer(unsafe.SliceData(all)), len(all)}); ok {
			return appendNumber(b, n)
		}
		return e.list(b, p, v)
	}
	return e.object(b, p, v)
}

// object appends the fields of a struct in groups of eight: first a byte with a bit for each
// field that is not zero, then these fields.
func (e *encoder) object(b []byte, p *plan, v unsafe.Pointer) []byte {
	for rest := p.fields; len(rest) > 0; {
		group := rest[:min(8, len(rest))]
		rest = rest[len(group):]
		at, some := len(b), byte(0)
		b = append(b, 0)
		for k := range group {
			f := &group[k]
			x := unsafe.Add(v, f.offset)
			if f.pointer {
				if x = *(*unsafe.Pointer)(x); x == nil {
					continue
				}
			} else if isZero(f.kind, x) {
				continue
			}
			some |= 1 << k
			switch f.kind { // a shortcut: nearly all fields have one of these two kinds
			case kindInt64:
				b = appendInt(b, *(*int64)(x))
			case kindFloat:
				b = e.float(b, *(*uint64)(x))
			default:
				b = e.value(b, f.of, x)
			}
		}
		b[at] = some
	}
	return b
}

// isZero reports whether a value is zero. It is not for objects.
func isZero(k kind, v unsafe.Pointer) bool {
	switch k {
	case kindInt:
		return *(*int)(v) == 0
	case kindInt64, kindFloat:
		return *(*uint64)(v) == 0
	case kindBool:
		return !*(*bool)(v)
	case kindText:
		return *(*string)(v) == ""
	}
	return *(*unsafe.Pointer)(v) == nil // a list: the address of its items
}

// appendInt appends a number. Most numbers are small, so it is fast for those.
func appendInt(b []byte, v int64) []byte {
	if uint64(v) < 64 {
		return append(b, byte(v)<<1)
	}
	return binary.AppendVarint(b, v)
}

// list appends the number of items plus one, and then the items. A nil list is 0.
func (e *encoder) list(b []byte, p *plan, v unsafe.Pointer) []byte {
	all := *(*[]byte)(v)
	if all == nil {
		return appendLength(b, 0)
	}
	b = appendLength(b, len(all)+1)
	items := unsafe.Pointer(unsafe.SliceData(all))
	for i := range len(all) {
		b = e.value(b, p.item, unsafe.Add(items, uintptr(i)*p.item.size))
	}
	return b
}

// sameFloat stands for a float that equals the float before.
const sameFloat = 9

// float appends the bytes of a float without the zero bytes at its end. A byte with their number
// comes before them.
func (e *encoder) float(b []byte, v uint64) []byte {
	if v == e.last {
		return append(b, sameFloat)
	}
	e.last = v
	reversed := bits.ReverseBytes64(v)
	n := (bits.Len64(reversed) + 7) / 8
	b = binary.LittleEndian.AppendUint64(append(b, byte(n)), reversed)
	return b[:len(b)-8+n]
}
