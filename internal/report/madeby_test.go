package report

import (
	"testing"

	"gotest.tools/v3/assert"
)

// TestWindow: the words say which time of each direction counts.
func TestWindow(t *testing.T) {
	for _, c := range []struct{ skip, until, want string }{
		{"0s", "0s", ""},
		{"", "", ""},
		{"1s", "0s", "later than 1s after each direction's first data"},
		{"0s", "3s", "in the first 3s after each direction's first data"},
		{"1s", "3s", "from 1s to 3s after each direction's first data"},
	} {
		m := &MadeBy{Options: Options{Skip: c.skip, Until: c.until}}
		got := m.Window()
		assert.Check(t, got == c.want && m.PartOfTime() == (c.want != ""), "skip %q, until %q: %q, want %q", c.skip, c.until, got, c.want)
	}
	assert.Check(t, (*MadeBy)(nil).Window() == "", "a report that does not say what made it has a window")
}
