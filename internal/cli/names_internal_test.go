package cli

import (
	"slices"
	"testing"
)

// TestSeriesByOtherNames: --series takes what explain calls a metric, too.
func TestSeriesByOtherNames(t *testing.T) {
	if got, want := seriesNames("tau, zeta,srtt_ms,nothing"), []string{"srtt", "hol_degree", "srtt", "nothing"}; !slices.Equal(got, want) {
		t.Errorf("names %q, want %q", got, want)
	}
	wanted := wantedSeries("tau,cwnd")
	for name, want := range map[string]bool{"srtt": true, "cwnd_estimate": true, "rtt": false} {
		if wanted(name) != want {
			t.Errorf("%s wanted: %v", name, !want)
		}
	}
}
