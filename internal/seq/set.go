package seq

// Set is a set of positions, kept as sorted, disjoint, non-adjacent ranges. The zero
// value is empty and ready to use.
//
// Streams arrive almost in order, so nearly every operation is about the last range,
// the first range, or the range of the previous operation. Only other operations
// search.
//
// A Set grows with the number of holes in the stream, not with its length; [Set.Bound]
// bounds it. The cost of an operation grows only with the holes that it closes or
// drops.
type Set[T Position] struct {
	list List[Range[T]] // the size of a page is the number of its positions
	size int64          // positions of all pages
	hint Place          // result of the latest search between both ends; may be out of date
}

// Ranges returns a copy of the ranges in ascending order.
func (s *Set[T]) Ranges() (ranges []Range[T]) {
	for at := s.list.First(); ; {
		run := s.list.Slice(at)
		if len(run) == 0 {
			return ranges
		}
		ranges = append(ranges, run...)
		at = s.list.Skip(at, len(run))
	}
}

// Len returns the number of ranges, not of positions.
func (s *Set[T]) Len() int { return s.list.Len() }

// First returns the lowest range; an empty one if there is none.
func (s *Set[T]) First() Range[T] { return s.Range(s.list.First()) }

// Range returns the range at a place; an empty one if there is none.
func (s *Set[T]) Range(at Place) (r Range[T]) {
	if x := s.list.At(at); x != nil {
		r = *x
	}
	return r
}

// Size returns the number of positions in the set.
func (s *Set[T]) Size() int64 { return s.size }

// SizeAbove returns the number of positions in the set at or above p. Above the lowest hole the size of the set tells it
// without a search, which saves 24 instructions a packet.
func (s *Set[T]) SizeAbove(p T) (n int64) {
	if first := s.list.Front(); first != nil && first.Start <= p && p <= first.End { // usually: p lies in the lowest range, or at its end
		return s.size - int64(p-first.Start)
	}
	at := s.last(p)
	if at == None {
		return s.size
	}
	k, i := s.list.find(at)
	list, low := s.list.pages[k].list, s.list.low(k)
	if i-low < len(list)-i { // this part of the page is shorter
		n = s.sizeFrom(k) - total(list[low:i+1])
	} else {
		n = s.sizeFrom(k+1) + total(list[i+1:])
	}
	return n + max(0, int64(list[i].End-p))
}

// sizeFrom returns how many positions page k and the pages above it hold.
func (s *Set[T]) sizeFrom(k int) (n int64) {
	if 2*k < len(s.list.pages) { // the lower end is nearer
		n = s.size
		for below := range k {
			n -= s.sizeOf(below)
		}
		return n
	}
	for above := k; above < len(s.list.pages); above++ {
		n += s.sizeOf(above)
	}
	return n
}

// sizeOf returns how many positions page k holds.
func (s *Set[T]) sizeOf(k int) int64 {
	p := &s.list.pages[k]
	if p.size < 0 {
		p.size = total(p.list[s.list.low(k):])
	}
	return p.size
}

// total returns how many positions ranges hold.
func total[T Position](ranges []Range[T]) (n int64) {
	for _, r := range ranges {
		n += r.Len()
	}
	return n
}

// last returns the place of the last range that starts at or before p, or None. Most
// searches are for the newest range, or for the oldest, where acknowledgments arrive.
func (s *Set[T]) last(p T) Place {
	if s.list.n == 0 {
		return None
	}
	pages := s.list.pages
	k := len(pages) - 1
	newest := pages[k].list
	if i := len(newest) - 1; newest[i].Start <= p {
		return s.list.place(k, i)
	}
	oldest := pages[0].list[s.list.head():]
	if p < oldest[0].Start {
		return None
	}
	if len(oldest) > 1 && p < oldest[1].Start {
		return s.list.First()
	}
	// A path whose data is behind that of the others continues at its last place.
	if !s.holds(s.hint, p) {
		s.hint = s.search(p)
	}
	return s.hint
}

// search does what last does, for a position between the first range and the last. Most
// such positions are near the newest end.
func (s *Set[T]) search(p T) Place {
	pages := s.list.pages
	k := len(pages) - 1
	newest, low := pages[k].list, s.list.low(k)
	for i := len(newest) - 2; i >= low && i >= len(newest)-17; i-- {
		if newest[i].Start <= p {
			return s.list.place(k, i)
		}
	}
	return s.list.Prev(s.list.Search(func(r *Range[T]) bool { return r.Start > p }))
}

// holds reports whether the range at a place is the last that starts at or before p.
// Some range must start above p.
func (s *Set[T]) holds(at Place, p T) bool {
	k, i := s.list.find(at)
	pages := s.list.pages
	if uint(k) >= uint(len(pages)) || i < s.list.low(k) {
		return false
	}
	list := pages[k].list
	if i >= len(list) || list[i].Start > p {
		return false
	}
	if i+1 < len(list) {
		return p < list[i+1].Start
	}
	return k+1 < len(pages) && p < pages[k+1].list[0].Start
}

