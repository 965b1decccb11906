package seq

import (
	"iter"
	"sort"
)

// Place says where an element of a [List] is: number of a page, and index in it. A
// place can become wrong. A caller that keeps one must check the element, or follow the
// rules of [List].
type Place int

// None is a place where there is never an element.
const None Place = -1

const (
	pageBits = 6
	pageLen  = 1 << pageBits // elements of a page
)

// List is a list in pages of up to 64 elements. To insert in the middle moves at most
// one page, and to remove from the front moves nothing. The zero value is empty and
// ready to use.
//
// The Place of an element stays right when elements are added at the end or removed
// from the front, until [List.Compact] is called. When one is inserted in the middle,
// [List.Moved] corrects places before it, and places after it are wrong. [List.Remove]
// makes all places after the first wrong.
type List[E any] struct {
	pages []page[E] // only a single page may be empty; after them, memory for later pages
	last  *page[E]  // the last of pages; nil where there is none
	first Place     // of the first element: number of the first page, and how many of its elements were popped
	n     int
}

type page[E any] struct {
	list []E
	size int64 // used and updated by the owner of the list; negative = unknown, set when elements change pages
}

// unknownSize is the size of a page whose elements moved. Later updates leave it
// negative.
const unknownSize = -1 << 62

// Len returns the number of elements.
func (l *List[E]) Len() int { return l.n }

// First returns the place of the first element; [List.End] if there is none.
func (l *List[E]) First() Place { return l.first }

// base returns the number of the first page.
func (l *List[E]) base() int { return int(l.first >> pageBits) }

// head returns how many elements of the first page were popped.
func (l *List[E]) head() int { return int(l.first & (pageLen - 1)) }

// End returns the place after the last element.
func (l *List[E]) End() Place {
	if l.last == nil {
		return l.first
	}
	return l.place(len(l.pages)-1, len(l.last.list))
}

// Last returns the place of the last element; the list must not be empty.
func (l *List[E]) Last() Place { return l.End() - 1 }

// place returns the place of the i-th element of page k.
func (l *List[E]) place(k, i int) Place {
	return l.first&^(pageLen-1) + Place(k<<pageBits+i)
}

// find returns the page of a place and the index in it. If the page was halved, the
// element may be on the next one.
func (l *List[E]) find(at Place) (k, i int) {
	k, i = int(at>>pageBits)-l.base(), int(at&(pageLen-1))
	if k >= 0 && k < len(l.pages)-1 && i >= len(l.pages[k].list) {
		return k + 1, i - len(l.pages[k].list)
	}
	return k, i
}

// Moved corrects the place of an element after another element was inserted behind it.
func (l *List[E]) Moved(at Place) Place { return l.place(l.find(at)) }

// At returns the element at a place; nil if there is none. It is valid until the next
// insertion or removal.
func (l *List[E]) At(at Place) *E {
	k, i := int(at>>pageBits)-l.base(), int(at&(pageLen-1))
	if at < l.first || uint(k) >= uint(len(l.pages)) {
		return nil
	}
	if list := l.pages[k].list; i < len(list) {
		return &list[i]
	}
	if k, i = l.find(at); i < len(l.pages[k].list) {
		return &l.pages[k].list[i]
	}
	return nil
}

// Front returns the first element, nil where there is none.
func (l *List[E]) Front() *E {
	if l.n == 0 {
		return nil
	}
	return &l.pages[0].list[l.head()]
}

// Back returns the last element, nil where there is none.
func (l *List[E]) Back() *E {
	if l.n == 0 {
		return nil
	}
	list := l.last.list
	return &list[len(list)-1]
}

// Slice returns the elements from a place on that are neighbours in memory; it is empty
// only at the end. Continue at [List.Skip].
func (l *List[E]) Slice(at Place) []E {
	k, i := int(at>>pageBits)-l.base(), int(at&(pageLen-1))
	if at < l.first || uint(k) >= uint(len(l.pages)) {
		return nil
	}
	if list := l.pages[k].list; i < len(list) {
		return list[i:]
	}
	if k, i = l.find(at); i < len(l.pages[k].list) {
		return l.pages[k].list[i:]
	}
	return nil
}

// Skip returns the place n elements after a place, as [List.Slice] returned them. It
// corrects the place first, because elements may have moved to another page.
func (l *List[E]) Skip(at Place, n int) Place {
	k, i := l.find(at)
	if i += n; k >= 0 && k < len(l.pages)-1 && i >= len(l.pages[k].list) {
		k, i = k+1, i-len(l.pages[k].list)
	}
	return l.place(k, i)
}

