package stats

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp/cmpopts"
	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"
)

// Values that wait in a batch count like those that were processed: a distribution that is read
// after each value has the same figures as one that is read at the end, below the limit of
// exactness, at it and beyond.
func TestWaiting(t *testing.T) {
	for _, n := range []int{1, 7, 8, 9, BatchSize, BatchSize + 1, 3 * BatchSize, ExactLimit - 1, ExactLimit, ExactLimit + 70, 4000} {
		for _, shape := range shapes {
			t.Run(fmt.Sprint(n, " ", shape.name), func(t *testing.T) {
				list := withOdd(shape.draw, n, rand.New(rand.NewPCG(uint64(n), 5)))
				var asked, quiet, askedW, quietW Dist
				for i, e := range list {
					asked.Add(e.Value)
					quiet.Add(e.Value)
					askedW.AddWeighted(e.Value, e.Weight)
					quietW.AddWeighted(e.Value, e.Weight)
					if i%10 == 0 {
						asked.N()
						askedW.Quantiles(0.5)
					}
				}
				alike(t, "of weight 1", quiet.figures(), asked.figures())
				alike(t, "of any weight", quietW.figures(), askedW.figures())
				if (asked.sketch == nil) != (quiet.sketch == nil) || asked.n != quiet.n {
					t.Errorf("%d and %d entries", asked.n, quiet.n)
				}
			})
		}
	}
}

// alike fails unless figures agree up to the rounding of sums.
func alike(t *testing.T, what string, got, want figures) {
	t.Helper()
	size := max(-want.Min, want.Max)
	near(t, what+": mean", got.Mean, want.Mean, 1e-12*size)
	near(t, what+": stddev", got.Stddev, want.Stddev, 1e-9*size)
	got.Mean, got.Stddev = want.Mean, want.Stddev
	assert.Check(t, is.DeepEqual(got, want, cmpopts.EquateApprox(1e-12, 0)), "%s", what)
}

// A weight below all others counts at once in the place of 1, and so do those
// that come after it: of 2000 values of weight 3 and as many of weight 1/4 the
// percentiles lie where those of 24000 and 2000 would.
func TestLightWeights(t *testing.T) {
	var d Dist
	for i := range 2000 {
		d.AddWeighted(float64(1+i%1600), 3)
	}
	if d.N(); d.Exact() {
		t.Fatal("nothing became a sketch")
	}
	for range 2000 {
		d.AddWeighted(1, 0.25)
	}
	if got := d.moments().lightest; d.N() != 4000 || got != 0.25 {
		t.Errorf("%d values, the lightest of %v", d.N(), got)
	}
	near(t, "weight", d.sketch.weight, 2000*3.25, 1e-9)
	var whole Dist
	for i := range 2000 {
		whole.AddRepeated(float64(1+i%1600), 12)
	}
	whole.AddRepeated(1, 2000)
	for _, p := range []float64{0.01, 0.2, 0.3, 0.5, 0.9, 0.99} {
		near(t, fmt.Sprint("percentile ", p), d.Quantiles(p)[0], whole.Quantiles(p)[0], 1e-9)
	}
}

// Values that repeat stay exact however often they come, with weights and without, and take no
// memory.
func TestRepetitionsStayExact(t *testing.T) {
	const each = 10 * ExactLimit
	var plain, pairs Dist
	for i := range 4 * each { // 0, 1, 2 and 3, each as often
		plain.Add(float64(i / each))
		pairs.AddWeighted(float64(i/each), 1)
	}
	// mean 1.5, squared deviations 2.25 and 0.25; the quartiles lie at (40960 - 1) / 4 = 10239.75, of
	// which the 10239th value is the last 0, and so on.
	want := figures{4 * each, 1.5, math.Sqrt(1.25), 0, 3, 0, 0.75, 1.5, 2.25, 3}
	for name, d := range map[string]*Dist{"plain": &plain, "pairs": &pairs} {
		assert.Check(t, is.DeepEqual(d.figures(), want), "%s", name)
		if d.n != 4 || cap(d.code) > 3*maxEntry {
			t.Errorf("%s: %d entries, room for %d bytes", name, d.n, cap(d.code))
		}
	}
}

// A value that is added several times at once, next to an equal value, does not take an entry of
// its own.
func TestRepeatedStayNeighbours(t *testing.T) {
	var d Dist
	for i := range 100 {
		v := float64(i)
		d.Add(v)
		d.AddRepeated(v, 10)
		d.Add(v)
	}
	if n := d.N(); n != 1200 || d.n != 100 {
		t.Errorf("%d values in %d entries", n, d.n)
	}
}

// Values in a list count like those added one by one, whatever values wait before them: also NaN,
// and more values than stay exact.
func TestAddList(t *testing.T) {
	for _, n := range []int{1, 5, BatchSize, 1000, 4000} {
		r := rand.New(rand.NewPCG(uint64(n), 6))
		list := withOdd(func(r *rand.Rand) float64 { return 1 + r.ExpFloat64() }, n, r)
		positiveWeights(list)
		var together, single Dist
		for left := list; len(left) > 0; {
			part := left[:min(1+r.IntN(BatchSize), len(left))]
			left = left[len(part):]
			together.AddWeightedSlice(part)
			together.Add(float64(n))
			for _, e := range part {
				single.AddWeighted(e.Value, e.Weight)
			}
			single.Add(float64(n))
		}
		alike(t, fmt.Sprint(n), together.figures(), single.figures())
	}
}

// Memory is bounded: that of a batch and of what is exact, and then that of a
// batch and of the octaves in use. Then nothing is allocated for a value.
func TestMemory(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	var d Dist
	for range (ExactLimit - 1) / 2 {
		d.Add(1 + r.Float64())
		d.AddWeighted(1+r.Float64(), 1448)
	}
	if d.N(); d.sketch != nil || cap(d.code) > 18*ExactLimit {
		t.Errorf("of %d values: room for %d bytes; sketch: %v", d.N(), cap(d.code), d.sketch != nil)
	}
	for range 3 * BatchSize {
		d.Add(1 + r.Float64())
		d.AddWeighted(1+r.Float64(), 1448)
	}
	if d.sketch == nil || d.code != nil || cap(d.sketch.plain) > BatchSize || cap(d.sketch.pairs) > BatchSize {
		t.Fatalf("beyond exactness: room for %d bytes; sketch: %v", cap(d.code), d.sketch != nil)
	}
	list := slices.Repeat([]Weighted{{1.5, 2}}, BatchSize)
	n := testing.AllocsPerRun(1000, func() {
		d.Add(1 + r.Float64())
		d.AddWeighted(1+r.Float64(), 1448)
		d.AddRepeated(1.25, 100)
		d.AddWeightedSlice(list)
		d.N()
	})
	assert.Check(t, n == 0, "%v allocations for values", n)
	if octaves := len(d.sketch.runs[0].steps) / steps; octaves != 1 || len(d.sketch.runs) != 1 {
		t.Errorf("values of one octave take %d in %d runs", octaves, len(d.sketch.runs))
	}
}
