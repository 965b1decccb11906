package tcptrace

import (
	"testing"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"
)

// TestMeant: every column of full-size segments differs on purpose, and no other does.
func TestMeant(t *testing.T) {
	var got, want []string
	for i := range fields {
		for _, direction := range []string{"a2b", "b2a"} {
			if d := (Difference{Column: fields[i].name(direction)}); d.Meant() {
				got = append(got, d.Column)
			}
		}
	}
	for _, name := range []string{"smpls", "min", "max", "avg"} {
		want = append(want, "RTT_full_sz_"+name+"_a2b", "RTT_full_sz_"+name+"_b2a")
	}
	want = append(want, "RTT full_sz_stdev_a2b", "RTT_full_sz_stdev_b2a") // as tcptrace names them
	assert.Check(t, is.DeepEqual(got, want))
}
