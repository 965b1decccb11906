package metrics

import (
	"math/bits"

	"mpanalyze/internal/seq"
	"mpanalyze/internal/stats"
)

// buffer is the reorder buffer of RFC 5236: it holds what has arrived above data
// that is missing, and gives it away when that comes. How many chunks are in it
// is looked at after each one that passes for the first time.
type buffer struct {
	Chunks stats.Tally // in the buffer, at each look; looks at an empty one are added at the end
	Counts []int64     // how often how many; index 0 stands for none and is set at the end, k for 2^(k-1) up to 2^k - 1; empty or of bins

	spans  seq.List[stretch] // what it holds, ascending and apart; bounded by maxLeaps
	latest seq.Place         // the stretch that was the latest to grow; others may have it by now
	stored int64             // chunks of all spans
	upto   seq.DSN           // the last byte below which nothing is missing
}

// stretch is data that continues itself.
type stretch struct {
	seq.Range[seq.DSN]
	chunks int64
}

// bins is one more than the bits of the most chunks that are told apart: a
// window of 2^30 bytes holds no more.
const bins = 32

// edge returns where the missing data begins. Positions begin with 1.
func (b *buffer) edge() seq.DSN { return b.upto + 1 }

// add takes data that did not arrive before, and looks at the buffer after it where it
// is a chunk of its own, not the rest of one.
func (b *buffer) add(r seq.Range[seq.DSN], chunk bool) {
	if r.Start > b.edge() {
		b.store(r, chunk)
	} else {
		b.arrive(r.End)
	}
	if chunk {
		b.look()
	}
}

// look notes how many chunks are in the buffer. An empty one is not noted: see close.
func (b *buffer) look() {
	if b.stored == 0 {
		return
	}
	b.count(bin(b.stored), 1)
	b.Chunks.Add(b.stored)
}

// count counts n looks of bin k.
func (b *buffer) count(k int, n int64) {
	if len(b.Counts) == 0 {
		b.Counts = append(b.Counts, make([]int64, bins)...)
	}
	b.Counts[k] += n
}

// bin returns where a number of chunks is counted.
func bin(chunks int64) int { return min(bits.Len64(uint64(chunks)), bins-1) }

// arrive takes data that reaches from where it is missing up to end.
func (b *buffer) arrive(end seq.DSN) {
	b.upto = max(b.upto, end-1)
	for x := b.spans.Front(); x != nil && x.Start <= b.edge(); x = b.spans.Front() {
		b.upto = max(b.upto, x.End-1)
		b.stored -= x.chunks
		b.spans.Pop(1)
	}
}

// store keeps data that lies above a gap, a chunk or the rest of one. At the bound the
// lowest gap counts as one that is never closed.
func (b *buffer) store(r seq.Range[seq.DSN], chunk bool) {
	n := int64(0)
	if chunk {
		n = 1
	}
	b.stored += n
	if x := b.spans.At(b.latest); x != nil && x.End == r.Start { // as most runs
		b.grow(b.latest, x, r.End, n)
		return
	}
	b.spans.Compact()
	if last := b.spans.Back(); last == nil || last.End < r.Start { // above all, as what leaves a gap is at first
		*b.spans.Push() = stretch{r, n}
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
	b.latest = b.spans.Insert(at, stretch{r, n})
	b.bound()
}

// bound gives up the lowest gap where there are too many.
func (b *buffer) bound() {
	if b.spans.Len() > maxLeaps {
		b.arrive(b.spans.Front().Start)
	}
}

// grow makes stretch x, which stands at a place, reach to end with n chunks more.
// Where it then touches the next one both become one.
func (b *buffer) grow(at seq.Place, x *stretch, end seq.DSN, n int64) {
	x.End = max(x.End, end)
	x.chunks += n
	next := b.spans.Next(at)
	if y := b.spans.At(next); y != nil && y.Start <= x.End {
		x.End = max(x.End, y.End)
		x.chunks += y.chunks
		b.spans.Remove(next, 1)
	}
}

// above returns the place of the first stretch that begins above p.
func (b *buffer) above(p seq.DSN) seq.Place {
	if last := b.spans.Back(); last == nil || last.Start <= p {
		return b.spans.End()
	}
	return b.spans.Search(func(x *stretch) bool { return x.Start > p })
}

// close ends the measurement: all others of so many looks found nothing.
func (b *buffer) close(looks int64) {
	for _, n := range b.Counts {
		looks -= n
	}
	if looks > 0 {
		b.count(0, looks)
	}
	b.Chunks.AddRepeated(0, looks)
	b.spans = seq.List[stretch]{}
}
