package seq

// Grow does what [Set.Add] does if the new positions of r are one range, at the end of
// a range of the set or above all ranges. It returns the new positions; they are empty
// if the set covers r. If ok is false, Grow has changed nothing.
func (s *Set[T]) Grow(r Range[T]) (fresh Range[T], ok bool) {
	at := s.hint
	x := s.list.At(at)
	if x == nil || r.Start < x.Start || r.Start > x.End {
		if at = s.last(r.Start); at != None {
			s.hint = at
			x = s.list.At(at)
		}
	}
	if at != None && r.Start <= x.End {
		if r.End <= x.End {
			return Range[T]{r.Start, r.Start}, true
		}
		fresh = Range[T]{x.End, r.End}
		if !s.Extend(at, fresh) {
			return Range[T]{}, false
		}
		return fresh, true
	}
	if r.Empty() || s.list.At(s.after(at)) != nil {
		return fresh, false
	}
	s.push(r)
	return r, true
}

// Extend lengthens the newest range, or the range at a place, by r. It does nothing and
// returns false unless r begins at the end of one of them and overlaps no other range, so
// that all of r is new. A caller that often adds to the same range keeps its place and
// saves the search. The place may be out of date.
func (s *Set[T]) Extend(at Place, r Range[T]) bool {
	if x := s.list.Back(); x != nil && x.End == r.Start {
		x.End = r.End
		s.list.last.size += r.Len()
		s.size += r.Len()
		return true
	}
	k, i := int(at>>pageBits)-s.list.base(), int(at&(pageLen-1))
	pages := s.list.pages
	if at < s.list.first || uint(k) >= uint(len(pages)) {
		return false
	}
	p := &pages[k]
	list := p.list
	if i >= len(list) || list[i].End != r.Start {
		return false
	}
	if i+1 < len(list) {
		if r.End >= list[i+1].Start {
			return false
		}
	} else if k+1 < len(pages) && r.End >= pages[k+1].list[0].Start {
		return false
	}
	list[i].End = r.End
	p.size += int64(r.End - r.Start)
	s.size += int64(r.End - r.Start)
	return true
}

// Find returns the place of the last range that starts at or before p, None if there is
// none.
func (s *Set[T]) Find(p T) Place { return s.last(p) }
