package seq

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"
)

type ssnRange = Range[SSN]

func TestSetZeroValue(t *testing.T) {
	var s Set[DSN]
	r := Range[DSN]{5, 9}
	s.Remove(r)
	s.DropBelow(7)
	assert.Check(t, !s.DropOldest(0), "an empty set dropped something")
	assert.Check(t, s.Len() == 0 && s.Size() == 0 && !s.Contains(5) && !s.Covers(r) && s.Overlap(r) == 0 && s.FirstGap(5) == 5, "an empty set is not empty: %+v", s)
	assert.Check(t, s.Covers(Range[DSN]{5, 5}), "an empty set does not cover the empty range")
	var missing []Range[DSN]
	s.Missing(r, func(m Range[DSN]) bool { missing = append(missing, m); return true })
	assert.Check(t, is.DeepEqual(missing, []Range[DSN]{r}), "missing")
}

func TestSetMissingStops(t *testing.T) {
	var s Set[SSN]
	for p := SSN(0); p < 50; p += 10 {
		s.Add(ssnRange{p, p + 5})
	}
	for n := 1; n <= 4; n++ {
		calls := 0
		s.Missing(ssnRange{0, 50}, func(ssnRange) bool { calls++; return calls < n })
		assert.Check(t, calls == n, "f returned false at call %d, but was called %d times", n, calls)
	}
}

func TestSetDropOldest(t *testing.T) {
	for _, c := range []struct {
		n    int
		drop bool
		want []ssnRange
	}{
		{4, false, []ssnRange{{0, 1}, {10, 11}, {20, 21}}},
		{3, false, []ssnRange{{0, 1}, {10, 11}, {20, 21}}},
		{1, true, []ssnRange{{20, 21}}},
		{0, true, nil},
		{-1, true, nil},
	} {
		var s Set[SSN]
		for p := SSN(0); p < 30; p += 10 {
			s.Add(ssnRange{p, p + 1})
		}
		assert.Check(t, is.Equal(s.DropOldest(c.n), c.drop), "DropOldest(%d)", c.n)
		assert.Check(t, is.DeepEqual(s.Ranges(), c.want), "DropOldest(%d): ranges", c.n)
	}
}

// universe is the number of positions that the model knows. It leaves room for
// several pages of ranges.
const universe = 1 << 10

// model is a Set as naive as can be: one truth value per position.
type model [universe]bool

func (m *model) count(r ssnRange) (n int64) {
	for p := r.Start; p < r.End; p++ {
		if m[p] {
			n++
		}
	}
	return n
}

func (m *model) fill(r ssnRange, value bool) {
	for p := r.Start; p < r.End; p++ {
		m[p] = value
	}
}

// runs returns the maximal runs of positions in r whose value is value.
func (m *model) runs(r ssnRange, value bool) (runs []ssnRange) {
	for p := r.Start; p < r.End; p++ {
		switch {
		case m[p] != value:
		case p > r.Start && m[p-1] == value:
			runs[len(runs)-1].End++
		default:
			runs = append(runs, ssnRange{p, p + 1})
		}
	}
	return runs
}

func (m *model) dropOldest(n int) bool {
	runs := m.runs(ssnRange{0, universe}, true)
	for i := 0; i < len(runs)-n; i++ {
		m.fill(runs[i], false)
	}
	return len(runs) > n
}

// A pair is the set under test beside its model.
type pair struct {
	set   Set[SSN]
	model model
}

// step does to both what three numbers say, and compares what follows from it.
func (p *pair) step(op byte, a, b uint16) error {
	r := ssnRange{SSN(a) % (universe + 1), SSN(b) % (universe + 1)}
	switch op % 6 {
	case 0, 1:
		want := max(0, r.Len()) - p.model.count(r)
		p.model.fill(r, true)
		if got := p.set.Add(r); got != want {
			return fmt.Errorf("Add(%v) = %d, want %d", r, got, want)
		}
	case 2: // a short range, so that many holes arise
		r.Start = min(r.Start, universe-1)
		r.End = r.Start + 1
		p.model.fill(r, true)
		at, _ := p.set.Insert(r)
		if x := p.set.Range(at); r.Start < x.Start || r.End > x.End {
			return fmt.Errorf("Put(%v) is said to be in %v", r, x)
		}
	case 3:
		p.model.fill(r, false)
		p.set.Remove(r)
	case 4:
		below := ssnRange{0, r.Start}
		want := p.model.count(below)
		p.model.fill(below, false)
		if got := p.set.DropBelow(r.Start); got != want {
			return fmt.Errorf("DropBelow(%d) = %d, want %d", r.Start, got, want)
		}
	case 5:
		if n := int(b) % (universe / 2); p.set.DropOldest(n) != p.model.dropOldest(n) {
			return fmt.Errorf("DropOldest(%d) is wrong about having dropped some", n)
		}
	}
	return nil
}

