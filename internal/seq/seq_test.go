package seq

import (
	"math/rand/v2"
	"testing"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"
)

func TestWire(t *testing.T) {
	for _, c := range []struct {
		w, o Wire
		sub  int32
	}{
		{0, 0, 0},
		{1, 0, 1},
		{0, 1, -1},
		{0, 0xffffffff, 1}, // 2^32 - 1 is one before 0
		{0xffffffff, 0, -1},
		{0x00000010, 0xfffffff0, 0x20}, // 0x10 to the wrap and 0x10 after it
		{0x7fffffff, 0, 0x7fffffff},
		{0x80000001, 0, -0x7fffffff},
		{0x40000000, 0xc0000001, 0x7fffffff},
	} {
		assert.Check(t, is.Equal(c.w.Sub(c.o), c.sub), "%#x.Sub(%#x)", c.w, c.o)
		got := c.w.Less(c.o)
		assert.Check(t, got == (c.sub < 0), "%#x.Less(%#x) = %v, want %v", c.w, c.o, got, c.sub < 0)
	}
}

func TestUnwrap(t *testing.T) {
	const wrap = 1 << 32
	for _, c := range []struct {
		name    string
		w, base Wire
		near    SSN
		want    SSN
	}{
		{"the base itself", 1000, 1000, 0, 0},
		{"after the base", 1448, 1000, 0, 448},
		{"before the base", 999, 1000, 0, -1},
		{"wire wraps, position does not", 5, 0xfffffffb, 0, 10},
		{"first wrap of the position", 1000, 1000, wrap - 1, wrap},
		{"just below the wrap", 999, 1000, wrap, wrap - 1},
		{"late packet from before the wrap", 990, 1000, wrap + 5, wrap - 10},
		{"far stream", 1007, 1000, 5*wrap - 100, 5*wrap + 7},
		{"near is negative", 990, 1000, -5, -10},
		{"2^31 - 1 ahead", 0x7fffffff, 0, 0, 0x7fffffff},
		{"2^31 - 1 behind", 0x80000001, 0, 0, -0x7fffffff},
	} {
		assert.Check(t, is.Equal(Unwrap(c.w, c.base, c.near), c.want), "%s: Unwrap(%d, %d, %d)", c.name, c.w, c.base, c.near)
	}
}

// TestUnwrapInvertsWrap puts positions on the wire and takes them back from
// any neighbour less than 2^31 away.
func TestUnwrapInvertsWrap(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 10000 {
		position := DSN(random.Int64N(1 << 60))
		base := Wire(random.Uint32())
		near := position + DSN(random.Int64N(1<<32-1)-(1<<31-1))
		w := base + Wire(position) // modulo 2^32
		got := Unwrap(w, base, near)
		assert.Assert(t, got == position, "position %d, base %d, near %d: %d", position, base, near, got)
	}
}

func TestRange(t *testing.T) {
	r := Range[SSN]{10, 20}
	assert.Check(t, r.Len() == 10 && !r.Empty(), "%v: Len %d, Empty %v", r, r.Len(), r.Empty())
	if e := (Range[SSN]{10, 10}); e.Len() != 0 || !e.Empty() {
		t.Errorf("%v: Len %d, Empty %v", e, e.Len(), e.Empty())
	}
	if e := (Range[SSN]{10, 7}); e.Len() != -3 || !e.Empty() {
		t.Errorf("%v: Len %d, Empty %v", e, e.Len(), e.Empty())
	}
	for p, want := range map[SSN]bool{9: false, 10: true, 19: true, 20: false} {
		assert.Check(t, r.Contains(p) == want, "%v contains %d: %v", r, p, !want)
	}
}

func TestRangeIntersect(t *testing.T) {
	r := Range[DSN]{10, 20}
	for _, c := range []struct {
		o    Range[DSN]
		want int64 // positions in both
	}{
		{Range[DSN]{0, 10}, 0},
		{Range[DSN]{0, 11}, 1},
		{Range[DSN]{12, 15}, 3},
		{Range[DSN]{10, 20}, 10},
		{Range[DSN]{5, 25}, 10},
		{Range[DSN]{19, 30}, 1},
		{Range[DSN]{20, 30}, 0},
	} {
		assert.Check(t, is.Equal(max(0, r.Intersect(c.o).Len()), c.want), "%v and %v share", r, c.o)
		got := c.o.Intersect(r)
		assert.Check(t, max(0, got.Len()) == c.want, "%v and %v share %d, want %d", c.o, r, got.Len(), c.want)
		assert.Check(t, r.Overlaps(c.o) == (c.want > 0) && c.o.Overlaps(r) == (c.want > 0), "%v and %v: Overlaps is wrong", r, c.o)
	}
}
