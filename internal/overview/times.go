package overview

import "mpanalyze/internal/seq"

// times is a set of spans of time in ns.
type times struct{ seq.Set[int64] }

// maxTimes bounds the spans. If there are more, the two with the least time between them become
// one span, which makes the total a little longer.
const maxTimes = 256

// add adds a span.
func (t *times) add(from, to int64) {
	t.Add(seq.Range[int64]{Start: from, End: to})
	if t.Len() <= maxTimes {
		return
	}
	all, least := t.Ranges(), 0
	for i := range len(all) - 1 {
		if all[i+1].Start-all[i].End < all[least+1].Start-all[least].End {
			least = i
		}
	}
	t.Add(seq.Range[int64]{Start: all[least].End, End: all[least+1].Start})
}
