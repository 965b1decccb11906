package live

import (
	"fmt"
	"strings"
	"testing"

	"gotest.tools/v3/assert"

	"mpanalyze/internal/report"
)

// TestOthersAreTheSame: of more paths than have counters, the same ones count for "others" each time.
func TestOthersAreTheSame(t *testing.T) {
	first := ""
	for range 5 {
		x, v := NewExposition("test"), &Interval{spent: map[pathState]int64{}}
		for i := range 2 * maxPaths {
			v.spent[pathState{pathDir{fmt.Sprintf("path%d", i), report.A2B}, "idle"}] = int64(i)
		}
		x.Add(v)
		var out strings.Builder
		assert.NilError(t, x.Write(&out))
		assert.Check(t, first == "" || first == out.String())
		first = out.String()
	}
}
