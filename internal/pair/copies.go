package pair

import (
	"slices"

	"mpanalyze/internal/seq"
)

// span is a run of positions of one direction's stream.
type ssnRange = seq.Range[seq.SSN]

// sentCopy is a run of a sent packet whose arrival was not seen yet.
type sentPart struct {
	ssnRange
	time        int64 // ns, by the sender's clock
	num         uint64
	ordinal     int64  // of the packet among those sent
	unit        int64  // octets of a segment
	size        uint32 // octets of the packet's payload
	tsval       uint32
	ipid        uint16
	options     optionSummary
	hasTS       bool
	done        bool
	partMatched bool // a part of the packet was matched before
}

// copies holds the unmatched runs of one direction in the order of their
// starts: new data is appended, and what is matched goes mostly from the front.
// Bounded by maxCopies.
type sentQueue struct {
	list       []sentPart
	head       int // runs before it are done
	doneBehind int // done runs from head on
	longest    seq.SSN
	overlapEnd seq.SSN // only below it runs may overlap: packets sent again
	hint       int     // run that the next arrival probably is of
}

// maxCopies bounds what is in flight or lost and not settled in one direction
// of a subflow.
const maxSent = 1 << 16

func (q *sentQueue) len() int { return len(q.list) - q.head - q.doneBehind }

// add makes place for a run and returns it. But for its positions it holds
// anything; it stays where it is until the next call.
func (q *sentQueue) add(r ssnRange) *sentPart {
	q.longest = max(q.longest, seq.SSN(r.Len()))
	if len(q.list) == cap(q.list) {
		q.makeRoom()
	}
	n := len(q.list)
	if n == q.head || q.list[n-1].End <= r.Start {
		q.list = q.list[:n+1]
	} else {
		q.overlapEnd = max(q.overlapEnd, r.End+q.longest)
		n = q.search(r.Start + 1)
		q.list = slices.Insert(q.list, n, sentPart{})
	}
	c := &q.list[n]
	c.ssnRange = r
	return c
}

// from returns the index of the first run that starts at or above p.
func (q *sentQueue) search(p seq.SSN) int {
	lo, hi := q.head, len(q.list)
	for lo < hi {
		mid := int(uint(lo+hi) >> 1)
		if q.list[mid].Start < p {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	return lo
}

// room makes place for one more run: that of runs that are done, unless these are
// few.
func (q *sentQueue) makeRoom() {
	if q.doneBehind > (len(q.list)-q.head)/2 || q.head > len(q.list)/2 {
		q.compact()
	} else {
		q.list = slices.Grow(q.list, max(16, len(q.list)))
	}
}

// compact drops the runs that are done.
func (q *sentQueue) compact() {
	n := 0
	if q.doneBehind == 0 {
		n = copy(q.list, q.list[q.head:])
		q.hint -= q.head
	}
	for i := q.head; q.doneBehind > 0 && i < len(q.list); i++ {
		if !q.list[i].done {
			q.list[n] = q.list[i]
			n++
		}
	}
	q.list, q.head, q.doneBehind = q.list[:n], 0, 0
}

// next returns the run that the next arrival probably is of, if it is r and
// none overlaps it; nil otherwise.
func (q *sentQueue) expected(r ssnRange) *sentPart {
	i := q.hint
	if i < q.head || i >= len(q.list) || r.Start < q.overlapEnd {
		return nil
	}
	if c := &q.list[i]; c.ssnRange == r && !c.done {
		return c
	}
	return nil
}

// pass takes out the run that next returned.
func (q *sentQueue) takeExpected() {
	q.hint++
	q.remove(q.hint - 1)
}

// remove takes run i out.
func (q *sentQueue) remove(i int) {
	if i > q.head {
		q.list[i].done = true
		q.doneBehind++
		return
	}
	q.head++
	for q.doneBehind > 0 && q.head < len(q.list) && q.list[q.head].done {
		q.head++
		q.doneBehind--
	}
	if q.head == len(q.list) {
		q.list, q.head, q.doneBehind, q.hint = q.list[:0], 0, 0, 0
	}
}

// cut takes the part r out of run i, and keeps what is left.
func (q *sentQueue) cut(i int, r ssnRange) {
	c := &q.list[i]
	c.partMatched = true
	front, back := r.Start <= c.Start, r.End >= c.End
	switch {
	case front && back:
		q.remove(i)
	case back:
		c.End = r.Start
	case front && (i+1 == len(q.list) || q.list[i+1].Start >= r.End):
		c.Start = r.End
	default:
		rest := *c
		rest.Start = r.End
		if c.End = r.Start; front {
			q.remove(i)
		}
		*q.add(rest.ssnRange) = rest
	}
}