// FirstSlice is [List.Slice] from the first element on.
func (l *List[E]) FirstSlice() []E {
	if l.n == 0 {
		return nil
	}
	return l.pages[0].list[l.head():]
}

// From iterates over the elements from a place on. The list must not change meanwhile.
func (l *List[E]) From(at Place) iter.Seq[*E] {
	return func(yield func(*E) bool) {
		for run := l.Slice(at); len(run) > 0; run = l.Slice(at) {
			for i := range run {
				if !yield(&run[i]) {
					return
				}
			}
			at = l.Skip(at, len(run))
		}
	}
}

// All iterates over all elements. The list must not change meanwhile.
func (l *List[E]) All() iter.Seq[*E] { return l.From(l.First()) }

// Next returns the place of the next element.
func (l *List[E]) Next(at Place) Place {
	k, i := int(at>>pageBits)-l.base(), int(at&(pageLen-1))
	if uint(k) < uint(len(l.pages)) && (i+1 < len(l.pages[k].list) || k+1 == len(l.pages)) {
		return at + 1
	}
	return l.Skip(at, 1)
}

// Prev returns the place of the previous element; None if there is none.
func (l *List[E]) Prev(at Place) Place {
	k, i := l.find(at)
	if k > 0 && i == 0 {
		k--
		i = len(l.pages[k].list)
	}
	if at <= l.First() {
		return None
	}
	return l.place(k, i-1)
}

// Search returns the place of the first element for which f is true; [List.End] if
// there is none. f must be true for all elements after it.
func (l *List[E]) Search(f func(*E) bool) Place {
	if l.n == 0 {
		return l.End()
	}
	k := sort.Search(len(l.pages)-1, func(k int) bool { return f(&l.pages[k+1].list[0]) })
	list, low := l.pages[k].list, l.low(k)
	return l.Moved(l.place(k, low+sort.Search(len(list)-low, func(i int) bool { return f(&list[low+i]) })))
}

// low returns the index of the first element of page k that was not popped.
func (l *List[E]) low(k int) int {
	if k == 0 {
		return l.head()
	}
	return 0
}

// HasRoom reports whether [List.Push] needs no new memory.
func (l *List[E]) HasRoom() bool {
	p := l.last
	return p != nil && len(p.list) < cap(p.list)
}

// Push appends an element. The caller must set all its fields, because it holds old
// values.
func (l *List[E]) Push() *E {
	if !l.HasRoom() {
		l.room()
	}
	return l.PushInPlace()
}

// PushInPlace is [List.Push] when [List.HasRoom] is true.
func (l *List[E]) PushInPlace() *E {
	p := l.last
	n := len(p.list)
	list := p.list[:n+1]
	p.list = p.list[:n+1] // a store of the length alone
	l.n++
	return &list[n]
}

// Compact moves the elements to the front of their page if that saves a page. Each
// place is then smaller by the result.
func (l *List[E]) Compact() (by Place) {
	if len(l.pages) != 1 || l.HasRoom() || l.head() <= len(l.pages[0].list)/2 {
		return 0
	}
	p := &l.pages[0]
	p.list = p.list[:copy(p.list, p.list[l.head():])]
	by = Place(l.head())
	l.first -= by
	return by
}

// room makes room for one more element in the last page, or adds a page.
func (l *List[E]) room() {
	k := len(l.pages) - 1
	switch {
	case k < 0 || len(l.pages[k].list) == pageLen:
		l.addPage(k + 1)
	default:
		l.pages[k].grow()
	}
}

// grow doubles the capacity of a full page.
func (p *page[E]) grow() {
	p.list = append(make([]E, 0, min(pageLen, 2*len(p.list))), p.list...)
}

// addPage inserts an empty page before the k-th. The first page of a list begins small.
func (l *List[E]) addPage(k int) {
	n := len(l.pages)
	if n == cap(l.pages) {
		l.pages = append(l.pages, page[E]{})
	}
	l.pages = l.pages[:n+1]
	spare := l.pages[n].list[:0]
	if n > 0 && cap(spare) < pageLen {
		spare = make([]E, 0, pageLen)
	} else if cap(spare) == 0 {
		spare = make([]E, 0, 1)
	}
	copy(l.pages[k+1:], l.pages[k:n])
	l.pages[k] = page[E]{list: spare}
	l.last = &l.pages[n]
}