// Contains reports whether p is in the set.
func (s *Set[T]) Contains(p T) bool { return s.Covers(Range[T]{p, p + 1}) }

// Covers reports whether every position of r is in the set.
func (s *Set[T]) Covers(r Range[T]) bool {
	at := s.last(r.Start)
	return r.Empty() || at != None && r.End <= s.list.At(at).End
}

// Add adds r to the set and returns how many of its positions are new.
func (s *Set[T]) Add(r Range[T]) (added int64) {
	if !r.Empty() {
		_, added = s.Insert(r)
	}
	return added
}

// Insert is [Set.Add] for a range that is not empty. It also returns the place of the
// range that now holds r.
func (s *Set[T]) Insert(r Range[T]) (at Place, added int64) {
	if s.list.n == 0 {
		return s.push(r), r.Len()
	}
	p := s.list.last
	i := len(p.list) - 1
	last := &p.list[i]
	if r.Start < last.Start {
		return s.insert(r)
	}
	if r.Start > last.End {
		return s.push(r), r.Len()
	}
	if r.End > last.End {
		added = int64(r.End - last.End)
		last.End = r.End
		p.size += added
		s.size += added
	}
	return s.list.Last(), added
}

// push appends r above all other ranges.
func (s *Set[T]) push(r Range[T]) Place {
	if !s.list.HasRoom() && s.list.Compact() == 0 {
		s.list.room()
	}
	*s.list.PushInPlace() = r
	s.list.last.size += r.Len()
	s.size += r.Len()
	return s.list.Last()
}

// insert does what Insert does if r does not extend the newest end.
func (s *Set[T]) insert(r Range[T]) (at Place, added int64) {
	k, low := 0, s.list.head()
	if at = s.last(r.Start); at != None {
		if k, low = s.list.find(at); s.list.pages[k].list[low].End < r.Start {
			low++
		}
	}
	// All ranges that r overlaps or touches become one.
	p, merged, had, high := &s.list.pages[k], r, int64(0), low
	for ; high < len(p.list) && p.list[high].Start <= r.End; high++ {
		x := p.list[high]
		had += x.Intersect(r).Len()
		merged.Start, merged.End = min(merged.Start, x.Start), max(merged.End, x.End)
	}
	if high == len(p.list) && k+1 < len(s.list.pages) && s.list.pages[k+1].list[0].Start <= r.End {
		return s.merge(r)
	}
	if low == high {
		return s.enter(s.list.place(k, low), r), r.Len()
	}
	added = r.Len() - had
	p.list[low] = merged
	p.size += added
	s.size += added
	if high == low+1 {
		return s.list.place(k, low), added
	}
	return s.list.Prev(s.list.Remove(s.list.place(k, low+1), high-low-1)), added
}

// merge does what Insert does if r overlaps or touches ranges on several pages.
func (s *Set[T]) merge(r Range[T]) (at Place, added int64) {
	added = r.Len() - s.Overlap(r)
	whole := Range[T]{r.Start, max(r.End, s.list.At(s.last(r.End)).End)}
	if at = s.last(r.Start); at != None && s.list.At(at).End >= r.Start {
		whole.Start = s.list.At(at).Start
	}
	s.Remove(whole)
	return s.enter(s.after(s.last(r.Start)), whole), added
}

// enter inserts r before the range at a place. r must neither overlap nor touch another
// range.
func (s *Set[T]) enter(at Place, r Range[T]) Place {
	at = s.list.Insert(at, r)
	k, _ := s.list.find(at)
	s.list.pages[k].size += r.Len()
	s.size += r.Len()
	return at
}

// resize sets the bounds of the range at a place.
func (s *Set[T]) resize(at Place, start, end T) {
	k, i := s.list.find(at)
	x := &s.list.pages[k].list[i]
	more := int64(end-start) - x.Len()
	s.list.pages[k].size += more
	s.size += more
	x.Start, x.End = start, end
}

// Disjoint reports whether no position of r is in the set.
func (s *Set[T]) Disjoint(r Range[T]) bool {
	at := s.last(r.Start)
	if at != None {
		k, i := s.list.find(at)
		if list := s.list.pages[k].list; list[i].End > r.Start {
			return false
		} else if i+1 < len(list) {
			return list[i+1].Start >= r.End
		}
	}
	next := s.list.At(s.after(at))
	return next == nil || next.Start >= r.End
}

// after returns the place after the place of a range. For None it returns the place of
// the first range.
func (s *Set[T]) after(at Place) Place {
	if at == None {
		return s.list.First()
	}
	return s.list.Next(at)
}

