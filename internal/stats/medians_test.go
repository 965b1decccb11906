package stats

import "testing"

func TestMedianOfMedians(t *testing.T) {
	for name, c := range map[string]struct {
		samples          [][]float64
		value, low, high float64
		ok               bool
	}{
		// The median of 3 draws from 3 values is the least of them with a probability of 7/27.
		"one sample": {[][]float64{{3, 1, 2}}, 2, 1, 3, true},
		// Both medians are the least with (7/27)^2 = 0.067, which is more than a tail of 0.025.
		"two": {[][]float64{{1, 2, 3}, {11, 13, 12}}, (2 + 12) / 2, (1 + 11) / 2, (3 + 13) / 2, true},
		// The middle one never varies, and stays in the middle.
		"three":   {[][]float64{{1, 2, 3}, {5, 5, 5}, {10, 11, 12}}, 5, 5, 5, true},
		"too few": {[][]float64{{1, 2, 3}, {4, 6}}, (2 + 5.) / 2, 0, 0, false},
		"none":    {nil, 0, 0, 0, false},
	} {
		value, low, high, ok := MedianOfMedians(c.samples, 0.95)
		if value != c.value || low != c.low || high != c.high || ok != c.ok {
			t.Errorf("%s: %v [%v, %v], %v; want %v [%v, %v], %v", name, value, low, high, ok, c.value, c.low, c.high, c.ok)
		}
	}
	x := []float64{3, 1, 2}
	if MedianOfMedians([][]float64{x}, 0.95); x[0] != 3 {
		t.Error("the sample was sorted")
	}
}
