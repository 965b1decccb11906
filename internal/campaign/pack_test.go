package campaign

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"
)

// TestPack: names are the same after they were packed, whatever paths are called, and take a small
// part of the space.
func TestPack(t *testing.T) {
	var all []string
	for _, of := range []string{"a2b", "b2a", "b2a.LTE", "b2a.10.2.1.1-10.2.100.2", "b2a.a label, with 1-2 spaces"} {
		for _, n := range allNames().names {
			all = append(all, of+"."+n)
		}
	}
	all = append(all, "b2a.of another version")
	slices.Sort(all)
	for step := 1; step < 6; step++ {
		var names []string
		for i := 0; i < len(all); i += step {
			names = append(names, all[i])
		}
		p := Pack(names)
		got, err := p.Unpack(len(names))
		assert.Assert(t, err == nil && slices.Equal(got, names), "each name of %d: %v, %d names of %d", step, err, len(got), len(names))
		text, err := json.Marshal(p.Names)
		if n, of := len(text), len(strings.Join(names, "")); err != nil || n > of/3 {
			t.Errorf("each name of %d: %d bytes of %d", step, n, of)
		}
		for _, n := range []int{len(names) - 1, len(names) + 1} {
			assert.Check(t, errorOf(p.Unpack(n)) != nil, "%d names are taken for %d values", len(names), n)
		}
	}
}

// TestUnpackRefuses: places outside the catalogue, and other numbers of names than of values, are refused.
func TestUnpackRefuses(t *testing.T) {
	last := len(allNames().names) - 1
	for _, at := range [][]int{{-1}, {last + 1}, {last, 1}, {3, -4}, {0, 1, 1}, nil} {
		names, err := (&Packed{Catalogue: allNames().version, Names: []packedNames{{Of: "b2a", At: at}}}).Unpack(2)
		assert.Check(t, err != nil, "%v: %q", at, names)
	}
	assert.Check(t, is.ErrorContains(errorOf((&Packed{Catalogue: "of another version"}).Unpack(0)), "run mpanalyze task"), "another catalogue")
}
