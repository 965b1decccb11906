package metrics

import (
	"math/bits"
	"slices"

	"mpanalyze/internal/seq"
	"mpanalyze/internal/stats"
)

// buffer is the reorder buffer of RFC 5236: it holds what has arrived above data
// that is missing, and gives it away when that comes. How many chunks are in it
// is looked at after each one that passes for the first time.
type buffer struct {
	Chunks stats.Dist // in the buffer, at each look; looks at an empty one are added at the end
	Counts []int64    // how often how many; index 0 stands for none and is set at the end, k for 2^(k-1) up to 2^k - 1; empty or of bins

	spans  []stretch // what it holds, ascending and apart, and before head what it held; bounded by twice maxLeaps
	head   int       // the first stretch that it still holds
	latest int       // the stretch that was the latest to grow; others may have it by now
	stored int64     // chunks of all spans
	upto   seq.DSN   // the last octet below which nothing is missing
}

// stretch is data that continues itself.
type stretch struct {
	seq.Range[seq.DSN]
	chunks int64
}

// bins is one more than the bits of the most chunks that are told apart: a
// window of 2^30 octets holds no more.
const bins = 32

// edge returns where the missing data begins. Positions begin with 1.
func (b *buffer) edge() seq.DSN { return b.upto + 1 }

// add takes n chunks that continue each other, none of which arrived before.
func (b *buffer) add(r seq.Range[seq.DSN], n int64) {
	if r.Start > b.edge() {
		b.store(r, n)
		for k := b.stored - n + 1; k <= b.stored; k++ {
			b.count(bin(k), 1)
			b.Chunks.Add(float64(k))
		}
		return
	}
	had := b.stored
	b.arrive(r.End)
	if had > 0 && n > 0 {
		b.look(had, n-1)
		b.look(b.stored, 1) // the last of them may have closed the gap
	}
}

// count counts n looks of bin k.
func (b *buffer) count(k int, n int64) {
	if b.Counts == nil {
		b.Counts = make([]int64, bins)
	}
	b.Counts[k] += n
}

// look notes n looks at a buffer of so many chunks.
func (b *buffer) look(chunks, n int64) {
	if chunks > 0 && n > 0 {
		b.count(bin(chunks), n)
		repeat(&b.Chunks, float64(chunks), n)
	}
}

// bin returns where a number of chunks is counted.
func bin(chunks int64) int { return min(bits.Len64(uint64(chunks)), bins-1) }

// arrive takes data that reaches from where it is missing up to end.
func (b *buffer) arrive(end seq.DSN) {
	b.upto = max(b.upto, end-1)
	for b.head < len(b.spans) && b.spans[b.head].Start <= b.edge() {
		b.upto = max(b.upto, b.spans[b.head].End-1)
		b.stored -= b.spans[b.head].chunks
		b.head++
	}
	if b.head == len(b.spans) {
		b.spans, b.head = b.spans[:0], 0
	}
}

// store keeps n chunks of data that lies above a gap. At the bound the lowest gap
// counts as one that is never closed.
func (b *buffer) store(r seq.Range[seq.DSN], n int64) {
	if b.head > 256 && b.head > len(b.spans)/2 {
		b.spans, b.head = slices.Delete(b.spans, 0, b.head), 0
	}
	b.stored += n
	if l := b.latest; l >= b.head && l < len(b.spans) && b.spans[l].End == r.Start { // as most runs
		b.spans[l].End = r.End
		b.spans[l].chunks += n
		b.join(l)
		return
	}
	i := b.above(r.Start)
	b.latest = i
	if below := i - 1; below >= b.head && b.spans[below].End >= r.Start {
		b.spans[below].End = max(b.spans[below].End, r.End)
		b.spans[below].chunks += n
		b.latest = below
		b.join(below)
		return
	}
	if i < len(b.spans) && b.spans[i].Start <= r.End {
		b.spans[i].Start = r.Start
		b.spans[i].chunks += n
		return
	}
	b.spans = slices.Insert(b.spans, i, stretch{r, n})
	if len(b.spans)-b.head > maxLeaps {
		b.arrive(b.spans[b.head].Start)
	}
}

// join makes one span of the i-th and the next where they touch.
func (b *buffer) join(i int) {
	if i+1 == len(b.spans) || b.spans[i+1].Start > b.spans[i].End {
		return
	}
	b.spans[i].End = max(b.spans[i].End, b.spans[i+1].End)
	b.spans[i].chunks += b.spans[i+1].chunks
	b.spans = slices.Delete(b.spans, i+1, i+2)
}

// above returns the index of the first stretch that begins above p. Two paths are at
// work at the upper ends of few spans.
func (b *buffer) above(p seq.DSN) int {
	i := len(b.spans)
	for n := 0; i > b.head && b.spans[i-1].Start > p; i-- {
		if n++; n > 16 {
			lo, _ := slices.BinarySearchFunc(b.spans[b.head:i], p, func(s stretch, p seq.DSN) int {
				if s.Start > p {
					return 1
				}
				return -1
			})
			return b.head + lo
		}
	}
	return i
}

// close ends the measurement: all others of so many looks found nothing.
func (b *buffer) close(looks int64) {
	for _, n := range b.Counts {
		looks -= n
	}
	if looks > 0 {
		b.count(0, looks)
	}
	repeat(&b.Chunks, 0, looks)
	b.spans = nil
}
