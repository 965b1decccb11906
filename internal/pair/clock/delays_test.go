package clock

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gotest.tools/v3/assert"

	"mpanalyze/internal/stats"
)

// TestSampleStride: every so many-th delay is kept, counted from the first.
func TestSampleStride(t *testing.T) {
	const stride = 4
	s := sampler{stride: stride, budget: &sampleBudget{left: maxSamples}}
	for i := range int64(5 * maxPerDirection * stride) {
		s.add(i, i, 1)
	}
	assert.Assert(t, s.stride == 8*stride && len(s.list) == 5*maxPerDirection/8, "%d samples, every %dth", len(s.list), s.stride)
	for i, x := range s.list {
		assert.Assert(t, x.time == int64(i)*s.stride, "sample %d is delay %d", i, x.time)
	}
	var none sampler
	for i := range int64(10) {
		none.add(i, i, 1)
	}
	assert.Check(t, len(none.list) == 0, "%d samples that nobody wants", len(none.list))
}

// TestSamplesAreBounded: the samples that a drift needs are thinned out, and
// their mean stays.
func TestSamplesAreBounded(t *testing.T) {
	b := &sampleBudget{left: 1000}
	s := sampler{budget: b}
	for i := range int64(100_000) {
		s.add(i, i, 1)
	}
	assert.Assert(t, len(s.list) <= 1000 && len(s.list) >= 250 && b.left == 1000-len(s.list), "%d samples are kept of 1000 allowed, %d left", len(s.list), b.left)
	b.left = 0 // others took the rest
	late := sampler{budget: b}
	for i := range int64(10) {
		late.add(i, i, 1)
	}
	assert.Check(t, len(late.list) == 10, "a short direction keeps %d samples of 10", len(late.list))
	sum := 0.0
	for _, x := range s.list {
		sum += float64(x.delay)
	}
	if mean := sum / float64(len(s.list)); math.Abs(mean-50_000) > 1000 {
		t.Errorf("mean %v, want about 50000", mean)
	}
}

// TestNegativeDelays: of delays of 10, 10, 10, -0.05 and -3 ms, the last is none, as it is
// below 0 by more than the 0.1 ms by which clocks that agree may differ, and the one before
// is 0. If half of eight are such, no delay can be trusted. Where times are trusted, all stay.
func TestNegativeDelays(t *testing.T) {
	for _, c := range []struct {
		samples bool
		us      []int64
		n       int64
		least   float64
		most    float64
	}{
		{true, []int64{10_000, 10_000, 10_000, -50, -3000}, 4, 0, 10},
		{false, []int64{10_000, 10_000, 10_000, -50, -3000}, 5, -3, 10},
		{true, []int64{10_000, -3000, 10_000, -3000, 10_000, -3000, 10_000, -3000}, 0, 0, 0},
	} {
		d := New(0, c.samples).NewDelays(AtSender, 0, false)
		for i, us := range c.us {
			d.Add(int64(i+1)*1e9, us*1000, 1)
		}
		out, shift := new(Estimate).Correct(&d)
		if out.N() != c.n || math.Abs(out.Min()+shift-c.least) > 1e-9 || math.Abs(out.Max()+shift-c.most) > 1e-9 {
			t.Errorf("%v us, samples %v: %d delays of %v to %v ms, want %d of %v to %v ms", c.us, c.samples, out.N(), out.Min()+shift, out.Max()+shift, c.n, c.least, c.most)
		}
	}
}

// TestPercentilesWhateverTheLead: delays of several forms by a clock that is ahead, with a
// rough lead that is wrong by up to seconds. Each percentile is within 1/256 of how far the
// larger of its two neighbours among the sorted delays lies from the least of the first
// delays.
func TestPercentilesWhateverTheLead(t *testing.T) {
	const msec = 1_000_000
	forms := map[string]func(r *rand.Rand, i int) int64{
		"queue":           func(r *rand.Rand, i int) int64 { return 27*msec + r.Int64N(2*msec) },
		"sparse tail":     func(r *rand.Rand, i int) int64 { return 10*msec + int64(min(1e12, 1e4*math.Pow(r.Float64(), -2))) },
		"few far apart":   func(r *rand.Rand, i int) int64 { return msec << (r.IntN(2) * r.IntN(12)) },
		"shorter later":   func(r *rand.Rand, i int) int64 { return r.Int64N(msec) + int64(max(2, 100-i/50))*msec },
		"from the minute": func(r *rand.Rand, i int) int64 { return 60_000*msec - int64(i)*msec + r.Int64N(msec) },
	}
	for name, form := range forms {
		for seed := range uint64(4) {
			for _, byBytes := range []bool{false, true} {
				r := rand.New(rand.NewPCG(seed, 3))
				lead, wrong := r.Int64N(20_000*msec)-10_000*msec, r.Int64N(4_000*msec)-2_000*msec
				d := New(lead+wrong, false).NewDelays(AtSender, lead+wrong, byBytes)
				var all []float64
				least := math.Inf(1)
				for i := range 3000 + r.IntN(3000) {
					delay, weight := form(r, i), 1+r.Int64N(3)
					d.Add(int64(i)*msec, delay+lead, weight)
					for range weight {
						all = append(all, ms(delay))
					}
					if i < rebaseAt-1 {
						least = min(least, ms(delay))
					}
				}
				slices.Sort(all)
				dist, shift := (&Estimate{OffsetMS: ms(lead)}).Correct(&d)
				for _, p := range []float64{0, 0.01, 0.25, 0.5, 0.75, 0.95, 0.99, 0.999, 1} {
					at := p * float64(len(all)-1)
					low, high := all[int(at)], all[min(int(at)+1, len(all)-1)]
					want := low + (at-math.Floor(at))*(high-low)
					promise := max(math.Abs(low-least), math.Abs(high-least))/stats.ErrorPart + 1e-5
					if got := dist.Quantiles(p)[0] + shift; math.Abs(got-want) > promise {
						t.Errorf("%s, seed %d, by bytes %v: quantile %v is %v ms, want %v within %v", name, seed, byBytes, p, got, want, promise)
					}
				}
			}
		}
	}
}
