package report

import (
	"testing"

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