// from returns the place of the first range that may hold a position at or above p.
func (s *Set[T]) from(p T) Place {
	if at := s.last(p); at != None {
		return at
	}
	return s.list.First()
}

// Missing calls f for each part of r that is not in the set, in ascending
// order, until f returns false.
func (s *Set[T]) Missing(r Range[T], f func(Range[T]) bool) {
	at := r.Start
	for place := s.from(r.Start); at < r.End; place = s.list.Next(place) {
		x := s.list.At(place)
		if x == nil || x.Start >= r.End {
			break
		}
		if x.End <= at {
			continue
		}
		if x.Start > at && !f(Range[T]{at, x.Start}) {
			return
		}
		at = x.End
	}
	if at < r.End {
		f(Range[T]{at, r.End})
	}
}

// Common calls f for each part of r that is in the set, in ascending order.
func (s *Set[T]) Common(r Range[T], f func(Range[T])) {
	for place := s.from(r.Start); ; place = s.list.Next(place) {
		x := s.list.At(place)
		if x == nil || x.Start >= r.End {
			return
		}
		if part := x.Intersect(r); !part.Empty() {
			f(part)
		}
	}
}

// Overlap returns how many positions of r are in the set.
func (s *Set[T]) Overlap(r Range[T]) (n int64) {
	if x := s.list.Front(); x != nil && r.Start >= x.Start && r.End <= x.End { // most acknowledgments
		return max(0, r.Len())
	}
	place := s.from(r.Start)
	for {
		run := s.list.Slice(place)
		for i := range run {
			if run[i].Start >= r.End {
				return n
			}
			n += max(0, run[i].Intersect(r).Len())
		}
		if len(run) == 0 {
			return n
		}
		place = s.list.Skip(place, len(run))
	}
}

// Remove removes every position of r from the set.
func (s *Set[T]) Remove(r Range[T]) {
	if r.Empty() {
		return
	}
	at := s.from(r.Start)
	x := s.list.At(at)
	if x != nil && x.End <= r.Start {
		at = s.list.Next(at)
		x = s.list.At(at)
	}
	if x == nil || x.Start >= r.End {
		return
	}
	if x.Start < r.Start { // a part below r stays
		above := Range[T]{r.End, x.End}
		s.resize(at, x.Start, r.Start)
		at = s.list.Next(at)
		if !above.Empty() {
			s.enter(at, above)
			return
		}
	}
	n := 0
	for next := at; ; next = s.list.Next(next) {
		x = s.list.At(next)
		if x == nil || x.End > r.End {
			break
		}
		s.resize(next, x.End, x.End)
		n++
	}
	at = s.list.Remove(at, n)
	if x = s.list.At(at); x != nil && x.Start < r.End {
		s.resize(at, r.End, x.End)
	}
}

// DropBelow removes every position below p and returns how many it removed.
func (s *Set[T]) DropBelow(p T) (dropped int64) {
	if s.list.n == 0 {
		return 0
	}
	if x := &s.list.pages[0].list[s.list.head()]; x.End > p { // the usual case: no range lies below p as a whole
		if x.Start < p {
			dropped = int64(p - x.Start)
			s.list.pages[0].size -= dropped
			s.size -= dropped
			x.Start = p
		}
		return dropped
	}
	n := 0
	for at := s.list.First(); ; at = s.list.Next(at) {
		x := s.list.At(at)
		if x == nil || x.End > p {
			break
		}
		dropped += x.Len()
		n++
	}
	s.list.Pop(n)
	s.size -= dropped
	if x := s.list.At(s.list.First()); x != nil && x.Start < p {
		dropped += int64(p - x.Start)
		s.resize(s.list.First(), p, x.End)
	}
	return dropped
}

// DropOldest keeps the newest n ranges and reports whether it dropped any.
func (s *Set[T]) DropOldest(n int) bool {
	n = s.list.Len() - max(0, n)
	if n <= 0 {
		return false
	}
	for range n {
		s.size -= s.list.Front().Len()
		s.list.Pop(1)
	}
	return true
}

// Bound keeps at most n ranges. If there are more, it drops the oldest eighth, so that
// it seldom has to drop any. It reports whether it dropped ranges.
func (s *Set[T]) Bound(n int) bool {
	return s.list.Len() > n && s.DropOldest(n-n/8)
}

// FirstGap returns the lowest position at or above p that is not in the set:
// the end of the in-order stream that begins at p.
func (s *Set[T]) FirstGap(p T) T {
	if at := s.last(p); at != None {
		return max(p, s.list.At(at).End)
	}
	return p
}

// Shift moves every position by delta.
func (s *Set[T]) Shift(delta T) {
	for k := range s.list.pages {
		list := s.list.pages[k].list
		for i := range list {
			list[i].Start += delta
			list[i].End += delta
		}
	}
}
