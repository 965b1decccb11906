package stats

import (
	"math"
	"slices"
	"testing"

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

// TestMeanInterval: of two values a quarter of the resamples holds the lower one twice, and a quarter the upper one, so the 2.5th and
// 97.5th percentiles are the values; of 1, 2, 3 one of 27 holds 1 alone. The mean of resamples of 0..99 has the standard deviation
// sqrt(833.25/100), of which 1000 resamples know the ends and the bias to about 5 % each. Values that are skewed
// to the right move both ends there, beyond those of the percentiles alone.
func TestMeanInterval(t *testing.T) {
	hundred, skewed := make([]float64, 100), []float64{1, 2, 4, 8, 16, 32, 64, 128}
	for i := range hundred {
		hundred[i] = float64(i)
	}
	for _, x := range [][]float64{{0.1, 0.1, 0.1 + 1e-17}, {5e5, 5e5, 5e5 + 1e-10}, {1e-200, 3e-200}, {0, 0, 1e300}, append(make([]float64, 95), 1)} {
		got := MeanInterval(x, 0.95)
		assert.Check(t, got[0] >= slices.Min(x) && got[0] <= got[1] && got[1] <= slices.Max(x), "%v: %v", x, *got)
	}
	half := 1.96 * math.Sqrt(833.25/100)
	for _, c := range []struct {
		values, want []float64
		within       float64
	}{
		{[]float64{7}, nil, 0},
		{[]float64{7, 7, 7}, []float64{7, 7}, 0},
		{[]float64{10, 30}, []float64{10, 30}, 0},
		{[]float64{1, 2, 3}, []float64{1, 3}, 0},
		{hundred, []float64{49.5 - half, 49.5 + half}, 0.15 * half},
	} {
		got := MeanInterval(c.values, 0.95)
		assert.Check(t, (got == nil) == (c.want == nil) && (got == nil || math.Abs(got[0]-c.want[0]) <= c.within && math.Abs(got[1]-c.want[1]) <= c.within), "%v: %v, want %v", c.values, got, c.want)
	}
	got, again := MeanInterval(skewed, 0.95), MeanInterval(skewed, 0.95)
	plain := MeansInterval([][]float64{skewed}, 0.95, func(means []float64) float64 { return means[0] })
	assert.Check(t, *got == *again && got[0] > plain[0] && got[1] > plain[1] && got[1] <= 128, "%v, %v; percentiles alone %v", got, again, plain)
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
