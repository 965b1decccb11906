package cli

import (
	"testing"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"
)

// TestSeriesByOtherNames: --series takes what explain calls a metric, too.
func TestSeriesByOtherNames(t *testing.T) {
	assert.Check(t, is.DeepEqual(seriesNames("tau, zeta,srtt_ms,nothing"), []string{"srtt", "hol_degree", "srtt", "nothing"}), "names")
	wanted := wantedSeries("tau,cwnd")
	for name, want := range map[string]bool{"srtt": true, "cwnd_estimate": true, "rtt": false} {
		assert.Check(t, wanted(name) == want, "%s wanted: %v", name, !want)
	}
}
