package counters

import (
	"strings"
	"testing"

	"gotest.tools/v3/assert"
)

// Each line of the kernel's list without a reason has a constant.
func TestListHasEveryCounter(t *testing.T) {
	var names []string
	for line := range strings.Lines(kernelList) {
		if name := strings.TrimSpace(line); !strings.Contains(name, ":") {
			names = append(names, name)
		}
	}
	assert.Assert(t, len(names) == int(shown), "%d counters in the list, %d constants", len(names), shown)
	for c, want := range map[counter]string{capableSYNRX: "MPCapableSYNRX", joinRejected: "MPJoinRejected", addAddr: "AddAddr", mismatchPortSynRx: "MismatchPortSynRx", rstRx: "MPRstRx"} {
		if names[c] != want {
			t.Errorf("counter %d is %s, want %s", c, names[c], want)
		}
	}
}
