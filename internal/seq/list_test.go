package seq

import (
	"math/rand/v2"
	"slices"
	"testing"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"
)

// checkedList is a List beside a slice of the same elements. It also has places that must stay
// right: those of the elements before the one that changed last.
type checkedList struct {
	list List[int]
	want []int
	next int
}

// places returns the places of all elements, one by one from the first on, and
// checks what is found there.
func (w *checkedList) places(t *testing.T) (places []Place) {
	t.Helper()
	at := w.list.First()
	for _, want := range w.want {
		got := w.list.At(at)
		assert.Assert(t, got != nil && *got == want, "place %d of %v: %v, want %d", at, w.want, got, want)
		places = append(places, at)
		at = w.list.Next(at)
	}
	if at != w.list.End() || w.list.At(at) != nil || w.list.Len() != len(w.want) {
		t.Fatalf("end %d, want %d; length %d, want %d", w.list.End(), at, w.list.Len(), len(w.want))
	}
	var all []int
	for x := range w.list.All() {
		all = append(all, *x)
	}
	first := w.list.FirstSlice()
	if !slices.Equal(all, w.want) || len(first) == 0 && len(all) > 0 || !slices.Equal(first, all[:len(first)]) {
		t.Fatalf("elements %v, the first of them %v; want %v", all, first, w.want)
	}
	for i, at := range append(places, w.list.End()) {
		want := None
		if i > 0 {
			want = places[i-1]
		}
		assert.Assert(t, is.Equal(w.list.Prev(at), want), "before %d", at)
	}
	return places
}

// step changes both, and returns how many of the elements that were first keep
// their places, which of them left at the front, and how far places moved.
func (w *checkedList) step(r *rand.Rand) (kept, left int, by Place) {
	n := len(w.want)
	w.next++
	switch op := r.IntN(10); {
	case op < 2 || n == 0:
		by = w.list.Compact()
		*w.list.Push() = w.next
		w.want = append(w.want, w.next)
		return n, 0, by
	case op < 6:
		i := r.IntN(n + 1)
		if op == 3 { // where it was a moment ago
			i = min(n, 40)
		}
		w.list.Insert(w.at(i), w.next)
		w.want = slices.Insert(w.want, i, w.next)
		return i, 0, 0
	case op < 8:
		k := r.IntN(min(n, 1+r.IntN(8)) + 1)
		w.list.Pop(k)
		w.want = slices.Delete(w.want, 0, k)
		return n, k, 0
	}
	i := r.IntN(n)
	k := r.IntN(min(n-i, 1+r.IntN(40)) + 1)
	next := w.list.Remove(w.at(i), k)
	w.want = slices.Delete(w.want, i, i+k)
	if got, want := w.list.At(next), append(slices.Clone(w.want), 0)[i]; got != nil && *got != want || got == nil && want != 0 {
		panic("the place behind what was removed is wrong")
	}
	return 0, 0, 0
}

// at returns the place of the i-th element.
func (w *checkedList) at(i int) Place {
	at := w.list.First()
	for range i {
		at = w.list.Next(at)
	}
	return at
}

// A List is what a slice is, whatever is done to it, and places stay right as
// its comment says.
func TestListAgainstSlice(t *testing.T) {
	for seed := range uint64(20) {
		r := rand.New(rand.NewPCG(seed, 1))
		var w checkedList
		most := 0
		for i := range 1500 {
			if seed%2 == 0 && i < 600 { // several pages
				k := r.IntN(len(w.want) + 1)
				w.list.Insert(w.at(k), -i)
				w.want = slices.Insert(w.want, k, -i)
				continue
			}
			before := w.places(t)
			kept, left, by := w.step(r)
			after := w.places(t)
			for j := left; j < kept; j++ {
				got := w.list.Moved(before[j] - by)
				assert.Assert(t, got == after[j-left], "seed %d, step %d: element %d is followed to %d, and stands at %d", seed, i, j, got, after[j-left])
			}
			most = max(most, len(w.list.pages))
		}
		assert.Check(t, seed%2 != 0 || most >= 4, "at most %d pages arose", most)
	}
}

func TestListSearch(t *testing.T) {
	var l List[int]
	at := l.Search(func(*int) bool { return true })
	assert.Check(t, at == l.End(), "of none: %d", at)
	for i := range 1000 {
		*l.Push() = 2 * i
	}
	l.Pop(300)
	for p := 590; p < 2010; p++ {
		got := l.At(l.Search(func(x *int) bool { return *x >= p }))
		switch want := max(600, p+p%2); {
		case want >= 2000:
			assert.Check(t, got == nil, "%v is found for %d", got, p)
		case got == nil || *got != want:
			t.Errorf("%v is found for %d, want %d", got, p, want)
		}
	}
}

// What a list holds is bounded by its elements, however they came and went.
func TestListPagesAreShared(t *testing.T) {
	var l List[int]
	for i := range 100 * pageLen {
		*l.Push() = i
	}
	at := l.First()
	for left := l.Len(); left >= 10; left -= 10 { // of ten one stays
		at = l.Remove(l.Next(at), 9)
	}
	n := len(l.pages)
	assert.Check(t, n <= 4*l.Len()/pageLen+2, "%d elements on %d pages", l.Len(), n)
}

// What enters in the middle or at the front moves no more than a page and, where
// memory is there, allocates nothing.
func TestListAllocatesNothing(t *testing.T) {
	var l List[int]
	for i := range 3000 {
		l.Insert(l.First(), i)
	}
	at := l.First()
	for range 1500 {
		at = l.Next(at)
	}
	if n := testing.AllocsPerRun(1000, func() {
		at = l.Insert(at, 1)
		at = l.Remove(at, 1)
		l.Insert(l.First(), 1)
		l.Pop(1)
		*l.Push() = 1
		l.Pop(1)
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
