package cli

import (
	"strings"
	"testing"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"
)

// TestLabelled: a caption names metrics by any of their names, once, and with their units.
func TestLabelled(t *testing.T) {
	for patterns, want := range map[string]string{
		"srtt": "SRTT (ms)", "zeta,b2a.goodput_mbps.avg,goodput": "Head-of-line degree (ms), Goodput (Mbit/s)", "*.x": "",
	} {
		assert.Check(t, is.Equal(labelled(strings.Split(patterns, ",")), want), "%s", patterns)
	}
}
