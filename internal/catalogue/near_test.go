package catalogue

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestNear(t *testing.T) {
	known := []string{"rtt", "srtt", "rttvar", "hol_wait", "hol_queue", "hol_wait", "goodput"}
	for name, want := range map[string][]string{
		"strt":     {"srtt"},                  // two swapped
		"rtts":     {"rtt"},                   // one too many
		"SRTT":     {"srtt", "rtt"},           // case does not count; rtt is one away
		"goodputt": {"goodput"},               //
		"hol":      {"hol_wait", "hol_queue"}, // a part of both, the shorter way first, each once
		"xyzzy":    nil,                       //
		"":         nil,                       //
	} {
		if d := cmp.Diff(want, Near(name, known)); d != "" {
			t.Errorf("%q: %s", name, d)
		}
	}
}

func TestDistance(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want int
	}{
		{"", "", 0},
		{"", "abc", 3},
		{"abc", "", 3},
		{"abc", "abc", 0},
		{"abc", "abd", 1},
		{"abc", "acb", 1},
		{"abc", "bc", 1},
		{"abc", "xabc", 1},
		{"kitten", "sitting", 3},
	} {
		if got := distance(c.a, c.b); got != c.want {
			t.Errorf("distance(%q, %q) = %d, want %d", c.a, c.b, got, c.want)
		}
		if got := distance(c.b, c.a); got != c.want {
			t.Errorf("distance(%q, %q) = %d, want %d", c.b, c.a, got, c.want)
		}
	}
}
