package fill

import "testing"

// Values of a slab are what was put in, and each is its owner's alone, also
// beyond the first piece of memory; a piece serves many.
func TestSlab(t *testing.T) {
	const n = 3*slabValues + 1
	var s Slab[int64]
	var all []*int64
	for i := range int64(n) {
		all = append(all, s.Of(i))
	}
	for _, p := range all {
		*p *= 2
	}
	for i, p := range all {
		if *p != 2*int64(i) {
			t.Fatalf("value %d is %d", i, *p)
		}
	}
	if per := testing.AllocsPerRun(10, func() {
		for range slabValues {
			s.Of(1)
		}
	}); per != 1 {
		t.Errorf("%v allocations for %d values", per, slabValues)
	}
}