// ask compares the answers to all queries about positions a to b.
func (p *pair) ask(a, b uint16) error {
	r := ssnRange{SSN(a) % (universe + 1), SSN(b) % (universe + 1)}
	runs := p.model.runs(ssnRange{0, universe}, true)
	if !slices.Equal(runs, p.set.Ranges()) {
		return fmt.Errorf("ranges %v, want %v", p.set.Ranges(), runs)
	}
	in := p.model.count(r)
	if got := p.set.Overlap(r); got != in {
		return fmt.Errorf("Overlap(%v) = %d, want %d", r, got, in)
	}
	if got, want := p.set.Covers(r), in == max(0, r.Len()); got != want {
		return fmt.Errorf("Covers(%v) = %v, want %v", r, got, want)
	}
	var missing []ssnRange
	p.set.Missing(r, func(m ssnRange) bool { missing = append(missing, m); return true })
	if want := p.model.runs(r, false); !slices.Equal(want, missing) {
		return fmt.Errorf("Missing(%v) = %v, want %v", r, missing, want)
	}
	if got, want := p.set.Contains(r.Start), r.Start < universe && p.model[r.Start]; got != want {
		return fmt.Errorf("Contains(%d) = %v, want %v", r.Start, got, want)
	}
	gap := r.Start
	for gap < universe && p.model[gap] {
		gap++
	}
	if got := p.set.FirstGap(r.Start); got != gap {
		return fmt.Errorf("FirstGap(%d) = %d, want %d", r.Start, got, gap)
	}
	if got, want := p.set.SizeAbove(r.Start), p.model.count(ssnRange{r.Start, universe}); got != want {
		return fmt.Errorf("SizeAbove(%d) = %d, want %d", r.Start, got, want)
	}
	if got, want := p.set.Disjoint(r), in == 0; !r.Empty() && got != want {
		return fmt.Errorf("Disjoint(%v) = %v, want %v", r, got, want)
	}
	var common []ssnRange
	p.set.Common(r, func(c ssnRange) { common = append(common, c) })
	if want := p.model.runs(r, true); !slices.Equal(want, common) {
		return fmt.Errorf("Common(%v) = %v, want %v", r, common, want)
	}
	if got, want := p.set.Size(), p.model.count(ssnRange{0, universe}); got != want || p.set.Len() != len(runs) {
		return fmt.Errorf("Size %d, Len %d; want %d, %d", got, p.set.Len(), want, len(runs))
	}
	return nil
}

// TestSetAgainstModel does random steps; every other run is made of short
// ranges and few removals, so that the set has hundreds of holes.
func TestSetAgainstModel(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	most := 0
	for run := range 12 {
		var p pair
		for step := range 1000 {
			op := byte(random.Uint32())
			a, b := uint16(random.Uint32()), uint16(random.Uint32())
			if run%2 == 1 && random.IntN(200) > 0 {
				op, a = 2, a&^1 // short, and apart from others
			} else if run%3 == 0 { // ranges that leave many others alone
				b = a%(universe+1) + b%16
			}
			assert.NilError(t, errors.Join(p.step(op, a, b), p.ask(a, b)), "run %d, step %d: op %d of %d and %d", run, step, op%6, a, b)
			most = max(most, len(p.set.list.pages))
		}
	}
	assert.Check(t, most >= 4, "at most %d pages arose", most)
}

func FuzzSet(f *testing.F) {
	step := func(op byte, a, b uint16) []byte { return []byte{op, byte(a >> 8), byte(a), byte(b >> 8), byte(b)} }
	f.Add(slices.Concat(step(0, 0, 10), step(0, 20, 30), step(0, 5, 25)))
	f.Add(slices.Concat(step(0, 0, 100), step(3, 10, 20), step(3, 15, 50), step(4, 60, 0)))
	var up, down []byte // 500 holes
	for p := uint16(0); p < 1000; p += 2 {
		up = append(up, step(2, p, 0)...)
		down = append(down, step(2, 1000-p, 0)...)
	}
	f.Add(slices.Concat(up, step(3, 1, 8), step(0, 300, 700), step(5, 0, 3)))
	f.Add(slices.Concat(down, step(3, 90, 500), step(4, 600, 0), step(0, 0, 1)))
	f.Fuzz(func(t *testing.T, ops []byte) {
		var p pair
		for ; len(ops) >= 5; ops = ops[5:] {
			a, b := uint16(ops[1])<<8|uint16(ops[2]), uint16(ops[3])<<8|uint16(ops[4])
			err := p.step(ops[0], a, b)
			if ops[0] >= 128 || len(ops) < 10 {
				err = errors.Join(err, p.ask(a, b))
			}
			assert.NilError(t, err)
		}
	})
}

// Shift moves all ranges, at either sign, and keeps their shape.
func TestSetShift(t *testing.T) {
	for _, by := range []SSN{0, 1, 1 << 32, -25} {
		var s Set[SSN]
		s.Add(ssnRange{10, 20})
		s.Add(ssnRange{30, 31})
		s.Shift(by)
		want := []ssnRange{{10 + by, 20 + by}, {30 + by, 31 + by}}
		assert.Check(t, is.DeepEqual(s.Ranges(), want), "Shift(%d): ranges", by)
	}
}

// An emptied set works like a new one; it keeps a little memory, and no more.
func TestEmptied(t *testing.T) {
	for _, n := range []int{0, 1, maxReused, maxReused + 1} {
		list := make([]*int, n)
		for i := range list {
			list[i] = new(int)
		}
		used := list
		got := Reuse(list)
		if len(got) != 0 || cap(got) != n && n <= maxReused || cap(got) != 0 && n > maxReused {
			t.Errorf("of %d elements: length %d, room for %d", n, len(got), cap(got))
		}
		assert.Check(t, n <= 0 || n > maxReused || used[0] == nil, "of %d elements: what they point to is kept", n)
	}
	var s Set[SSN]
	s.Add(ssnRange{10, 20})
	s.Add(ssnRange{30, 40})
	s.Contains(15)
	e := s.Reuse()
	assert.Check(t, e.Len() == 0 && e.hint == 0 && cap(e.list.pages) != 0, "the set is %+v", e)
}
