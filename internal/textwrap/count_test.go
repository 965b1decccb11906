package textwrap_test

import (
	"testing"

	"mpanalyze/internal/textwrap"
)

// TestCount: one has the noun as it is, none and several have its plural.
func TestCount(t *testing.T) {
	for n, want := range []string{"0 losses", "1 loss", "2 losses"} {
		if got := textwrap.Count(n, "loss"); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	if got := textwrap.Count(int64(1)<<40, "run"); got != "1099511627776 runs" {
		t.Errorf("%q", got)
	}
}
