package pair

import "mpanalyze/internal/seq"

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
	partMatched  bool // another part of the packet was matched before
	untimed      bool // see [packet.Untimed]
}

// sentQueue holds the unmatched parts of one direction in the order of their
// starts: new data is appended at the end, and matched parts are mostly removed
// at the front. Bounded by maxInFlight.
type sentQueue struct {
	seq.List[sentPart]
	longest seq.SSN // length of the longest part
}

// maxInFlight bounds the parts in one direction of a subflow that are in
// flight, or lost and not decided on.
const maxInFlight = 1 << 16

// add enters a part behind those that start at or below its start.
func (q *sentQueue) add(p *sentPart) {
	q.longest = max(q.longest, seq.SSN(p.Len()))
	q.Compact()
	if last := q.Back(); last == nil || last.Start <= p.Start {
		*q.Push() = *p
		return
	}
	q.Insert(q.find(p.Start+1), *p)
}

// find returns the place of the first part that starts at or above a position.
func (q *sentQueue) find(at seq.SSN) seq.Place {
	return q.Search(func(p *sentPart) bool { return p.Start >= at })
}

// overlapping returns the place from which on parts may hold data at or above a position:
// nearly always that of the first part.
func (q *sentQueue) overlapping(at seq.SSN) seq.Place {
	if first := q.Front(); first == nil || first.Start >= at-q.longest {
		return q.First()
	}
	return q.find(at - q.longest)
}

// cut removes the range r, which was matched, from the part at a place and keeps the rest.
func (q *sentQueue) cut(at seq.Place, r ssnRange) {
	c := q.At(at)
	c.partMatched = true
	front, back := r.Start <= c.Start, r.End >= c.End
	switch {
	case front && back:
		q.Remove(at, 1)
	case back:
		c.End = r.Start
	default:
		rest := *c
		rest.Start = r.End
		if next := q.At(q.Next(at)); front && (next == nil || next.Start >= r.End) {
			*c = rest // it stays in its place
			return
		}
		if c.End = r.Start; front {
			q.Remove(at, 1)
		}
		q.add(&rest)
	}
}
