package pair

import (
	"slices"

	"mpanalyze/internal/seq"
)

// sentPart is a sent packet, or the part of it whose arrival was not seen yet.
type sentPart struct {
	ssnRange
	time         int64 // ns, by the clock of the capture at the sending host
	num          uint64
	ordinal      int64  // number of the packet among the packets sent
	segmentBytes int64  // payload of a full segment
	size         uint32 // bytes of the packet's payload
	tsval        uint32
	ipid         uint16
	options      optionSummary
	hasTS        bool
	done         bool // matched or decided on; it stays in the queue for a while
	partMatched  bool // another part of the packet was matched before
	untimed      bool // see [packet.Untimed]
}

// sentQueue holds the unmatched parts of one direction in the order of their
// starts: new data is appended at the end, and matched parts are mostly removed
// at the front. Bounded by maxInFlight.
type sentQueue struct {
	list       []sentPart
	head       int     // all parts before it are done
	doneBehind int     // parts from head on that are done
	longest    seq.SSN // length of the longest part
}

// maxInFlight bounds the parts in one direction of a subflow that are in
// flight, or lost and not decided on.
const maxInFlight = 1 << 16

// len returns how many parts are not done.
func (q *sentQueue) len() int { return len(q.list) - q.head - q.doneBehind }

// add enters a part.
func (q *sentQueue) add(p *sentPart) {
	q.longest = max(q.longest, seq.SSN(p.Len()))
	if len(q.list) == cap(q.list) {
		q.makeRoom()
	}
	if n := len(q.list); n == q.head || q.list[n-1].End <= p.Start {
		q.list = append(q.list, *p)
		return
	}
	q.list = slices.Insert(q.list, q.search(p.Start+1), *p)
}

// search returns the index of the first part that starts at or above a position.
func (q *sentQueue) search(at seq.SSN) int {
	lo, hi := q.head, len(q.list)
	for lo < hi {
		mid := int(uint(lo+hi) >> 1)
		if q.list[mid].Start < at {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	return lo
}

// makeRoom makes room for one more part: it drops the parts that are done, if
// they are many, or else takes more memory.
func (q *sentQueue) makeRoom() {
	if q.doneBehind > (len(q.list)-q.head)/2 || q.head > len(q.list)/2 {
		q.compact()
	} else {
		q.list = slices.Grow(q.list, max(16, len(q.list)))
	}
}

// compact drops the parts that are done.
func (q *sentQueue) compact() {
	n := 0
	for i := q.head; i < len(q.list); i++ {
		if !q.list[i].done {
			q.list[n] = q.list[i]
			n++
		}
	}
	q.list, q.head, q.doneBehind = q.list[:n], 0, 0
}

// remove marks part i as done.
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
		q.list, q.head, q.doneBehind = q.list[:0], 0, 0
	}
}

// cut removes the range r, which was matched, from part i and keeps the rest.
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
		q.add(&rest)
	}
}
