package record

import (
	"encoding/binary"
	"errors"
	"hash/crc32"
	"math/bits"
	"reflect"
	"unsafe"
)

// ErrDamaged says that the bytes of a record have changed since they were written.
var ErrDamaged = errors.New("the record is damaged")

// Memory holds the values to which a decoded record points. Only the codec that made it can
// use it.
type Memory struct{ slabs []slab }

// NewMemory returns memory for the values of one codec.
func (c *Codec[T]) NewMemory() *Memory {
	m := &Memory{make([]slab, len(c.types))}
	for i, t := range c.types {
		m.slabs[i].list = reflect.SliceOf(t)
	}
	return m
}

// Reuse lets the next record use the memory of all records before. Those are not valid any more.
func (m *Memory) Reuse() {
	for i := range m.slabs {
		m.slabs[i].reuse()
	}
}

// slab gives out memory for values of one type.
type slab struct {
	list       reflect.Type
	all        reflect.Value // a slice
	room, used int           // its length, and how many of its values are in use
	items      unsafe.Pointer
	size       uintptr // of one value, bytes
}

// leastRoom is for how many values a slab allocates memory at least. mostRoom is how many values
// it keeps at most for the next record.
const (
	leastRoom = 4
	mostRoom  = 64
)

// take returns memory for n values. They are zero.
func (s *slab) take(n int) unsafe.Pointer {
	if n > s.room-s.used {
		s.room, s.used = max(n, min(2*s.room, mostRoom), leastRoom), 0
		s.all = reflect.MakeSlice(s.list, s.room, s.room)
		s.items, s.size = s.all.UnsafePointer(), s.list.Elem().Size()
	}
	at := unsafe.Add(s.items, uintptr(s.used)*s.size)
	s.used += n
	return at
}

func (s *slab) reuse() {
	switch {
	case s.used == 0:
	case s.room > mostRoom: // memory of a large record: clearing it for each small record would cost time
		*s = slab{list: s.list}
	default:
		s.all.Clear()
		s.used = 0
	}
}

// Decode reads a record into v. Values to which v points come into memory.
func (c *Codec[T]) Decode(b []byte, v *T, memory *Memory) error {
	if len(b) < sumBytes {
		return ErrDamaged
	}
	b, sum := b[:len(b)-sumBytes], binary.LittleEndian.Uint32(b[len(b)-sumBytes:])
	if crc32.Checksum(b, castagnoli) != sum {
		return ErrDamaged
	}
	*v = *new(T)
	d := decoder{b: b, words: c.words, slabs: memory.slabs}
	d.value(c.plan, unsafe.Pointer(v))
	if d.damaged || d.at < len(d.b) {
		return ErrDamaged
	}
	return nil
}

// decoder reads the values of a record.
type decoder struct {
	b       []byte
	at      int // index of the next byte in b
	words   *Dictionary
	slabs   []slab
	last    uint64 // bits of the latest float
	damaged bool
}

// fail ends the reading. Everything that is read afterwards is zero.
func (d *decoder) fail() { d.at, d.damaged = len(d.b), true }

func (d *decoder) byte() byte {
	if d.at >= len(d.b) {
		d.fail()
		return 0
	}
	c := d.b[d.at]
	d.at++
	return c
}

func (d *decoder) unsigned() uint64 {
	if d.at < len(d.b) && d.b[d.at] < 0x80 {
		d.at++
		return uint64(d.b[d.at-1])
	}
	v, n := binary.Uvarint(d.b[d.at:])
	if n <= 0 {
		d.fail()
		return 0
	}
	d.at += n
	return v
}

func (d *decoder) signed() int64 {
	u := d.unsigned()
	return int64(u>>1) ^ -int64(u&1)
}

// bytes returns the next n bytes, or nil if there are fewer.
func (d *decoder) bytes(n int) []byte {
	if n > len(d.b)-d.at {
		d.fail()
		return nil
	}
	d.at += n
	return d.b[d.at-n : d.at]
}

// length returns the length of a text or list, or its number in the dictionary. known is the
// number of entries in the dictionary. A length cannot be greater than the number of bytes that
// are left, because each item takes at least one byte.
func (d *decoder) length(known int) (n int, inDictionary bool) {
	u := d.unsigned()
	most := len(d.b) - d.at + 1
	if inDictionary = u&1 != 0; inDictionary {
		most = known - 1
	}
	if u >>= 1; u > uint64(max(most, 0)) || most < 0 {
		d.fail()
		return 0, false
	}
	return int(u), inDictionary
}

// value reads a value into the memory at v, which is zero before.
func (d *decoder) value(p *plan, v unsafe.Pointer) {
	switch p.kind {
	case kindInt:
		*(*int)(v) = int(d.signed())
	case kindInt64:
		*(*int64)(v) = d.signed()
	case kindBool:
		*(*bool)(v) = d.byte() != 0
	case kindFloat:
		*(*uint64)(v) = d.float()
	case kindText:
		*(*string)(v) = d.text()
	case kindList, kindShared:
		d.list(p, v)
	case kindObject:
		d.object(p, v)
	}
}

func (d *decoder) object(p *plan, v unsafe.Pointer) {
	for i := 0; i < len(p.fields); i += 8 {
		for some := d.byte(); some != 0; some &= some - 1 {
			k := i + bits.TrailingZeros8(some)
			if k >= len(p.fields) {
				d.fail()
				return
			}
			f := &p.fields[k]
			x := unsafe.Add(v, f.offset)
			if f.pointer {
				to := d.slabs[f.of.room].take(1)
				*(*unsafe.Pointer)(x), x = to, to
			}
			switch f.kind { // a shortcut: nearly all fields have one of these two kinds
			case kindInt64:
				*(*int64)(x) = d.signed()
			case kindFloat:
				*(*uint64)(x) = d.float()
			default:
				d.value(f.of, x)
			}
		}
	}
}

// empty is the address of the items of all empty lists.
var empty [8]byte

// items is the layout of a slice in memory.
type items struct {
	first    unsafe.Pointer
	len, cap int
}

func (d *decoder) list(p *plan, v unsafe.Pointer) {
	n, inDictionary := d.length(len(d.words.lists))
	if inDictionary {
		l := d.words.lists[n]
		*(*items)(v) = items{l.items, l.n, l.n}
		return
	}
	if n--; n < 0 {
		return
	}
	all := unsafe.Pointer(&empty)
	if n > 0 {
		all = d.slabs[p.item.room].take(n)
	}
	*(*items)(v) = items{all, n, n}
	for i := range n {
		d.value(p.item, unsafe.Add(all, uintptr(i)*p.item.size))
	}
}

func (d *decoder) text() string {
	n, inDictionary := d.length(len(d.words.texts))
	if inDictionary {
		return d.words.texts[n]
	}
	return string(d.bytes(n))
}

// float reads what [encoder.float] wrote.
func (d *decoder) float() uint64 {
	n := int(d.byte())
	switch {
	case n == sameFloat:
		return d.last
	case n > 8:
		d.fail()
		return 0
	}
	if d.at+8 <= len(d.b) { // the bytes after it are shifted out
		unused := uint(64 - 8*n)
		d.last = binary.BigEndian.Uint64(d.b[d.at:]) >> unused << unused
		d.at += n
		return d.last
	}
	var whole [8]byte
	copy(whole[:], d.bytes(n))
	d.last = binary.BigEndian.Uint64(whole[:])
	return d.last
}
