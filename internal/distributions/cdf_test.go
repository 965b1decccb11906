package distributions

import (
	"slices"
	"testing"

	"mpanalyze/internal/stats"
)

// TestCDFOfEqualValues: of 999 ones and a two, no value has two rows, and each says how many
// percent are not above it, to half a percent.
func TestCDFOfEqualValues(t *testing.T) {
	var d stats.Dist
	for range 999 {
		d.Add(1)
	}
	d.Add(2)
	if got, want := cdf(&d), []point{{1, 99.5}, {2, 100}}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}
