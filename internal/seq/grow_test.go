package seq

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Grow adds what is one run at the upper end of a range or above all, and
// refuses the rest.
func TestSetGrow(t *testing.T) {
	for _, c := range []struct {
		name  string
		r     ssnRange
		fresh ssnRange
		ok    bool
		want  []ssnRange
	}{
		{"a range grows", ssnRange{10, 25}, ssnRange{20, 25}, true, []ssnRange{{10, 25}, {30, 40}}},
		{"from its end", ssnRange{20, 29}, ssnRange{20, 29}, true, []ssnRange{{10, 29}, {30, 40}}},
		{"the newest grows", ssnRange{35, 50}, ssnRange{40, 50}, true, []ssnRange{{10, 20}, {30, 50}}},
		{"above all", ssnRange{41, 50}, ssnRange{41, 50}, true, []ssnRange{{10, 20}, {30, 40}, {41, 50}}},
		{"covered", ssnRange{12, 20}, ssnRange{12, 12}, true, []ssnRange{{10, 20}, {30, 40}}},
		{"two would touch", ssnRange{15, 30}, ssnRange{}, false, []ssnRange{{10, 20}, {30, 40}}},
		{"two would be one", ssnRange{15, 35}, ssnRange{}, false, []ssnRange{{10, 20}, {30, 40}}},
		{"between two", ssnRange{22, 25}, ssnRange{}, false, []ssnRange{{10, 20}, {30, 40}}},
		{"below all", ssnRange{5, 15}, ssnRange{}, false, []ssnRange{{10, 20}, {30, 40}}},
		{"empty, in a range", ssnRange{15, 15}, ssnRange{15, 15}, true, []ssnRange{{10, 20}, {30, 40}}},
		{"empty, above all", ssnRange{50, 50}, ssnRange{}, false, []ssnRange{{10, 20}, {30, 40}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			var s Set[SSN]
			s.Add(ssnRange{10, 20})
			s.Add(ssnRange{30, 40})
			fresh, ok := s.Grow(c.r)
			if fresh != c.fresh || ok != c.ok {
				t.Errorf("Grow(%v) = %v, %v; want %v, %v", c.r, fresh, ok, c.fresh, c.ok)
			}
			if diff := cmp.Diff(c.want, s.Ranges()); diff != "" {
				t.Errorf("ranges (-want +got)\n%s", diff)
			}
		})
	}
	var s Set[SSN]
	if fresh, ok := s.Grow(ssnRange{3, 5}); fresh != (ssnRange{3, 5}) || !ok || s.Len() != 1 {
		t.Errorf("of an empty set: %v, %v, %v", fresh, ok, s.Ranges())
	}
}
