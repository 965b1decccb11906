package tcptrace

import (
	"testing"

	"gotest.tools/v3/assert"
)

// TestMeant: every column of full-size segments differs on purpose, and no other does.
func TestMeant(t *testing.T) {
	meant := 0
	for i := range fields {
		for _, direction := range []string{"a2b", "b2a"} {
			d := Difference{Column: fields[i].name(direction)}
			full := fields[i].label == "RTT full_sz smpls" || fields[i].label == "RTT full_sz min" || fields[i].label == "RTT full_sz max" ||
				fields[i].label == "RTT full_sz avg" || fields[i].label == "RTT full_sz stdev"
			if d.Meant() != full {
				t.Errorf("%s: %v", d.Column, d.Meant())
			}
			if full {
				meant++
			}
		}
	}
	assert.Check(t, meant == 10, "%d columns, want 10", meant)
}
