package report

import (
	"math"
	"testing"
	"time"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"
)

func TestCellText(t *testing.T) {
	for in, want := range map[string]string{
		"": "", "wifi": "wifi", "a=b": "a=b", "10.0.0.1-10.0.0.2": "10.0.0.1-10.0.0.2", "'x": "'x",
		"-1": "-1", "+1.5e3": "+1.5e3", "-0.25": "-0.25",
		"=1+1": "'=1+1", "=cmd|'/C calc'!A0": "'=cmd|'/C calc'!A0", "+1+cmd": "'+1+cmd", "-2+3": "'-2+3", "-": "'-", "@SUM(A1)": "'@SUM(A1)",
		"\t=1": "'\t=1", "\r=1": "'\r=1", "==1": "'==1",
	} {
		assert.Check(t, is.Equal(CellText(in), want), "CellText(%q)", in)
	}
}

// A time is written as the library writes it.
func TestTimeText(t *testing.T) {
	for _, ns := range []int64{0, 1, -1, 1e18 + 123456789, 1.7e18, 951782400e9, math.MaxInt64, math.MinInt64, 1230768000e9 - 1} {
		want := time.Unix(0, ns).UTC().Format("2006-01-02T15:04:05.000000000Z")
		assert.Check(t, is.Equal(Time(ns).String(), want), "%d ns", ns)
	}
}
