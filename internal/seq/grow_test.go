package seq

import (
	"testing"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"
)

// Grow adds a range if it extends the upper end of a range or lies above all ranges, and refuses
// it otherwise.
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
			assert.Check(t, fresh == c.fresh && ok == c.ok, "Grow(%v) = %v, %v; want %v, %v", c.r, fresh, ok, c.fresh, c.ok)
			assert.Check(t, is.DeepEqual(s.Ranges(), c.want), "ranges")
		})
	}
	var s Set[SSN]
	if fresh, ok := s.Grow(ssnRange{3, 5}); fresh != (ssnRange{3, 5}) || !ok || s.Len() != 1 {
		t.Errorf("of an empty set: %v, %v, %v", fresh, ok, s.Ranges())
	}
}

// TestSetExtend: Extend does what Add does, and exactly where one range alone
// grows at its end by positions that were not in the set.
func TestSetExtend(t *testing.T) {
	for _, c := range []struct {
		at   Place
		r    ssnRange
		want bool
	}{
		{0, ssnRange{20, 25}, true},
		{1, ssnRange{40, 49}, true},
		{2, ssnRange{60, 1000}, true}, // the newest meets none
		{0, ssnRange{20, 30}, false},  // reaches the next: they become one
		{0, ssnRange{20, 35}, false},  // repeats some of the next
		{0, ssnRange{19, 25}, false},  // repeats some of its own
		{0, ssnRange{21, 25}, false},  // begins beyond its end
		{1, ssnRange{20, 25}, false},  // continues another
		{0, ssnRange{60, 61}, true},   // continues the newest, whatever the place is
		{-1, ssnRange{60, 61}, true},
		{3, ssnRange{40, 41}, false}, // no such range
		{-1, ssnRange{40, 41}, false},
	} {
		var s, added Set[SSN]
		for _, r := range []ssnRange{{10, 20}, {30, 40}, {50, 60}} {
			s.Add(r)
			added.Add(r)
		}
		if c.want {
			added.Add(c.r)
		}
		assert.Check(t, is.Equal(s.Extend(c.at, c.r), c.want), "Extend(%d, %v)", c.at, c.r)
		assert.Check(t, is.DeepEqual(s.Ranges(), added.Ranges()), "Extend(%d, %v): ranges", c.at, c.r)
	}
}

// TestSetFind: the range that Find names is the one that Extend can lengthen.
func TestSetFind(t *testing.T) {
	var s Set[SSN]
	assert.Check(t, is.Equal(s.Find(5), None), "Find in an empty set")
	for i := range SSN(40) {
		s.Add(ssnRange{10 * i, 10*i + 5})
	}
	for p, want := range map[SSN]Place{-1: None, 0: 0, 4: 0, 9: 0, 10: 1, 205: 20, 394: 39, 1000: 39} {
		assert.Check(t, is.Equal(s.Find(p), want), "Find(%d)", p)
	}
	for i := range SSN(39) {
		end := 10*i + 5
		assert.Check(t, s.Extend(s.Find(end), ssnRange{end, end + 2}), "the range that ends at %d was not lengthened", end)
	}
	assert.Check(t, is.Equal(s.Size(), int64(40*5+39*2)), "positions")
}
