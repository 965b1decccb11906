package campaign

import (
	"fmt"
	"strings"
	"testing"

	"gotest.tools/v3/assert"
)

// TestSameCapturesAreCounted: 9,965 of 10,000 runs are copies of 35; the first are named, the
// others counted.
func TestSameCapturesAreCounted(t *testing.T) {
	sc := &Scenario{Name: "x"}
	for i := range 10000 {
		sc.Runs = append(sc.Runs, Member{Input{Name: fmt.Sprint(i)}, &Run{Content: fmt.Sprint(i % 35)}})
	}
	lines := sameCaptures([]*Scenario{sc})
	assert.Check(t, len(lines) == maxSame+1 && lines[0] == "x 0 and x 35 are the same capture: they are no two runs" && strings.HasPrefix(lines[maxSame], "9955 runs more are"),
		"%d lines: %q", len(lines), lines)
}
