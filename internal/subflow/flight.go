package subflow

import "mpanalyze/internal/seq"

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

// flights are the pieces in flight in ascending order, without overlap.
type flights struct {
	list seq.List[flight] // bounded by maxFlight
	hint seq.Place        // where the next search is likely to end; checked before use
}

// whole returns how many of the first pieces end at ack, and when the newest of
// these was sent, if they have no marks and leave out nothing; otherwise 0.
func (f *flights) whole(ack seq.SSN) (n int, newest int64) {
	run := f.list.FirstSlice()
	if len(run) == 0 {
		return 0, 0
	}
	end := run[0].Start
	for at := f.list.First(); len(run) > 0; run = f.list.Slice(at) {
		for i := range run {
			p := &run[i]
			if p.marks&marked != 0 || p.Start != end {
				return 0, 0
			}
			newest, end = max(newest, p.sent), p.End
			if end == ack {
				return n + i + 1, newest
			}
		}
		n += len(run)
		at = f.list.Skip(at, len(run))
	}
	return 0, 0
}

// trim holds the bound. Splitting and filling holes may exceed it by the few
// pieces of one packet, so that a place stays good while a packet is taken.
func (f *flights) trim() {
	if n := f.list.Len() - maxFlight; n > 0 {
		f.list.Pop(n)
	}
}

// makeRoom makes room for one more, within the bound.
func (f *flights) makeRoom() {
	if n := f.list.Len() + 1 - maxFlight; n > 0 {
		f.list.Pop(n)
	}
	f.hint -= f.list.Compact()
}

// roomy reports whether one more piece needs no [flights.makeRoom].
func (f *flights) roomy() bool { return f.list.HasRoom() && f.list.Len() < maxFlight }

// push appends a piece that lies above all others.
func (f *flights) push(r seq.Range[seq.SSN], at, unit int64) {
	if !f.roomy() {
		f.makeRoom()
	}
	f.list.Push().fill(r, at, unit)
}

// enter is push where there is room.
func (f *flights) enter(r seq.Range[seq.SSN], at, unit int64) { f.list.PushInPlace().fill(r, at, unit) }

// fill makes p a piece that was just sent. It is written where it stays: a copy
// would wait for the single writes before it.
func (p *flight) fill(r seq.Range[seq.SSN], at, unit int64) {
	p.Start, p.End, p.sent, p.marks = r.Start, r.End, at, unitMarks(unit)
}

// find returns the place of the first piece that ends above p. SACK blocks
// grow by a piece or two at a time, so that the next search ends at the hint or
// near it.
func (f *flights) find(p seq.SSN) seq.Place {
	at := f.hint
	x := f.list.At(at)
	if x != nil && x.Start <= p {
		for range 4 {
			if x.End > p {
				f.hint = at
				return at
			}
			at = f.list.Next(at)
			if x = f.list.At(at); x == nil {
				break
			}
		}
	}
	f.hint = f.search(p)
	return f.hint
}

// search is find without a hint.
func (f *flights) search(p seq.SSN) seq.Place {
	if last := f.list.Back(); last == nil || last.End <= p {
		return f.list.End()
	}
	return f.list.Search(func(x *flight) bool { return x.End > p })
}

// split cuts the piece at a place in two at p, which lies inside it, and returns
// the place of the lower one.
func (f *flights) split(at seq.Place, p seq.SSN) seq.Place {
	x := f.list.At(at)
	left := *x
	left.End = p
	x.Start = p
	x.marks |= continued
	return f.list.Insert(at, left)
}

// shift moves every position by delta.
func (f *flights) shift(delta seq.SSN) {
	for p := range f.list.All() {
		p.Start += delta
		p.End += delta
	}
}
