package stats

import (
	"iter"
	"slices"
)

// Tally is the distribution of a stream of weighted whole numbers, most of them small.
// It is exact: it keeps for each number how often it came and with what weight. It
// takes 16 bytes for each number up to the largest. The zero value is empty and ready
// to use. A copy may only replace the original.
type Tally struct {
	at    []tallied // by the number; bounded by TallyLimit
	other Dist      // numbers below 0 and from TallyLimit on; after [Tally.Dist], all numbers
}

// tallied is how often a number came, and its weight in all.
type tallied struct {
	n      int64
	weight float64
}

// TallyLimit is the lowest number of which a [Tally] does not keep how often it came.
const TallyLimit = 1024

// Add adds a number with weight 1.
func (t *Tally) Add(v int64) {
	if uint64(v) >= uint64(len(t.at)) {
		t.add(v, 1, 1)
		return
	}
	x := &t.at[v]
	x.n++
	x.weight++
}

// AddWeighted adds a number with weight w, from 1e-75 to 1e75.
func (t *Tally) AddWeighted(v int64, w float64) { t.add(v, w, 1) }

// AddRepeated adds a number n times, each with weight 1.
func (t *Tally) AddRepeated(v, n int64) { t.add(v, float64(n), n) }

// add adds a number n times, with weights of w in all.
func (t *Tally) add(v int64, w float64, n int64) {
	if uint64(v) >= uint64(len(t.at)) {
		if n <= 0 {
			return
		}
		if uint64(v) >= TallyLimit {
			t.other.AddRepeatedWeighted(float64(v), w, n)
			return
		}
		t.at = slices.Grow(t.at, int(v)+1-len(t.at))[:v+1]
	}
	t.at[v].n += n
	t.at[v].weight += w
}

// Reset removes all numbers. It keeps memory that is small.
func (t *Tally) Reset() {
	t.other.Reset()
	if clear(t.at); cap(t.at) > maxReused/16 {
		t.at = nil
	}
	t.at = t.at[:0]
}

// Renewed removes all numbers, as [Tally.Reset] does, and returns the tally.
func (t *Tally) Renewed() Tally {
	t.Reset()
	return *t
}

// Numbers iterates over the numbers from 0 to TallyLimit - 1 that came, and how often. It is
// empty after [Tally.Dist].
func (t *Tally) Numbers() iter.Seq2[int64, int64] {
	return func(yield func(v, n int64) bool) {
		for v, x := range t.at {
			if x.n > 0 && !yield(int64(v), x.n) {
				return
			}
		}
	}
}

// Dist returns the distribution, to read its figures. No number may be added
// afterwards.
func (t *Tally) Dist() *Dist {
	for v, x := range t.at {
		if x.n > 0 {
			t.other.AddRepeatedWeighted(float64(v), x.weight, x.n)
		}
	}
	clear(t.at)
	t.at = t.at[:0]
	return &t.other
}
