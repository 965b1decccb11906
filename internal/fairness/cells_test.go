package fairness

import (
	"testing"

	"gotest.tools/v3/assert"
)

// TestSumAcrossYears: a flow of one second, and one of another second a hundred years later,
// have together no more cells than an overlap, and all bytes.
func TestSumAcrossYears(t *testing.T) {
	const second, century = int64(1e9), int64(100 * 365.25 * 86400 * 1e9)
	var a, b cells
	for i := range int64(10) {
		a.add(i*second/10, 100, false)
		b.add(century+i*second/10, 10, i == 0)
	}
	got := sum(a, b)
	assert.Check(t, got.last-got.first < maxSpan, "%d cells, want at most %d", got.last-got.first+1, maxSpan)
	if all := got.total(); all != (cell{1100, 10}) {
		t.Errorf("sum %+v, want 1100 bytes and 10 of them again", all)
	}
	near := sum(a, a)
	if near.shift != firstShift || len(near.at) != len(a.at) || near.total().all != 2000 {
		t.Errorf("the sum of a flow with itself has %d cells of 2^%d ns and %d bytes", len(near.at), near.shift, near.total().all)
	}
}
