package overview

import "slices"

// times is a set of spans of time in ns. They are in order and do not touch.
type times []struct{ from, to int64 }

// maxTimes bounds the spans. If there are more, the two with the least time between them become
// one span, which makes the total a little longer.
const maxTimes = 256

// add adds a span.
func (t *times) add(from, to int64) {
	all := *t
	first := len(all) // index of the first span that ends at from or later
	for first > 0 && all[first-1].to >= from {
		first--
	}
	last := first // index of the first span that begins after to
	for last < len(all) && all[last].from <= to {
		from, to = min(from, all[last].from), max(to, all[last].to)
		last++
	}
	all = slices.Replace(all, first, last, struct{ from, to int64 }{from, to})
	if len(all) > maxTimes {
		least := 0
		for i := range len(all) - 1 {
			if all[i+1].from-all[i].to < all[least+1].from-all[least].to {
				least = i
			}
		}
		all[least].to = all[least+1].to
		all = slices.Delete(all, least+1, least+2)
	}
	*t = all
}

// total returns the sum of the lengths of all spans.
func (t times) total() (ns int64) {
	for _, x := range t {
		ns += x.to - x.from
	}
	return ns
}
