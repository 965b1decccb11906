package campaign

import (
	"slices"
	"strings"
	"testing"
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
		if err != nil || !slices.Equal(got, names) {
			t.Fatalf("each name of %d: %v, %d names of %d", step, err, len(got), len(names))
		}
		if n, of := len(strings.Join(p.Names, "")), len(strings.Join(names, "")); n > of/3 {
			t.Errorf("each name of %d: %d bytes of %d", step, n, of)
		}
		for _, n := range []int{len(names) - 1, len(names) + 1} {
			if _, err := p.Unpack(n); err == nil {
				t.Errorf("%d names are taken for %d values", len(names), n)
			}
		}
	}
}

// TestUnpackRefuses: what is no list of places is refused, and takes no memory.
func TestUnpackRefuses(t *testing.T) {
	for _, entry := range []string{"b2a", "b2a x", "b2a 1-", "b2a 3-2", "b2a -1", "b2a 0-99999999", "b2a 0-1-2", "b2a 0,", "b2a 0 "} {
		if names, err := (&Packed{Catalogue: allNames().version, Names: []string{entry}}).Unpack(5); err == nil {
			t.Errorf("%q: %q", entry, names)
		}
	}
	many := &Packed{Catalogue: allNames().version, Names: slices.Repeat([]string{"b2a 0-9"}, 1000)}
	if _, err := many.Unpack(20); err == nil {
		t.Error("10,000 names are taken for 20 values")
	}
	if _, err := (&Packed{Catalogue: "of another version"}).Unpack(0); err == nil || !strings.Contains(err.Error(), "run mpanalyze task") {
		t.Errorf("another catalogue: %v", err)
	}
}
