package metrics

import "mpanalyze/internal/seq"

// arrivals are what first arrivals leave behind for those that come late: of
// chunks that continue each other only the first one, for the data of a late
// chunk lies before all of them or behind.
type arrivals struct {
	next  seq.DSN  // next expected octet: above the highest seen
	end   seq.DSN  // of the latest arrival
	leaps []record // arrivals above the next expected octet, ascending, while something below them is missing; bounded by maxLeaps
	head  int
	runs  [maxN]record // the latest runs of arrivals that continue each other, a ring
	turns uint64       // how many runs there were
}

// record is an arrival.
type record struct {
	start seq.DSN
	index int64 // among the first arrivals
	at    int64 // ns; not set in runs
}

const (
	maxN     = 16
	maxLeaps = 1 << 15
)

// turn begins another run of arrivals.
func (a *arrivals) turn(start seq.DSN, index int64) {
	r := &a.runs[a.turns%maxN]
	r.start, r.index = start, index
	a.turns++
}

// leap takes an arrival that leaves a gap below it. edge is the end of what
// has arrived without a gap: late data lies above it.
func (a *arrivals) leap(r record, edge seq.DSN) {
	for a.head < len(a.leaps)-1 && (a.leaps[a.head+1].start < edge || len(a.leaps)-a.head >= maxLeaps) {
		a.head++
	}
	if a.head > 256 && a.head > len(a.leaps)/2 {
		n := copy(a.leaps, a.leaps[a.head:])
		a.leaps, a.head = a.leaps[:n], 0
	}
	a.leaps = append(a.leaps, r)
}

// above returns the earliest arrival above a late chunk; ok is false where it
// is forgotten.
func (a *arrivals) above(start, edge seq.DSN) (r record, ok bool) {
	lo, hi := a.head, len(a.leaps)
	for lo < hi {
		mid := int(uint(lo+hi) >> 1)
		if a.leaps[mid].start > start {
			hi = mid
		} else {
			lo = mid + 1
		}
	}
	if lo == len(a.leaps) {
		return record{}, false
	}
	for a.head < lo && a.leaps[a.head].start < edge {
		a.head++
	}
	return a.leaps[lo], true
}

// overtaken returns how many arrivals right before the index-th lie above it,
// a late chunk; maxN at most.
func (a *arrivals) overtaken(start seq.DSN, index int64) (n int64) {
	for back := uint64(1); back <= min(a.turns, maxN) && n < maxN; back++ {
		r := &a.runs[(a.turns-back)%maxN]
		if r.start < start {
			break
		}
		n = index - r.index
	}
	return min(n, maxN)
}
