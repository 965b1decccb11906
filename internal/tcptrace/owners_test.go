package tcptrace

import (
	"math/rand/v2"
	"testing"

	"mpanalyze/internal/seq"
)

// Runs in any order, asked for in any range, against a table by octet.
func TestOwners(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		var o owners
		var model [64]int // subflow + 1
		for range 20 {
			at := rng.IntN(60)
			n, sub := 1+rng.IntN(4), rng.IntN(3)
			free := true
			for _, owner := range model[at : at+n] {
				free = free && owner == 0
			}
			if !free {
				continue
			}
			o.add(seq.Range[seq.DSN]{Start: seq.DSN(at), End: seq.DSN(at + n)}, sub)
			for i := range n {
				model[at+i] = sub + 1
			}
		}
		from := rng.IntN(60)
		to := from + rng.IntN(64-from)
		var got, want [3]int64
		o.each(seq.Range[seq.DSN]{Start: seq.DSN(from), End: seq.DSN(to)}, func(sub int, n int64) { got[sub] += n })
		for _, owner := range model[from:to] {
			if owner > 0 {
				want[owner-1]++
			}
		}
		if got != want {
			t.Fatalf("[%d, %d): %v, want %v of %v", from, to, got, want, o.runs)
		}
	}
}

func TestOwnersBound(t *testing.T) {
	var o owners
	for i := range 3 * maxRuns {
		o.add(seq.Range[seq.DSN]{Start: seq.DSN(i), End: seq.DSN(i + 1)}, i%2)
	}
	if len(o.runs) > maxRuns {
		t.Errorf("%d runs, want at most %d", len(o.runs), maxRuns)
	}
	last := 0
	o.each(seq.Range[seq.DSN]{Start: 3*maxRuns - 1, End: 3 * maxRuns}, func(sub int, _ int64) { last = sub + 1 })
	if last != (3*maxRuns-1)%2+1 {
		t.Error("the latest run is forgotten")
	}
}
