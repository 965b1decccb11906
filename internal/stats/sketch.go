package stats

import "slices"

// sketch is the state of a distribution with too many values to keep.
type sketch struct {
	moments
	histogram
	plain []float64  // waiting values of weight 1; bounded by BatchSize
	pairs []Weighted // the other waiting values; none has a weight below the lightest; bounded likewise
}

// sketchOf makes a sketch of values within the bounds, and uses their memory.
func sketchOf(list []Weighted) *sketch {
	s := &sketch{moments: around(list)}
	s.reserve(list)
	// The mean is known already, so the origin stays where it is until the end.
	s.centredAt = int64(len(list))
	for part := range slices.Chunk(list, BatchSize) {
		s.takeWeighted(part)
	}
	s.centre()
	return s
}

// waitPlain keeps a value of weight 1 until there are [BatchSize] of them.
func (s *sketch) waitPlain(v float64) {
	if len(s.plain) == BatchSize {
		s.settlePlain()
	}
	if s.plain == nil {
		s.plain = make([]float64, 0, BatchSize)
	}
	s.plain = append(s.plain, v)
}

// waitPairs is waitPlain for at most [BatchSize] values with weights not below the lightest.
func (s *sketch) waitPairs(list ...Weighted) {
	if len(s.pairs)+len(list) > BatchSize {
		s.settlePairs()
	}
	if s.pairs == nil {
		s.pairs = make([]Weighted, 0, BatchSize)
	}
	s.pairs = append(s.pairs, list...)
}

// settlePlain counts the waiting values of weight 1.
func (s *sketch) settlePlain() {
	if len(s.plain) > 0 {
		s.take(s.plain)
		s.plain = s.plain[:0]
	}
}

// settlePairs counts the waiting values with a weight.
func (s *sketch) settlePairs() {
	if len(s.pairs) > 0 {
		s.takeWeighted(s.pairs)
		s.pairs = s.pairs[:0]
	}
}

// add takes a value if it is within the bounds.
func (s *sketch) add(value, weight float64) {
	if counts(value, weight) {
		s.runOf(value).count(value, weight)
		s.moments.add(value, weight)
	}
}

// take counts values of weight 1. It overwrites list.
func (s *sketch) take(list []float64) {
	for i := 0; i < len(s.runs) && len(list) > 0; i++ {
		list = s.runs[i].take(list, &s.moments)
	}
	for _, v := range list {
		s.add(v, 1)
	}
	s.follow()
}

// takeWeighted is take for values with weights.
func (s *sketch) takeWeighted(list []Weighted) {
	for i := 0; i < len(s.runs) && len(list) > 0; i++ {
		list = s.runs[i].takeWeighted(list, &s.moments)
	}
	for _, e := range list {
		s.add(e.Value, e.Weight)
	}
	s.follow()
}

// take counts the values of weight 1 that belong to the run and lie between the
// extremes so far. It moves the others to the front of list and returns them. This
// keeps all sums in registers, so that each value needs few instructions.
func (r *run) take(list []float64, m *moments) (left []float64) {
	steps, from := r.steps, r.from
	low, high, origin, first, second := m.min, m.max, m.origin, m.first, m.second
	odd := 0
	for _, v := range list {
		k := step(v) - from
		if k < uint64(len(steps)) && v >= low && v <= high {
			steps[k]++
			x := v - origin
			first += x
			second += x * x
		} else {
			list[odd] = v
			odd++
		}
	}
	if n := len(list) - odd; n > 0 {
		m.n += int64(n)
		m.weight += float64(n)
		m.first, m.second = first, second
	}
	return list[:odd]
}

// takeWeighted is take for values with weights not below the lightest.
func (r *run) takeWeighted(list []Weighted, m *moments) (left []Weighted) {
	steps, from := r.steps, r.from
	low, high, origin, total, first, second := m.min, m.max, m.origin, m.weight, m.first, m.second
	odd := 0
	for _, e := range list {
		v, w := e.Value, e.Weight
		k := step(v) - from
		if k < uint64(len(steps)) && v >= low && v <= high {
			steps[k] += w
			total += w
			x := v - origin
			w *= x
			first += w
			second += w * x
		} else {
			list[odd] = e
			odd++
		}
	}
	m.n += int64(len(list) - odd)
	m.weight, m.first, m.second = total, first, second
	return list[:odd]
}
