package metrics

import (
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"
	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	"mpanalyze/internal/conn"
	"mpanalyze/internal/dss"
	"mpanalyze/internal/seq"
	"mpanalyze/internal/stats"
	"mpanalyze/internal/subflow"
)

// reordered has the figures of RFC 4737 for arrivals in the order given, of chunks of 100
// bytes that arrive a millisecond apart: the sums of the extents (Section 4.2.2), of the
// bytes above (Section 4.4), the longest of each, and the counts of n-reordered chunks
// (Section 5.3).
type reordered struct {
	Late                     int64
	Extents, Above           float64
	LongestExtent, MostAbove float64
	N                        []int64
	MostN                    int64
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
		for n := 1; n <= i && order[i-n] > k; n++ {
			if len(r.N) < n {
				r.N = append(r.N, 0)
			}
			r.N[n-1]++
			r.MostN = max(r.MostN, int64(n))
		}
	}
	return r
}

// measuredReordering has the same figures as o found them.
func measuredReordering(o *Order) reordered {
	sum := func(d *stats.Dist) float64 { return float64(int64(d.Mean()*float64(d.N()) + 0.5)) }
	return reordered{
		o.Reordered, sum(o.ExtentChunks.Dist()), sum(&o.ExtentBytes), o.ExtentChunks.Dist().Max(), o.ExtentBytes.Max(), o.NReordered(), o.MostOvertaken,
	}
}

// TestReorderingByDefinition compares the figures of many orders with the definitions,
// applied literally: two and three paths in one stream, single chunks that are very late,
// and random order.
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
		o := arrive(t, order...).Dir(conn.A).Order()
		assert.Assert(t, is.DeepEqual(measuredReordering(o), reorderedBy(order)), "%v", order)
		// A chunk a millisecond: the lateness is the extent.
		near(t, "lateness", o.ExtentMS.Mean(), o.ExtentChunks.Dist().Mean())
		assert.Check(t, o.Firsts == int64(len(order)), "%d of %d chunks", o.Firsts, len(order))
	}
}

// TestOrderKeepsGapsOnly: data in order leaves only its beginning in memory, and data
// behind a gap one discontinuity, however many chunks it has.
func TestOrderKeepsGapsOnly(t *testing.T) {
	c := &conn.Conn{}
	d := &DataDir{m: &Connection{Conn: c}, space: &c.Spaces[conn.A]}
	c.Spaces[conn.A].SetIDSN(1)
	o := &Order{d: d}
	for i := range 2000 {
		at := int64(1000 + 10*i)
		if i >= 1000 {
			at += 500
		}
		p := piece(at, 10, uint64(i+1))
		o.piece(&SubflowDir{half: new(subflow.Sender)}, []dss.Piece{p}, int64(i))
	}
	if want := []record{{1000, 0, 0}, {11500, 1000, 1000}}; cmp.Diff(want, o.discontinuities, cmp.AllowUnexported(record{})) != "" {
		t.Errorf("discontinuities %v, want %v", o.discontinuities, want)
	}
	if want := []run{{1000, 1000}, {11500, 0}}; cmp.Diff(want, o.runs, cmp.AllowUnexported(run{})) != "" || o.Firsts != 2000 {
		t.Errorf("runs %v of %d arrivals, want %v of 2000", o.runs, o.Firsts, want)
	}
}

// TestOvertakenBy compares with the definition how many arrivals directly before a late one
// are all above it. There are many more ranges of one arrival than are kept. Those below
// the edge are not needed, because no later chunk is below it.
func TestOvertakenBy(t *testing.T) {
	r := rand.New(rand.NewPCG(4737, 53))
	const all, deep = 30_000, 3000
	order := make([]int, all)
	for i := range order {
		order[i] = 2 * i // no two are contiguous
	}
	for range all / 10 { // some come late, by 3000 arrivals at most
		at := r.IntN(all - deep)
		k, by := order[at], 1+r.IntN(1+r.IntN(deep))
		copy(order[at:], order[at+1:at+by+1])
		order[at+by] = k
	}
	edges := make([]int, all+1) // from each arrival on, the least that is still to come
	edges[all] = 2 * all
	for i := all - 1; i >= 0; i-- {
		edges[i] = min(edges[i+1], order[i])
	}
	var a arrivals
	most, most64 := 0, int64(0)
	for i, k := range order {
		n := 0
		for n < i && order[i-1-n] > k {
			n++
		}
		got := a.overtaken(seq.DSN(k), int64(i))
		assert.Assert(t, got == int64(n), "arrival %d: %d before it lie above it, want %d", i, got, n)
		a.turn(seq.DSN(k), int64(i), seq.DSN(edges[i]))
		most, most64 = max(most, len(a.runs)), max(most64, got)
	}
	assert.Check(t, most64 >= 1000 && cap(a.runs) <= maxRuns, "the most is %d, of %d runs kept", most64, most)
}

// TestOvertakenByForgets: more ranges than are kept are above missing data. Of the lowest
// one it is then known that at least the later arrivals are above it.
func TestOvertakenByForgets(t *testing.T) {
	var a arrivals
	for i := range 3 * maxRuns {
		a.turn(seq.DSN(1000+2*i), int64(i), 0)
	}
	assert.Check(t, len(a.runs) <= maxRuns, "%d runs are kept, want %d at most", len(a.runs), maxRuns)
	if n := a.overtaken(1, 3*maxRuns); n < maxN || n > 3*maxRuns {
		t.Errorf("%d arrivals lie above, want %d at most and no fewer than are told", n, 3*maxRuns)
	}
}
