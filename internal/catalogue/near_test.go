package catalogue

import (
	"strings"
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

func TestParseFamilies(t *testing.T) {
	for list, want := range map[string]Families{
		"all": 15, "basic": 0, "delays": 1, "order": 2, "windows": 4, "delays,order": 3, "order, delays": 3, "windows,windows": 4,
		"verdicts": 1 + 4 + 8, "verdicts,order": 15,
	} {
		got, err := ParseFamilies(list)
		if err != nil || got != want {
			t.Errorf("%q: %v, %v; want %v", list, got, err, want)
		}
		if again, err := ParseFamilies(got.String()); err != nil || again != got {
			t.Errorf("%q is written %q, which is read as %v, %v", list, got, again, err)
		}
	}
	const names = "delays, order, windows, verdicts"
	for list, wrong := range map[string][]string{
		"": {`""`, names}, "delay": {`"delay"`, "did you mean delays?"}, "order,x,y": {`"x"`, `"y"`, names},
		"all,order": {`"all"`, "stands alone", names}, "basic,order": {`"basic"`, "stands alone", names},
	} {
		got, err := ParseFamilies(list)
		if err == nil {
			t.Errorf("%q is read as %v", list, got)
			continue
		}
		for _, want := range wrong {
			if !strings.Contains(err.Error(), want) {
				t.Errorf("%q: no %s in %v", list, want, err)
			}
		}
	}
}
