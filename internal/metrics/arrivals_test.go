package metrics

import (
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mpanalyze/internal/conn"
	"mpanalyze/internal/dss"
	"mpanalyze/internal/stats"
)

// reordered is what RFC 4737 says of arrivals in the order given, of chunks of
// 100 octets that come a millisecond apart: the sums of the extents (Section
// 4.2.2), of the octets above (Section 4.4), the longest of each, and the
// counts of n-reordered chunks (Section 5.3).
type reordered struct {
	Late                     int64
	Extents, Above           float64
	LongestExtent, MostAbove float64
	N                        [maxN]int64
}

func reorderedBy(order []int) (r reordered) {
	highest := 0
	for i, k := range order {
		if k > highest {
			highest = k
			continue
		}
		r.Late++
		earliest, above := -1, 0.0
		for j := range i {
			if order[j] > k {
				above += 100
				if earliest < 0 {
					earliest = j
				}
			}
		}
		extent := float64(i - earliest)
		r.Extents, r.LongestExtent = r.Extents+extent, max(r.LongestExtent, extent)
		r.Above, r.MostAbove = r.Above+above, max(r.MostAbove, above)
		for n := 1; n <= maxN && n <= i && order[i-n] > k; n++ {
			r.N[n-1]++
		}
	}
	return r
}

// measuredReordering is what o found.
func measuredReordering(o *Order) reordered {
	sum := func(d *stats.Dist) float64 { return float64(int64(d.Mean()*float64(d.N()) + 0.5)) }
	return reordered{
		o.Reordered, sum(&o.ExtentChunks), sum(&o.ExtentBytes), o.ExtentChunks.Max(), o.ExtentBytes.Max(), o.NReordered,
	}
}

// TestReorderingByDefinition holds orders of all kinds against the definitions,
// taken literally: two and three paths at work in one stream, single chunks
// far behind, and plain disorder.
func TestReorderingByDefinition(t *testing.T) {
	r := rand.New(rand.NewPCG(4737, 16))
	for range 40 {
		var order []int
		for next := 1; len(order) < 300; {
			block := make([]int, 1+r.IntN(30))
			for i := range block {
				block[i] = next + i
			}
			next += len(block)
			switch r.IntN(4) {
			case 0: // disorder
				r.Shuffle(len(block), func(i, j int) { block[i], block[j] = block[j], block[i] })
			case 1: // one chunk behind all others
				block = append(block[1:], block[0])
			case 2: // two paths that take turns at random, the second in parts of its own
				half := len(block) / 2
				a, b := block[half:], block[:half]
				block = nil
				for len(a)+len(b) > 0 {
					from := &b
					if len(b) == 0 || len(a) > 0 && r.IntN(3) > 0 {
						from = &a
					}
					block, *from = append(block, (*from)[0]), (*from)[1:]
				}
			}
			order = append(order, block...)
		}
		got := measuredReordering(&arrive(t, order...).Dirs[conn.A].Order)
		if d := cmp.Diff(reorderedBy(order), got); d != "" {
			t.Fatalf("%v:\n%s", order, d)
		}
	}
}

// TestOrderKeepsGapsOnly: data in order leaves nothing behind but its
// beginning, and data behind a gap one leap, however many chunks it has.
func TestOrderKeepsGapsOnly(t *testing.T) {
	c := &conn.Conn{}
	d := &Dir{m: &Connection{Conn: c}, space: &c.Spaces[conn.A]}
	c.Spaces[conn.A].SetIDSN(1)
	o := &d.Order
	for i := range 2000 {
		at := int64(1000 + 10*i)
		if i >= 1000 {
			at += 500
		}
		p := piece(at, 10, uint64(i+1))
		o.take(d, []dss.Piece{p}, int64(i))
	}
	if want := []record{{1000, 0, 0}, {11500, 1000, 1000}}; cmp.Diff(want, o.leaps, cmp.AllowUnexported(record{})) != "" {
		t.Errorf("leaps %v, want %v", o.leaps, want)
	}
	if o.turns != 2 || o.Firsts != 2000 {
		t.Errorf("%d runs of %d arrivals, want 2 of 2000", o.turns, o.Firsts)
	}
}