// dropPage removes page k and keeps its memory.
func (l *List[E]) dropPage(k int) {
	n := len(l.pages) - 1
	spare := l.pages[k].list[:0]
	copy(l.pages[k:], l.pages[k+1:])
	l.pages[n] = page[E]{list: spare}
	l.pages = l.pages[:n]
	l.last = nil
	if n > 0 {
		l.last = &l.pages[n-1]
	}
	if k == 0 {
		l.first = Place(l.base()+1) << pageBits
	}
}

// Insert inserts e before the element at a place, which may be the end, and returns its
// place.
func (l *List[E]) Insert(at Place, e E) Place {
	if l.n == 0 || at == l.End() {
		*l.Push() = e
		return l.Last()
	}
	k, i := l.find(at)
	if l.head() > 0 && k == 0 && i == l.head() { // there is room where others were popped
		l.first--
		l.n++
		l.pages[0].list[l.head()] = e
		return l.First()
	}
	if len(l.pages[k].list) == pageLen {
		l.halve(k)
		k, i = l.find(l.place(k, i))
	}
	p := &l.pages[k]
	if len(p.list) == cap(p.list) {
		p.grow()
	}
	p.list = p.list[:len(p.list)+1]
	copy(p.list[i+1:], p.list[i:])
	p.list[i] = e
	l.n++
	return l.place(k, i)
}

// halve moves the upper half of page k to a new page behind it.
func (l *List[E]) halve(k int) {
	l.addPage(k + 1)
	p, q := &l.pages[k], &l.pages[k+1]
	mid := (l.low(k) + len(p.list) + 1) / 2
	q.list = append(q.list, p.list[mid:]...)
	p.list = p.list[:mid]
	p.size, q.size = unknownSize, unknownSize
}

// Pop removes the first n elements; there must be at least n. Their memory does not
// change until the next insertion.
func (l *List[E]) Pop(n int) {
	if l.n -= n; l.n == 0 {
		l.empty(n)
		return
	}
	for len(l.pages) > 1 && n >= len(l.pages[0].list)-l.head() {
		n -= len(l.pages[0].list) - l.head()
		l.dropPage(0)
	}
	if n > 0 {
		l.first += Place(n)
		l.pages[0].size = unknownSize
	}
}

// empty clears the list after its last n elements were removed, and keeps its memory.
// New elements get places above all former ones.
func (l *List[E]) empty(n int) {
	if n == 0 {
		return
	}
	for len(l.pages) > 1 {
		l.dropPage(0)
	}
	p := &l.pages[0]
	p.list, p.size = p.list[:0], 0
	l.first = Place(l.base()+1) << pageBits
}

// Remove removes n elements from a place on; there must be at least n. It returns the
// place of the next element.
func (l *List[E]) Remove(at Place, n int) Place {
	if n == 0 {
		return at
	}
	k, i := l.find(at)
	if k == 0 && i == l.head() {
		l.Pop(n)
		return l.First()
	}
	l.n -= n
	for n > 0 {
		p := &l.pages[k]
		m := min(n, len(p.list)-i)
		p.list = append(p.list[:i], p.list[i+m:]...)
		if n -= m; len(p.list) == 0 {
			l.dropPage(k)
		} else if n > 0 {
			k, i = k+1, 0
		}
	}
	if k == len(l.pages) {
		return l.End()
	}
	return l.Moved(l.tidy(k, i))
}

// tidy joins page k with its neighbours if they hold few elements, and returns the
// place of its i-th element.
func (l *List[E]) tidy(k, i int) Place {
	l.join(k)
	if k > 0 {
		if below := len(l.pages[k-1].list); l.join(k - 1) {
			k, i = k-1, i+below
		}
	}
	return l.place(k, i)
}

// join joins page k and the next one if half a page can hold both. Without it, few
// elements could use much memory.
func (l *List[E]) join(k int) bool {
	if k+1 >= len(l.pages) || len(l.pages[k].list)+len(l.pages[k+1].list) > pageLen/2 {
		return false
	}
	p := &l.pages[k]
	p.list = append(p.list, l.pages[k+1].list...)
	p.size = unknownSize
	l.dropPage(k + 1)
	return true
}

// Reuse returns an empty list in the memory of l if that is small. The caller must not
// use l any more.
func (l *List[E]) Reuse() List[E] {
	if cap(l.pages) != 1 {
		return List[E]{}
	}
	pages := l.pages[:1]
	pages[0] = page[E]{list: Reuse(pages[0].list)}
	return List[E]{pages: pages[:0]}
}
