package clock

import (
	"math"
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

// TestPercentilesWhateverTheLead: delays of 20 to 30 ms, then of 10 to 20, two of each 0.01 ms, by a clock that is 8 s ahead, with a rough
// lead that is wrong by 2 s. A percentile is exact to 1/256 of how far it lies from the least of the first delays, 20 ms, and to 0.01 ms.
func TestPercentilesWhateverTheLead(t *testing.T) {
	const msec, lead = int64(1_000_000), int64(8_000_000_000)
	for _, c := range []struct {
		from    End
		wrong   int64
		n       int64 // segments or bytes of a delay
		byBytes bool
	}{{AtSender, 2000 * msec, 1, false}, {AtSender, -2000 * msec, 3, false}, {AtSender, 2000 * msec, 3, true}, {AtReceiver, -2000 * msec, 1, true}} {
		d := New(lead+c.wrong, false).NewDelays(c.from, lead+c.wrong, c.byBytes)
		for i := range int64(4000) {
			delay := 10*msec + i*7919%1000*msec/100 // the prime mixes them
			if i < 2000 {
				delay += 10 * msec
			}
			d.Add(i*msec, delay+int64(c.from.sign())*lead, c.n)
		}
		dist, shift := (&Estimate{OffsetMS: ms(lead)}).Correct(&d)
		for _, p := range []float64{0, 0.01, 0.25, 0.5, 0.75, 0.95, 0.99, 0.999, 1} {
			got, want := dist.Quantiles(p)[0]+shift, 10+20*p
			assert.Check(t, math.Abs(got-want) <= 10.0/stats.ErrorPart+0.01, "%+v: quantile %v is %v ms, want %v", c, p, got, want)
		}
	}
}
