package report

import (
	"math"
	"testing"
	"time"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"
)

// A time is written as the library writes it.
func TestTimeText(t *testing.T) {
	for _, ns := range []int64{0, 1, -1, 1e18 + 123456789, 1.7e18, 951782400e9, math.MaxInt64, math.MinInt64, 1230768000e9 - 1} {
		want := time.Unix(0, ns).UTC().Format("2006-01-02T15:04:05.000000000Z")
		assert.Check(t, is.Equal(Time(ns).String(), want), "%d ns", ns)
	}
}
