package stats

import (
	"math"
	"slices"
	"testing"
	"testing/quick"

	"gotest.tools/v3/assert"
)

func within(t *testing.T, what string, got, want float64) {
	t.Helper()
	assert.Check(t, math.Abs(got-want) <= 1e-12*max(1, math.Abs(want)), "%s is %v, want %v", what, got, want)
}

func TestSummarize(t *testing.T) {
	// 2, 4, 4, 4, 5, 5, 7, 9: sum 40, deviations -3 -1 -1 -1 0 0 2 4, squares 32, 32/8 = 4.
	s := Summarize([]float64{9, 2, 4, 5, 4, 7, 4, 5})
	within(t, "mean", s.Mean, 5)
	within(t, "stddev", s.Stddev, 2)
	within(t, "stddev of the sample", s.Sample, math.Sqrt(32.0/7))
	within(t, "median of an even number", s.Median, 4.5)
	within(t, "min", s.Min, 2)
	within(t, "max", s.Max, 9)
	assert.Check(t, s.N == 8, "N is %d", s.N)
	within(t, "median of an odd number", Summarize([]float64{10, -1, 3}).Median, 3)
	if one := Summarize([]float64{7}); one != (Summary{1, 7, 0, 0, 7, 7, 7}) {
		t.Errorf("one value: %+v", one)
	}
	if none := Summarize(nil); none != (Summary{}) {
		t.Errorf("no value: %+v", none)
	}
}

func TestSummarizeLeavesTheSampleAlone(t *testing.T) {
	x := []float64{3, 1, 2}
	Summarize(x)
	if !slices.Equal(x, []float64{3, 1, 2}) {
		t.Errorf("sorted the caller's values: %v", x)
	}
}

func TestIntervalIsThatOfTheMean(t *testing.T) {
	// 100 values 0..99: mean 49.5, population variance (100²-1)/12 = 833.25, so the
	// mean of a resample has standard deviation sqrt(833.25/100) = 2.887 and 95 %
	// of them lie within 1.96 of that. 1000 resamples know the ends to about 5 %.
	x := make([]float64, 100)
	for i := range x {
		x[i] = float64(i)
	}
	low, high := NewBootstrap(len(x)).Interval(x, 0.95)
	half := 1.96 * math.Sqrt(833.25/100)
	if math.Abs(low-(49.5-half)) > 0.1*half || math.Abs(high-(49.5+half)) > 0.1*half {
		t.Errorf("interval %v to %v, want about %v to %v", low, high, 49.5-half, 49.5+half)
	}
}

func TestIntervalOfFewValues(t *testing.T) {
	for _, c := range []struct {
		values                []float64
		confidence, low, high float64
	}{
		// Half of the draws hold both values; a quarter each holds one twice: the
		// 2.5th and 97.5th percentiles are the values themselves.
		{[]float64{10, 30}, 0.95, 10, 30},
		// At 40 % the percentiles 30 and 70 both fall among those of both values.
		{[]float64{10, 30}, 0.4, 20, 20},
		{[]float64{7}, 0.95, 7, 7},
		{[]float64{7, 7, 7}, 0.95, 7, 7},
	} {
		low, high := NewBootstrap(len(c.values)).Interval(c.values, c.confidence)
		assert.Check(t, low == c.low && high == c.high, "%v, %v: interval %v to %v, want %v to %v", c.values, c.confidence, low, high, c.low, c.high)
	}
}

// TestIntervalHoldsWithinExtremes: an interval stays within the sample's range, and is the same
// each time it is computed.
func TestIntervalHoldsWithinExtremes(t *testing.T) {
	property := func(raw []int16) bool {
		if len(raw) == 0 {
			return true
		}
		x := make([]float64, len(raw))
		for i, v := range raw {
			x[i] = float64(v)
		}
		low, high := NewBootstrap(len(x)).Interval(x, 0.95)
		again, _ := NewBootstrap(len(x)).Interval(x, 0.95)
		return slices.Min(x) <= low && low <= high && high <= slices.Max(x) && low == again
	}
	assert.Check(t, quick.Check(property, &quick.Config{MaxCount: 50}))
}

// TestMeansInterval: 0..99 less 1000 + 0..99 has mean -1000, and means of resamples deviate
// by sqrt(833.25/100) each, their difference by sqrt(2) times that, 4.08: 95 % lie
// within 1.96 of those, 8.0. 1000 resamples know the ends to about 5 %.
func TestMeansInterval(t *testing.T) {
	less := func(means []float64) float64 { return means[0] - means[1] }
	x, y := make([]float64, 100), make([]float64, 100)
	for i := range x {
		x[i], y[i] = float64(i), float64(1000+i)
	}
	got := MeansInterval([][]float64{x, y}, 0.95, less)
	assert.Check(t, math.Abs(got[0]+1008) <= 1 && math.Abs(got[1]+992) <= 1, "interval %v, want about -1008 to -992", got)
	if got := MeansInterval([][]float64{{3, 3}, {1}}, 0.95, less); got != [2]float64{2, 2} {
		t.Errorf("without spread: %v", got)
	}
}
