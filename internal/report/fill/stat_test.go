package fill

import (
	"testing"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	"mpanalyze/internal/report"
	"mpanalyze/internal/stats"
)

// TestVariationOfZero: standard deviation / mean is null where the mean is 0,
// which no division by it may hide.
func TestVariationOfZero(t *testing.T) {
	for _, c := range []struct {
		values []float64
		cov    float64 // -1 = null
		why    report.Reasons
	}{
		{[]float64{0, 0}, -1, reasonsOf("rtt_ms.cov", "the mean is 0")},
		{[]float64{-1, 1}, -1, reasonsOf("rtt_ms.cov", "the mean is 0")},
		{[]float64{1, 3}, 0.5, nil}, // deviation 1, mean 2
	} {
		var d stats.Dist
		for _, v := range c.values {
			d.Add(v)
		}
		f := Fields{&Reasons{}, &Memory{}}
		s := f.Spread("rtt_ms", &d, report.Observed)
		switch {
		case (s.COV == nil) != (c.cov < 0):
			t.Errorf("%v: null: %v", c.values, s.COV == nil)
		case s.COV != nil && *s.COV != c.cov:
			t.Errorf("%v: %v, want %v", c.values, *s.COV, c.cov)
		}
		assert.Check(t, is.DeepEqual(f.Take(), c.why), "%v", c.values)
	}
}
