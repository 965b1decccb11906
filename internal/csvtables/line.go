package csvtables

import (
	"encoding/binary"
	"math/bits"
	"slices"

	"mpanalyze/internal/report"
)

// line is where the columns behind the first ones of a row are made. To store a
// word of eight octets and go on by fewer costs less than to append them: what is
// behind is free anyway. Columns begin at a spot, which is within the line
// whatever it is, so that no store asks whether there is room.
type line [lineRoom]byte

// spot is a place in a line. A row of chunks.csv behind its cell is no longer than
// 209 octets: four numbers of 20, five times of 21, a kind of 14 and ten commas.
type spot = uint8

// lineRoom is room for the words of an extent at any spot.
const lineRoom = 256 + 16

// lineBehind returns a line behind b, which moves where it has no room: rows
// of tables have ([tableRoom]) unless their first columns are as long as that.
func lineBehind(b []byte) ([]byte, *line) {
	if cap(b)-len(b) < lineRoom {
		b = slices.Grow(b, lineRoom)
	}
	return b, (*line)(b[len(b) : len(b)+lineRoom])
}

// head is the text of a number or a time but for its last digits: rows in a row
// share it.
type head struct {
	of   uint64 // what is in front of the last digits, and one more; 0: none yet
	n    spot
	text uint64 // n octets
}

func (h *head) set(of uint64, text []byte) {
	var room [8]byte
	h.of, h.n = of+1, spot(copy(room[:], text))
	h.text = binary.LittleEndian.Uint64(room[:])
}

// setUint makes the head that of a number.
func (h *head) setUint(of uint64) {
	var text [20]byte
	h.set(of, appendUint(text[:0], of))
}

// put stores the head at p[i:] and eight digits and a comma behind it, and
// returns where they end.
func (h *head) put(p *line, i spot, digits uint64) spot {
	binary.LittleEndian.PutUint64(p[i:], h.text)
	i += h.n
	binary.LittleEndian.PutUint64(p[i:], digits)
	p[i+8] = ','
	return i + 9
}

// putInt stores n and a comma, as appendInt appends them; h is of the latest
// numbers of its column.
func (h *head) putInt(p *line, i spot, n int64) spot {
	if uint64(n) >= 1e16 {
		return spot(len(appendInt(p[:i], n)))
	}
	units := uint64(n) / 1e8
	digits := digits8(uint64(n) % 1e8)
	if units > 0 {
		if units+1 != h.of {
			h.setUint(units)
		}
		return h.put(p, i, digits|asciiZeros)
	}
	i = putDigits(p, i, digits)
	p[i] = ','
	return i + 1
}

// putDigits stores eight digits as digits8 gives them, without zeros in front.
func putDigits(p *line, i spot, digits uint64) spot {
	zeros := bits.TrailingZeros64(digits|1<<56) & 56 // in bits; the last digit stays
	binary.LittleEndian.PutUint64(p[i:], (digits|asciiZeros)>>zeros)
	return i + 8 - spot(zeros/8)
}

// putCount is putInt of numbers that are near each other: of them the last four
// digits change.
func (h *head) putCount(p *line, i spot, n int64) spot {
	units := uint64(n) / 1e4
	if units-1 >= 1e8-1 {
		return h.putInt(p, i, n)
	}
	if units+1 != h.of {
		h.setUint(units)
	}
	binary.LittleEndian.PutUint64(p[i:], h.text)
	i += h.n
	binary.LittleEndian.PutUint64(p[i:], uint64(digits4(uint32(uint64(n)%1e4)))|asciiZeros&0xffff_ffff|','<<32)
	return i + 5
}

// stamp is the text of the latest time of a column. The zero one is that of
// [report.NoTime], which has no text.
type stamp struct {
	of          int64  // the time, but that the zero is NoTime, ns
	begin       int64  // its last tenth of a second, ns
	span        uint64 // how long head is that of times from there on, ns: a tenth of a second, or 0
	head        head   // up to the tenths of a second
	digits      uint64 // those behind
	digitsCount spot   // of which five are enough for whole microseconds
}

// stampEnd is the end of the times that a stamp can be of, ns: eight octets have
// room for six digits, the point and the tenths.
const stampEnd = 1e15

// put stores a time and a comma, as appendTime appends them.
func (t *stamp) put(p *line, i spot, ns int64) spot {
	switch {
	case ns == report.NoTime:
		p[i] = ','
		return i + 1
	case t.is(ns) || t.near(ns) || t.far(ns):
		return t.store(p, i)
	}
	return spot(len(appendTime(p[:i], ns)))
}

// is reports whether the stamp is that of a time.
func (t *stamp) is(ns int64) bool { return t.of == ns^report.NoTime }

// near makes the stamp that of a time, if its head is.
func (t *stamp) near(ns int64) bool {
	digits := uint64(ns - t.begin)
	if digits >= t.span {
		return false
	}
	w := digits8(digits)
	t.of, t.digits, t.digitsCount = ns^report.NoTime, w|asciiZeros, 8
	if w>>(5*8) == 0 {
		t.digitsCount = 5
	}
	return true
}

// far makes the stamp that of a time, if it can be.
func (t *stamp) far(ns int64) bool {
	if uint64(ns) >= stampEnd {
		return false
	}
	tenths := uint64(ns) / 1e8
	var text [16]byte
	t.head.set(tenths, append(appendUint(text[:0], tenths/10), '.', '0'+byte(tenths%10)))
	t.begin, t.span = int64(tenths*1e8), 1e8
	return t.near(ns)
}

// store stores the time that the stamp is of, and a comma.
func (t *stamp) store(p *line, i spot) spot {
	binary.LittleEndian.PutUint64(p[i:], t.head.text)
	i += t.head.n
	binary.LittleEndian.PutUint64(p[i:], t.digits)
	i += t.digitsCount
	p[i] = ','
	return i + 1
}

// extent is the text of the length of a first transmission, and of its kind.
type extent struct {
	length int64 // 0: none yet
	n      spot
	words  [2]uint64
}

// extentEnd is the end of the lengths that have room beside ",first,".
const extentEnd = 1e9

// put stores the length of a chunk and its kind, with a comma each.
func (e *extent) put(p *line, i spot, length int64, kind report.ChunkKind) spot {
	if kind != report.ChunkFirst || uint64(length-1) >= extentEnd-1 {
		b := append(appendInt(p[:i], length), kind...)
		return spot(len(append(b, ',')))
	}
	if length != e.length {
		var room [16]byte
		e.length, e.n = length, spot(len(append(append(appendInt(room[:0], length), kind...), ',')))
		e.words = [2]uint64{binary.LittleEndian.Uint64(room[:]), binary.LittleEndian.Uint64(room[8:])}
	}
	binary.LittleEndian.PutUint64(p[i:], e.words[0])
	binary.LittleEndian.PutUint64(p[i+8:], e.words[1])
	return i + e.n
}
