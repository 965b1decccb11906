package subflow

import "mpanalyze/internal/seq"

// marks are the flags of an rtxEntry and, in the lower 16 bits, the size of a full
// segment in the packet that carried it; 0 for SYN and FIN.
type marks uint32

const (
	rexmitted marks = 1 << (16 + iota) // sent more than once
	sacked                             // covered by a SACK block
	continued                          // split off the entry before it: both were one captured segment
	untimed                            // its packet has no time of its own: see [packet.Untimed]

	marked = rexmitted | sacked | continued | untimed
)

// segBytesMarks returns marks without flags for segments of so many bytes.
func segBytesMarks(unit int64) marks { return marks(uint16(unit)) }

// segBytes returns the size of a full segment.
func (m marks) segBytes() int64 { return int64(uint16(m)) }

// rtxEntry is a segment on the retransmission queue: sent and not yet acknowledged
// cumulatively. Entries begin as captured segments, and are split where a
// retransmission or a SACK block covers a part.
type rtxEntry struct {
	seq.Range[seq.SSN]
	sent  int64 // time of the latest transmission, ns; the time of an earlier one is not needed any more
	marks marks
}

// maxRtxQueue bounds the entries of one direction: it allows a window of 1 GiB in
// segments of 16 KiB. At the bound the oldest are dropped and give no RTT sample.
const maxRtxQueue = 1 << 16

// rtxQueue is the retransmission queue (RFC 9293) of one sender: its entries ascend and
// do not overlap.
type rtxQueue struct {
	list seq.List[rtxEntry] // bounded by maxRtxQueue
	hint seq.Place          // where the next search is likely to end; may be out of date
}

// noteUntimed notes that the last entry, just added, was sent at an unknown time.
func (q *rtxQueue) noteUntimed() {
	if p := q.list.Back(); p != nil {
		p.marks |= untimed
	}
}

// wholeEntries returns the number of entries from una to ack, when the first and the
// newest of them were sent, and the length of the longest. It returns 0 if one of them has flags, if there is a gap
// between them, or if none ends at ack. It looks at the first page only.
func (q *rtxQueue) wholeEntries(una, ack seq.SSN) (n int, first, newest, longest int64) {
	run, end := q.list.FirstSlice(), una
	for i := range run {
		p := &run[i]
		if p.marks&marked != 0 || p.Start != end {
			return 0, 0, 0, 0
		}
		newest, longest, end = max(newest, p.sent), max(longest, p.Len()), p.End
		if end == ack {
			return i + 1, run[0].sent, newest, longest
		}
	}
	return 0, 0, 0, 0
}

// trim enforces the bound. It is called after a packet, so that places stay right
// meanwhile; the splits of one packet may exceed the bound by a few entries.
func (q *rtxQueue) trim() {
	if n := q.list.Len() - maxRtxQueue; n > 0 {
		q.list.Pop(n)
	}
}

// makeRoom makes room for one more entry, within the bound.
func (q *rtxQueue) makeRoom() {
	if n := q.list.Len() + 1 - maxRtxQueue; n > 0 {
		q.list.Pop(n)
	}
	q.hint -= q.list.Compact()
}

// push appends an entry above all others.
func (q *rtxQueue) push(r seq.Range[seq.SSN], at, unit int64) {
	if q.list.HasRoom() && q.list.Len() < maxRtxQueue {
		q.list.PushInPlace().fill(r, at, unit)
		return
	}
	q.makeRoom()
	q.list.Push().fill(r, at, unit)
}

// fill sets all fields of a new entry. It writes them one by one into the queue,
// because to build an entry and to copy it is slower.
func (p *rtxEntry) fill(r seq.Range[seq.SSN], at, unit int64) {
	p.Start, p.End, p.sent, p.marks = r.Start, r.End, at, segBytesMarks(unit)
}

// find returns the place of the first entry that ends above p. SACK blocks grow by an
// entry or two at a time, so the next search ends at the hint or near it.
func (q *rtxQueue) find(p seq.SSN) seq.Place {
	at := q.hint
	x := q.list.At(at)
	if x != nil && x.Start <= p {
		for range 4 {
			if x.End > p {
				q.hint = at
				return at
			}
			at = q.list.Next(at)
			if x = q.list.At(at); x == nil {
				break
			}
		}
	}
	q.hint = q.search(p)
	return q.hint
}

// search is find without a hint.
func (q *rtxQueue) search(p seq.SSN) seq.Place {
	if last := q.list.Back(); last == nil || last.End <= p {
		return q.list.End()
	}
	return q.list.Search(func(x *rtxEntry) bool { return x.End > p })
}

// split divides the entry at a place in two at p, which lies inside it, and returns the
// place of the lower one.
func (q *rtxQueue) split(at seq.Place, p seq.SSN) seq.Place {
	x := q.list.At(at)
	left := *x
	left.End = p
	x.Start = p
	x.marks |= continued
	return q.list.Insert(at, left)
}

// shift moves every position by delta.
func (q *rtxQueue) shift(delta seq.SSN) {
	for p := range q.list.All() {
		p.Start += delta
		p.End += delta
	}
}
