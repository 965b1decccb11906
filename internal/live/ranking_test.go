package live

import (
	"math/rand/v2"
	"slices"
	"testing"

	"gotest.tools/v3/assert"
)

// TestRanking: it keeps the first of any sequence, as sorting does.
func TestRanking(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		l := ranking[int]{most: r.IntN(6)}
		var all []rank
		left := 0
		for i := range r.IntN(40) {
			at := rank{payload: r.Int64N(5), open: r.IntN(2) == 0, last: r.Int64N(5), order: i}
			all = append(all, at)
			if !l.takes(at) {
				left++
			} else if _, _, ok := l.add(at, i); ok {
				left++
			}
		}
		slices.SortFunc(all, rank.compare)
		want := all[:min(len(all), l.most)]
		got := make([]rank, len(l.list))
		for i, e := range l.list {
			if got[i] = e.rank; e.value != e.rank.order {
				t.Fatalf("%v has the value of another one", e)
			}
		}
		assert.Assert(t, slices.Equal(got, want) && left == len(all)-len(want), "%v, want %v; %d left", got, want, left)
	}
}
