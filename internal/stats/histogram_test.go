package stats

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// The middle of a step is off by half a step at most, of either sign and in
// every octave that a float64 has.
func TestHistogramError(t *testing.T) {
	for exponent := -1022; exponent <= 1022; exponent += 7 {
		for _, fraction := range []float64{1, 1.0001, 1 + 1.0/256, 1.5, 1.99, math.Nextafter(2, 1)} {
			for _, sign := range []float64{1, -1} {
				v := sign * math.Ldexp(fraction, exponent)
				var h histogram
				h.runOf(v).count(v, 1)
				got := h.ascending()
				if len(got) != 1 || math.Abs(got[0].Value-v) > histogramError*math.Abs(v) || got[0].Weight != 1 {
					t.Errorf("%g comes back as %v", v, got)
				}
			}
		}
	}
}

// Steps come in ascending order of value, each with all its weight.
func TestHistogramAscends(t *testing.T) {
	var h histogram
	for _, v := range []float64{4, 4096, 0, -1, 0.25, 4, -4096, -0.25, 5e-324, 4.001} { // octaves below and above the first
		h.runOf(v).count(v, 2)
	}
	// The middle of a power of two's step is 1/256 above it. What is too small
	// for a normal float64 counts as zero.
	up := 1 + 1.0/256
	want := []Weighted{{-4096 * up, 2}, {-1 * up, 2}, {-0.25 * up, 2}, {0, 4}, {0.25 * up, 2}, {4 * up, 6}, {4096 * up, 2}}
	if diff := cmp.Diff(want, h.ascending(), cmp.AllowUnexported(Weighted{})); diff != "" {
		t.Error(diff)
	}
}
