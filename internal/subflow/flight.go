package subflow

import (
	"slices"

	"mpanalyze/internal/seq"
)

// marks are the marks on a piece of stream in flight and, below them, the octets
// of a segment in the packet that carried it: 0 = SYN or FIN.
type marks uint32

const (
	rexmitted marks = 1 << (16 + iota) // sent more than once
	sacked                             // covered by a SACK block
	continued                          // was split off the piece before it: both were one captured segment

	marked = rexmitted | sacked | continued
)

// unitMarks are the marks of a piece that has none but its unit.
func unitMarks(unit int64) marks { return marks(uint16(unit)) }

// unit returns the octets of a segment.
func (m marks) unit() int64 { return int64(uint16(m)) }

// flight is a piece of the stream that was sent and is not yet acknowledged
// cumulatively. Pieces begin as captured segments and are split where a
// retransmission or a selective acknowledgment covers only a part.
type flight struct {
	seq.Range[seq.SSN]
	sent  int64 // time of the latest transmission, ns: that of the first is of no use for what was sent again
	marks marks
}

// maxFlight bounds the number of pieces in flight that one direction
// remembers: more than a window of 1 GiB in segments of 16 KiB. Beyond it the
// oldest are forgotten and give no RTT sample.
const maxFlight = 1 << 16

// flights are the pieces in flight in ascending order, without overlap. It is
// a slice with a moving head: pieces leave at the front and enter at the back.
type flights struct {
	buf  []flight
	head int
	hint int // index in buf where the next search is likely to end; checked before use
}

func (f *flights) len() int         { return len(f.buf) - f.head }
func (f *flights) at(i int) *flight { return &f.buf[f.head+i] }

// all returns the pieces; valid until the next change.
func (f *flights) all() []flight { return f.buf[f.head:] }

// pop forgets the first n pieces.
func (f *flights) pop(n int) {
	f.head += n
	if f.head == len(f.buf) {
		f.buf, f.head = f.buf[:0], 0
	}
}

// whole returns how many of the first pieces end at ack, and when the newest of
// these was sent, if they have no marks and leave out nothing; otherwise 0.
func (f *flights) whole(ack seq.SSN) (n int, newest int64) {
	flying := f.all()
	if len(flying) == 0 {
		return 0, 0
	}
	end := flying[0].Start
	for i := range flying {
		p := &flying[i]
		if p.marks&marked != 0 || p.Start != end {
			break
		}
		newest, end = max(newest, p.sent), p.End
		if end == ack {
			return i + 1, newest
		}
	}
	return 0, 0
}

// trim holds the bound. Splitting and filling holes may exceed it by the few
// pieces of one packet, so that an index stays good while a packet is taken.
func (f *flights) trim() {
	if n := f.len() - maxFlight; n > 0 {
		f.pop(n)
	}
}

// room moves the pieces to the front of a full buffer if half of it is free
// there: moving them for less would cost a window's worth of copying for each
// piece.
func (f *flights) room() {
	if len(f.buf) == cap(f.buf) && f.head > len(f.buf)/2 {
		n := copy(f.buf, f.buf[f.head:])
		f.buf, f.head = f.buf[:n], 0
	}
}

// makeRoom makes room for one more, within the bound.
func (f *flights) makeRoom() {
	if n := f.len() + 1 - maxFlight; n > 0 {
		f.pop(n)
	}
	f.room()
	f.buf = slices.Grow(f.buf, 1)
}

// roomy reports whether one more piece needs no [flights.makeRoom].
func (f *flights) roomy() bool { return len(f.buf) < cap(f.buf) && len(f.buf) < maxFlight }

// push appends a piece that lies above all others.
func (f *flights) push(r seq.Range[seq.SSN], at, unit int64) {
	if !f.roomy() {
		f.makeRoom()
	}
	f.enter(r, at, unit)
}

// enter is push where there is room. The piece is written where it stays: a copy
// would wait for the single writes before it.
func (f *flights) enter(r seq.Range[seq.SSN], at, unit int64) {
	n := len(f.buf)
	f.buf = f.buf[:n+1]
	p := &f.buf[n]
	p.Start, p.End, p.sent, p.marks = r.Start, r.End, at, unitMarks(unit)
}

// insert puts a piece before the i-th.
func (f *flights) insert(i int, p flight) {
	f.room()
	f.buf = append(f.buf, flight{})
	at := f.head + i
	copy(f.buf[at+1:], f.buf[at:])
	f.buf[at] = p
}

// find returns the index of the first piece that ends above p. SACK blocks
// grow by a piece or two at a time, so that the next search ends at the hint or
// near it.
func (f *flights) find(p seq.SSN) int {
	i := f.hint
	if i >= f.head && i < len(f.buf) && f.buf[i].Start == p {
		return i - f.head
	}
	if i >= f.head && (i == f.head || i <= len(f.buf) && f.buf[i-1].End <= p) {
		for n := i + 4; i < n && i < len(f.buf); i++ {
			if f.buf[i].End > p {
				f.hint = i
				return i - f.head
			}
		}
	}
	i = f.search(p)
	f.hint = f.head + i
	return i
}

// search is find without a hint.
func (f *flights) search(p seq.SSN) int {
	lo, hi := 0, f.len()
	for lo < hi {
		mid := int(uint(lo+hi) >> 1)
		if f.at(mid).End <= p {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	return lo
}

// split cuts the i-th piece at p, which lies inside it, in two.
func (f *flights) split(i int, p seq.SSN) {
	left := *f.at(i)
	left.End = p
	f.at(i).Start = p
	f.at(i).marks |= continued
	f.insert(i, left)
}

// shift moves every position by delta.
func (f *flights) shift(delta seq.SSN) {
	for i := range f.len() {
		p := f.at(i)
		p.Start += delta
		p.End += delta
	}
}
