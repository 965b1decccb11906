package pair

import (
	"slices"

	"mpanalyze/internal/dss"
	"mpanalyze/internal/seq"
)

// dataRange is a run of positions of a data sequence space.
type dsnRange = seq.Range[seq.DSN]

// dataRun is a run of data and when it was first sent, or was there in order.
type dataPart struct {
	dsnRange
	time  int64
	open  int64        // octets of it that the other capture has not shown
	first firstArrival // of data that was there in order
}

// newDelivered returns the run of data that a packet puts in order.
func newDelivered(c *dss.Chunk, now int64) dataPart {
	return dataPart{c.Data, now, c.Data.Len(), firstArrival{c.FirstSeen, c.Sub}}
}

// maxRuns bounds the runs of data that wait: for the other capture of their
// connection, or for their delivery. At the bound the oldest are forgotten.
const maxParts = 1 << 15

// runs is a queue of runs in the order of their positions.
type dataQueue struct {
	list   []dataPart
	head   int
	hint   int   // run found last
	missed int64 // octets of runs let go that the other capture has not shown
}

// some reports whether there are any.
func (q *dataQueue) some() bool { return len(q.list) > q.head }

// push takes a run of data that was first sent at a time. Nearly every one lies
// behind the others.
func (q *dataQueue) push(r dsnRange, time int64) {
	n := len(q.list)
	if n == cap(q.list) || n == q.head || n-q.head >= maxParts || q.list[n-1].Start > r.Start {
		q.insert(dataPart{dsnRange: r, time: time, open: r.Len()})
		return
	}
	q.list = q.list[:n+1]
	x := &q.list[n] // filled where it stays
	x.dsnRange, x.time, x.open = r, time, r.Len()
}

// insert takes a run, wherever it lies.
func (q *dataQueue) insert(r dataPart) {
	if len(q.list)-q.head >= maxParts {
		for _, r := range q.list[q.head : q.head+maxParts/4] {
			q.missed += r.open
		}
		q.head += maxParts / 4
	}
	if q.head > 64 && q.head > len(q.list)/2 {
		q.list = q.list[:copy(q.list, q.list[q.head:])]
		q.hint -= q.head
		q.head = 0
	}
	n := len(q.list)
	if n == q.head || q.list[n-1].Start <= r.Start {
		q.list = append(q.list, r)
		return
	}
	// What waited for a place in the window of its subflow leaves late.
	lo, hi := q.head, n
	for lo < hi {
		mid := int(uint(lo+hi) >> 1)
		if q.list[mid].Start <= r.Start {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	q.list = slices.Insert(q.list, lo, r)
}

// covers reports whether every octet of r is in a run. Run i is what find
// returned for the first one.
func (q *dataQueue) covers(i int, r dsnRange) bool {
	for ; i < len(q.list) && q.list[i].Start <= r.Start; i++ {
		if r.Start = max(r.Start, q.list[i].End); r.Empty() {
			return true
		}
	}
	return false
}

// find returns the index of the first run that ends above p.
func (q *dataQueue) find(p seq.DSN) int {
	lo, hi := q.head, len(q.list)
	if i := q.hint + 1; i >= lo && i < hi && q.list[i].Start == p { // the run behind the last one found
		q.hint = i
		return i
	}
	for lo < hi {
		mid := int(uint(lo+hi) >> 1)
		if q.list[mid].End <= p {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	q.hint = lo
	return lo
}

// drop forgets the runs below p.
func (q *dataQueue) drop(p seq.DSN) {
	for q.head < len(q.list) && q.list[q.head].End <= p {
		q.missed += q.list[q.head].open
		q.head++
	}
}
