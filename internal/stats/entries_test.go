package stats

import (
	"math"
	"math/rand/v2"
	"testing"
)

// kinds are the values that entries keep in ways of their own, and some at the
// bounds of these.
func kinds(r *rand.Rand) float64 {
	switch r.IntN(7) {
	case 0:
		return float64(r.IntN(1<<20) - 1<<19)
	case 1:
		return float64(r.Int64N(1<<40)) / 1e6
	case 2:
		return -float64(r.Int64N(1<<40)) / 1e6
	case 3:
		return r.NormFloat64()
	case 4:
		return math.Float64frombits(r.Uint64())
	case 5:
		return float64(r.Int64N(1<<54) - 1<<53)
	}
	odd := []float64{0, math.Copysign(0, -1), 5e-324, largest, -largest, 1e-75, 1 << 52, 1<<52 - 1, -1 << 52, 1 << 52 / 1e6, 0.1, 1e-6, -1e-6}
	return odd[r.IntN(len(odd))]
}

// What entries give back is what was put in, to the last bit, but that equal
// neighbours are one entry with both weights.
func TestEntries(t *testing.T) {
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 1))
		var x entries
		var want []Weighted
		for range r.IntN(300) {
			v, w := kinds(r), math.Abs(kinds(r))
			if r.IntN(2) == 0 {
				w = 1
			}
			if r.IntN(4) == 0 && len(want) > 0 {
				v = want[len(want)-1].Value
			}
			if math.IsNaN(v) || math.IsNaN(w) || math.IsInf(v, 0) {
				continue
			}
			last := len(want) - 1
			again := last >= 0 && want[last].Value == v
			if x.put(v, w) == again {
				t.Fatalf("seed %d: %v behind %v: added, want %v", seed, v, want[last], !again)
			}
			if again {
				want[last].Weight += w
			} else {
				want = append(want, Weighted{v, w})
			}
		}
		got := x.list()
		if len(*got) != len(want) || int(x.n) != len(want) {
			t.Fatalf("seed %d: %d entries, %d counted, want %d", seed, len(*got), x.n, len(want))
		}
		for i, e := range *got {
			if math.Float64bits(e.Value) != math.Float64bits(want[i].Value) || math.Float64bits(e.Weight) != math.Float64bits(want[i].Weight) {
				t.Fatalf("seed %d: entry %d is %v, want %v", seed, i, e, want[i])
			}
		}
		lists.Put(got)
	}
}

// Values as measurements give them take little memory: nanoseconds that differ by
// less than 8 ms, and whole numbers, four bytes, and any number 9, with a quarter more at most.
func TestEntriesAreSmall(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for name, c := range map[string]struct {
		draw func() float64
		want int
	}{
		"milliseconds": {func() float64 { return float64(40e6+r.IntN(8e6)) / 1e6 }, 4},
		"bytes":        {func() float64 { return float64(1400 * r.IntN(1000)) }, 4},
		"any":          {r.ExpFloat64, 9},
	} {
		var x entries
		const n = 1000
		for range n {
			x.put(c.draw(), 1)
		}
		if most := c.want * n * 5 / 4; len(x.code) > c.want*n || cap(x.code) > most+maxEntry+8 {
			t.Errorf("%s: %d bytes in room for %d, want %d in %d", name, len(x.code), cap(x.code), c.want*n, most)
		}
	}
}
