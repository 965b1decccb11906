package cli

import (
	"slices"
	"testing"

	"gotest.tools/v3/assert"
)

// TestSeriesByOtherNames: --series takes what explain calls a metric, too.
func TestSeriesByOtherNames(t *testing.T) {
	if got, want := seriesNames("tau, zeta,srtt_ms,nothing"), []string{"srtt", "hol_degree", "srtt", "nothing"}; !slices.Equal(got, want) {
		t.Errorf("names %q, want %q", got, want)
	}
	wanted := wantedSeries("tau,cwnd")
	for name, want := range map[string]bool{"srtt": true, "cwnd_estimate": true, "rtt": false} {
		assert.Check(t, wanted(name) == want, "%s wanted: %v", name, !want)
	}
}
