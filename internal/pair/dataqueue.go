package pair

import (
	"slices"
	"sort"

	"mpanalyze/internal/dss"
	"mpanalyze/internal/seq"
)

// dataPart is a range of data and the time when it was first sent, or when it
// was complete in order.
type dataPart struct {
	dsnRange
	time  int64        // ns
	open  int64        // bytes of it that the other capture has not shown
	first firstArrival // only of data delivered in order
}

// sentData returns a part that was first sent at a time.
func sentData(r dsnRange, time int64) dataPart {
	return dataPart{dsnRange: r, time: time, open: r.Len()}
}

// deliveredData returns a part that a packet completed in order.
func deliveredData(c *dss.Chunk, now int64) dataPart {
	return dataPart{c.Data, now, c.Data.Len(), firstArrival{c.FirstSeen, c.Sub}}
}

// maxParts bounds the parts in a queue that wait for the other capture of their
// connection or for their delivery. At the bound the oldest are dropped.
const maxParts = 1 << 15

// dataQueue is a queue of data in the order of positions.
type dataQueue struct {
	list        []dataPart
	head        int
	droppedOpen int64 // bytes of dropped parts that the other capture has not shown
}

// some reports whether there are any parts.
func (q *dataQueue) some() bool { return len(q.list) > q.head }

// insert enters a part. Nearly every part comes after the others; but data that
// waited for room in the window of its subflow is sent late.
func (q *dataQueue) insert(x dataPart) {
	if len(q.list)-q.head >= maxParts {
		for _, old := range q.list[q.head : q.head+maxParts/4] {
			q.droppedOpen += old.open
		}
		q.head += maxParts / 4
	}
	if len(q.list) == cap(q.list) && q.head > len(q.list)/2 || q.head == len(q.list) {
		q.list = q.list[:copy(q.list, q.list[q.head:])]
		q.head = 0
	}
	if n := len(q.list); n == q.head || q.list[n-1].Start <= x.Start {
		q.list = append(q.list, x)
		return
	}
	at := q.search(func(p *dataPart) bool { return p.Start > x.Start })
	q.list = slices.Insert(q.list, at, x)
}

// search returns the index of the first part for which behind is true.
func (q *dataQueue) search(behind func(*dataPart) bool) int {
	return q.head + sort.Search(len(q.list)-q.head, func(i int) bool { return behind(&q.list[q.head+i]) })
}

// find returns the index of the first part that ends above a position.
func (q *dataQueue) find(at seq.DSN) int {
	return q.search(func(p *dataPart) bool { return p.End > at })
}

// covers reports whether the parts from i on hold every byte of r. i must be
// the index that find returned for the start of r.
func (q *dataQueue) covers(i int, r dsnRange) bool {
	for ; i < len(q.list) && q.list[i].Start <= r.Start; i++ {
		if r.Start = max(r.Start, q.list[i].End); r.Empty() {
			return true
		}
	}
	return false
}

// drop drops the parts below a position.
func (q *dataQueue) drop(below seq.DSN) {
	for q.head < len(q.list) && q.list[q.head].End <= below {
		q.droppedOpen += q.list[q.head].open
		q.head++
	}
}
