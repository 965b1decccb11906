package metrics

import "math/bits"

// tally is how long a level of the head-of-line queue lasted, which comes again
// and again: once the distributions are not exact any more, they learn of all its
// times at once. Its octets are those of the latest time that so many segments
// waited, nearly always the same.
type tally struct {
	bytes  int64
	weight int64 // ns
	times  int64
}

// maxTallies bounds the levels that are kept: two MB or more of usual segments.
const maxTallies = 2048

// tally enters steps as [holQueue.count] does.
func (q *holQueue) tally(list []holStep) {
	from, kept := q.from, q.tallies
	for i := range list {
		s := &list[i]
		if n := s.segments; uint64(n) < uint64(len(kept)) && s.to > from {
			t := &kept[n]
			if t.bytes != s.bytes {
				q.enter(n, t)
				t.bytes = s.bytes
			}
			t.weight += s.to - from
			t.times++
		} else {
			q.single(s, from)
			kept = q.tallies
		}
		from = s.to
	}
	q.from = from
}

// single enters a step that began at from and is kept with no others: it has no
// duration, or so many segments waited for the first time.
func (q *holQueue) single(s *holStep, from int64) {
	w := max(1e-3, float64(s.to-from))
	q.Bytes.AddWeighted(float64(s.bytes), w)
	q.Segments.AddWeighted(float64(s.segments), w)
	if n := s.segments; n >= int64(len(q.tallies)) && n < maxTallies {
		grown := make([]tally, 1<<bits.Len64(uint64(n)))
		copy(grown, q.tallies)
		q.tallies = grown
	}
}

// enter tells the distributions of the level of so many segments, and begins
// with it anew.
func (q *holQueue) enter(segments int64, t *tally) {
	if t.times > 0 {
		w := float64(t.weight)
		q.Bytes.AddRepeatedWeighted(float64(t.bytes), w, t.times)
		q.Segments.AddRepeatedWeighted(float64(segments), w, t.times)
	}
	*t = tally{}
}

// flush enters all levels.
func (q *holQueue) flush() {
	for n := range q.tallies {
		q.enter(int64(n), &q.tallies[n])
	}
	q.tallies = nil
}
