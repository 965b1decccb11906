package stats

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"
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
				got := h.ascending(nil)
				assert.Check(t, len(got) == 1 && math.Abs(got[0].Value-v) <= math.Abs(v)/ErrorPart && got[0].Weight == 1, "%g comes back as %v", v, got)
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
	assert.Check(t, is.DeepEqual(h.ascending(nil), want, cmp.AllowUnexported(Weighted{})))
}

// Room for many values is made in two steps at most, and is no more than their
// octaves take: from 2^-3 to below 2^7 those are ten.
func TestReserve(t *testing.T) {
	list := []Weighted{{1, 1}, {0.2, 1}, {-5, 1}, {127, 1}, {0, 1}, {3, 1}, {64, 1}}
	var h histogram
	h.reserve(list)
	if len(h.runs) != 1 || len(h.runs[0].steps) != 10*steps {
		t.Fatalf("%d runs, the first of %d steps", len(h.runs), len(h.runs[0].steps))
	}
	room := &h.runs[0].steps[0]
	for _, e := range list {
		h.runOf(e.Value).count(e.Value, e.Weight)
	}
	assert.Check(t, &h.runs[0].steps[0] == room, "the common run grew once more")
	for _, none := range [][]Weighted{nil, {{-1, 1}, {0, 1}}} {
		var h histogram
		h.reserve(none)
		assert.Check(t, len(h.runs) == 0, "room for none of %v", none)
	}
}
