package stats

import "testing"

// TestAddRepeatedWeighted: a value that came three times, with weights that add up to 5, is
// three values, and weighs 5, before and behind the limit of exactness. What
// does not count adds none.
func TestAddRepeatedWeighted(t *testing.T) {
	for _, before := range []int{0, 2 * ExactLimit} {
		var d Dist
		for range before {
			d.Add(1)
		}
		d.AddRepeatedWeighted(4, 5, 3)
		d.AddRepeatedWeighted(9, 0, 7) // no weight
		n := int64(before) + 3
		want := (float64(before) + 4*5) / (float64(before) + 5)
		if got := d.Describe(); got.N != n || got.Max != 4 || got.Mean < want-1e-9 || got.Mean > want+1e-9 {
			t.Errorf("behind %d values: %+v, want %d values, mean %v", before, got, n, want)
		}
	}
}
