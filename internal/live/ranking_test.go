package live

import (
	"math/rand/v2"
	"slices"
	"testing"

	"gotest.tools/v3/assert"
)

// TestRanking: it keeps the first of any sequence, as sorting does, and knows which it takes.
func TestRanking(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		l := ranking{most: r.IntN(6)}
		var all []rank
		left := 0
		for i := range r.IntN(40) {
			at := rank{payload: r.Int64N(5), open: r.IntN(2), last: r.Int64N(5), order: i}
			all = append(all, at)
			takes := l.takes(at)
			last, full := l.add(candidate{rank: at})
			assert.Assert(t, takes == (!full || last.rank != at), "%v is taken: %v, %v left", at, takes, last)
			if full {
				left++
			}
		}
		slices.SortFunc(all, rank.compare)
		want := all[:min(len(all), l.most)]
		var got []rank
		for _, e := range l.list {
			got = append(got, e.rank)
		}
		assert.Assert(t, slices.Equal(got, want) && left == len(all)-len(want), "%v, want %v; %d left", got, want, left)
	}
}
