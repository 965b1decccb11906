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

// TestMeanInterval: the ends are those of scipy.stats.t.interval(0.95, n - 1, mean, sem): Student's t at 97.5 % is 12.7062047,
// 4.3026527 and 2.3646243 for 1, 2 and 7 degrees of freedom.
func TestMeanInterval(t *testing.T) {
	for _, c := range []struct{ values, want []float64 }{
		{[]float64{7}, nil},
		{[]float64{7, 7, 7}, []float64{7, 7}},
		{[]float64{10, 30}, []float64{20 - 10*12.7062047, 20 + 10*12.7062047}},
		{[]float64{1, 2, 3}, []float64{2 - 4.3026527/math.Sqrt(3), 2 + 4.3026527/math.Sqrt(3)}},
		{[]float64{2, 4, 4, 4, 5, 5, 7, 9}, []float64{5 - 2.3646243*math.Sqrt(32./7/8), 5 + 2.3646243*math.Sqrt(32./7/8)}},
	} {
		s := Summarize(c.values)
		got := s.MeanInterval(0.95)
		if c.want == nil {
			assert.Check(t, got == nil, "%v: %v", c.values, got)
			continue
		}
		assert.Check(t, got != nil && math.Abs(got[0]-c.want[0]) < 1e-5 && math.Abs(got[1]-c.want[1]) < 1e-5, "%v: %v, want %v", c.values, got, c.want)
	}
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
