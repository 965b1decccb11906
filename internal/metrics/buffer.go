package metrics

import (
	"math/bits"

	"mpanalyze/internal/seq"
	"mpanalyze/internal/stats"
)

// buffer is the reorder buffer of RFC 5236. It holds data that has arrived above
// missing data, until the missing data arrives. The number of chunks in it is noted
// after each chunk that passes for the first time.
type buffer struct {
	upto   seq.DSN              // the highest byte such that no data below it is missing
	stored int64                // chunks of all spans
	spans  seq.List[chunkRange] // the data in the buffer, ascending, with gaps between; bounded by maxDiscontinuities
	latest seq.Place            // place of the range that grew last; may be out of date
	due    bool                 // the look after the latest chunk: more pieces of it may come

	Chunks stats.Tally // chunks in the buffer, at each look; looks at an empty buffer are added at the end
	Counts []int64     // number of looks by the number of chunks: index 0 for none; index k for 2^(k-1) up to 2^k - 1; complete at the end; its length is 0 or bins
}

// chunkRange is data without a gap.
type chunkRange struct {
	seq.Range[seq.DSN]
	chunks int64
}

// bins is the number of bins in Counts. The last bin is for 2^30 chunks or more, and a
// window of 2^30 bytes holds no more.
const bins = 32

// rcvNxt returns the position where the missing data begins. Positions begin with 1.
func (b *buffer) rcvNxt() seq.DSN { return b.upto + 1 }

// add takes data that arrives for the first time: a chunk, or the rest of the latest one.
func (b *buffer) add(r seq.Range[seq.DSN], chunk bool) {
	if chunk {
		b.look()
		b.due = true
	}
	if r.Start > b.rcvNxt() {
		b.store(r, chunk)
	} else {
		b.arrive(r.End)
	}
}

// look notes how many chunks are in the buffer, once after each. Looks at an empty buffer are
// added in close, and so are Counts of numbers that Chunks keeps.
func (b *buffer) look() {
	due := b.due
	b.due = false
	if !due || b.stored == 0 {
		return
	}
	b.Chunks.Add(b.stored)
	if b.stored >= stats.TallyLimit {
		b.count(bin(b.stored), 1)
	}
}

// count counts n looks of bin k.
func (b *buffer) count(k int, n int64) {
	if len(b.Counts) == 0 {
		b.Counts = append(b.Counts, make([]int64, bins)...)
	}
	b.Counts[k] += n
}

// bin returns the index in Counts for a number of chunks.
func bin(chunks int64) int { return min(bits.Len64(uint64(chunks)), bins-1) }

// arrive takes data from rcvNxt up to end.
func (b *buffer) arrive(end seq.DSN) {
	b.upto = max(b.upto, end-1)
	for x := b.spans.Front(); x != nil && x.Start <= b.rcvNxt(); x = b.spans.Front() {
		b.upto = max(b.upto, x.End-1)
		b.stored -= x.chunks
		b.spans.Pop(1)
	}
}

// store keeps data that lies above a gap, a chunk or the rest of one. At the bound the
// lowest gap is treated as closed.
func (b *buffer) store(r seq.Range[seq.DSN], chunk bool) {
	n := int64(0)
	if chunk {
		n = 1
	}
	b.stored += n
	if last := b.spans.Back(); last != nil && last.End == r.Start { // most data continues the highest range
		last.End = r.End
		last.chunks += n
		return
	}
	if x := b.spans.At(b.latest); x != nil && x.End == r.Start { // most other data continues the latest range
		b.grow(b.latest, x, r.End, n)
		return
	}
	b.spans.Compact()
	if last := b.spans.Back(); last == nil || last.End < r.Start { // above all ranges, as data after a new gap is
		*b.spans.Push() = chunkRange{r, n}
		b.latest = b.spans.Last()
		b.bound()
		return
	}
	at := b.above(r.Start)
	b.latest = b.spans.Prev(at)
	if x := b.spans.At(b.latest); x != nil && x.End >= r.Start {
		b.grow(b.latest, x, r.End, n)
		return
	}
	if x := b.spans.At(at); x != nil && x.Start <= r.End {
		x.Start = r.Start
		x.chunks += n
		b.latest = at
		return
	}
	b.latest = b.spans.Insert(at, chunkRange{r, n})
	b.bound()
}

// bound treats the lowest gap as closed if there are too many.
func (b *buffer) bound() {
	if b.spans.Len() > maxDiscontinuities {
		b.arrive(b.spans.Front().Start)
	}
}

// grow extends range x, which is at a place, up to end and adds n chunks. If it then
// touches the next range, both become one.
func (b *buffer) grow(at seq.Place, x *chunkRange, end seq.DSN, n int64) {
	x.End = max(x.End, end)
	x.chunks += n
	next := b.spans.Next(at)
	if y := b.spans.At(next); y != nil && y.Start <= x.End {
		x.End = max(x.End, y.End)
		x.chunks += y.chunks
		b.spans.Remove(next, 1)
	}
}

// above returns the place of the first range that begins above p.
func (b *buffer) above(p seq.DSN) seq.Place {
	if last := b.spans.Back(); last == nil || last.Start <= p {
		return b.spans.End()
	}
	return b.spans.Search(func(x *chunkRange) bool { return x.Start > p })
}

// close ends the measurement. looks is the number of all looks; those not counted yet
// found an empty buffer.
func (b *buffer) close(looks int64) {
	b.look()
	for chunks, n := range b.Chunks.Numbers() {
		b.count(bin(chunks), n)
	}
	for _, n := range b.Counts {
		looks -= n
	}
	if looks > 0 {
		b.count(0, looks)
	}
	b.Chunks.AddRepeated(0, looks)
	b.spans = seq.List[chunkRange]{}
}
