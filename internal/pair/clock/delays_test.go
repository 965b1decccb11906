package clock

import (
	"math"
	"testing"
)

// TestSampleStride: every so many-th delay is kept, counted from the first.
func TestSampleStride(t *testing.T) {
	const stride = 4
	s := sampler{stride: stride, budget: &sampleBudget{left: maxSamples}}
	for i := range int64(5 * maxPerDirection * stride) {
		s.add(i, i, 1)
	}
	if s.stride != 8*stride || len(s.list) != 5*maxPerDirection/8 {
		t.Fatalf("%d samples, every %dth", len(s.list), s.stride)
	}
	for i, x := range s.list {
		if x.time != int64(i)*s.stride {
			t.Fatalf("sample %d is delay %d", i, x.time)
		}
	}
	var none sampler
	for i := range int64(10) {
		none.add(i, i, 1)
	}
	if len(none.list) != 0 {
		t.Errorf("%d samples that nobody wants", len(none.list))
	}
}

// TestSamplesAreBounded: the samples that a drift needs are thinned out, and
// their mean stays.
func TestSamplesAreBounded(t *testing.T) {
	b := &sampleBudget{left: 1000}
	s := sampler{budget: b}
	for i := range int64(100_000) {
		s.add(i, i, 1)
	}
	if len(s.list) > 1000 || len(s.list) < 250 || b.left != 1000-len(s.list) {
		t.Fatalf("%d samples are kept of 1000 allowed, %d left", len(s.list), b.left)
	}
	b.left = 0 // others took the rest
	late := sampler{budget: b}
	for i := range int64(10) {
		late.add(i, i, 1)
	}
	if len(late.list) != 10 {
		t.Errorf("a short direction keeps %d samples of 10", len(late.list))
	}
	sum := 0.0
	for _, x := range s.list {
		sum += float64(x.delay)
	}
	if mean := sum / float64(len(s.list)); math.Abs(mean-50_000) > 1000 {
		t.Errorf("mean %v, want about 50000", mean)
	}
}
