package cli

import (
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
