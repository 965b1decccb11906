package cli

import (
	"strings"
	"testing"
	"time"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"
)

// TestRunsBar: 9 of 36 runs fill a quarter of 30 cells, rounded down, and took
// 10 s, so that the other 27 will take 30 s.
func TestRunsBar(t *testing.T) {
	for _, c := range []struct {
		done, of int
		want     string
	}{
		{9, 36, "[#######                       ] 9 of 36 runs, 30s left"},
		{0, 36, "[                              ] 0 of 36 runs"},
		{36, 36, "[##############################] 36 of 36 runs"},
		{0, 0, "[                              ] 0 of 0 runs"},
	} {
		assert.Check(t, is.Equal(runsBar(c.done, c.of, 10*time.Second), c.want), "%d of %d", c.done, c.of)
	}
}

// TestLabelled: a caption names metrics by any of their names, once, and with their units.
func TestLabelled(t *testing.T) {
	for patterns, want := range map[string]string{
		"srtt": "SRTT (ms)", "zeta,b2a.goodput_mbps.avg,goodput": "Head-of-line degree (ms), Goodput (Mbit/s)", "*.x": "",
	} {
		assert.Check(t, is.Equal(labelled(strings.Split(patterns, ",")), want), "%s", patterns)
	}
}
