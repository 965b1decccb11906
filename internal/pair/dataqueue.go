package pair

import (
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
	seq.List[dataPart]
	droppedOpen int64 // bytes of dropped parts that the other capture has not shown
}

// insert enters a part. Nearly every part comes after the others; but data that
// waited for room in the window of its subflow is sent late.
func (q *dataQueue) insert(x dataPart) {
	if q.Len() >= maxParts {
		for range maxParts / 4 {
			q.dropFirst()
		}
	}
	q.Compact()
	if last := q.Back(); last == nil || last.Start <= x.Start {
		*q.Push() = x
		return
	}
	q.Insert(q.Search(func(p *dataPart) bool { return p.Start > x.Start }), x)
}

// find returns the place of the first part that ends above a position.
func (q *dataQueue) find(at seq.DSN) seq.Place {
	return q.Search(func(p *dataPart) bool { return p.End > at })
}

// covers reports whether the parts from a place on hold every byte of r. The place must be
// the one that find returned for the start of r.
func (q *dataQueue) covers(from seq.Place, r dsnRange) bool {
	for x := range q.From(from) {
		if x.Start > r.Start {
			return false
		}
		if r.Start = max(r.Start, x.End); r.Empty() {
			return true
		}
	}
	return false
}

// drop drops the parts below a position.
func (q *dataQueue) drop(below seq.DSN) {
	for x := q.Front(); x != nil && x.End <= below; x = q.Front() {
		q.dropFirst()
	}
}

// dropFirst drops the first part.
func (q *dataQueue) dropFirst() {
	q.droppedOpen += q.Front().open
	q.Pop(1)
}
