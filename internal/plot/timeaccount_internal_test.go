package plot

import (
	"slices"
	"testing"

	"mpanalyze/internal/report"
)

// What records say of a state stands behind its share.
func TestSharesWithRecords(t *testing.T) {
	x := &report.TimeAccount{
		Window: report.StateTime{Percent: 80}, Path: report.StateTime{Percent: 20},
		Kernel: report.List[report.KernelCause]{{Host: report.SideB, Cause: report.CauseSendBuffer, States: []string{"application", "window"}}},
	}
	if got, want := SharesOf(x), []string{"window 80% (kernel of b: send buffer)", "path 20%"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}
