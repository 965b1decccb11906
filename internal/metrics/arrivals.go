package metrics

import (
	"sort"

	"mpanalyze/internal/seq"
)

// arrivals keeps what is needed of first arrivals to measure a chunk that comes late.
// Of chunks that continue each other it keeps only the first, because a late chunk lies
// below all of them or above all of them.
type arrivals struct {
	next            seq.DSN  // next expected byte: above the highest seen; very low, like end, before the first
	end             seq.DSN  // end of the latest arrival
	discontinuities []record // arrivals above the next expected byte, ascending, while something below them is missing; bounded by maxDiscontinuities
	head            int
	runs            []run // runs of arrivals that continue each other, ascending; a later run removes all runs above it; bounded by maxRuns
	lost            int64 // first arrivals up to the last run that was forgotten
}

// record is an arrival.
type record struct {
	start seq.DSN
	index int64 // its number among the first arrivals
	at    int64 // ns
}

// run is a run of arrivals that continue each other.
type run struct {
	start seq.DSN
	until int64 // how many first arrivals there were at its end; 0 while it is the latest
}

const (
	maxDiscontinuities = 1 << 15
	maxRuns            = 1 << 12
)

// turn begins another run of arrivals, index arrivals after the first. rcvNxt is the end
// of the data that has arrived without a gap.
func (a *arrivals) turn(start seq.DSN, index int64, rcvNxt seq.DSN) {
	a.overtaken(start, index)
	if len(a.runs) == cap(a.runs) {
		a.forget(rcvNxt)
	}
	a.runs = append(a.runs, run{start: start})
}

// forget makes room. No chunk below rcvNxt can come late, so of the runs that begin below
// rcvNxt only the last is needed. If too many runs remain, it drops the lower half.
func (a *arrivals) forget(rcvNxt seq.DSN) {
	below := sort.Search(len(a.runs), func(i int) bool { return a.runs[i].start >= rcvNxt })
	n := max(0, below-1)
	room := cap(a.runs)
	if 4*(len(a.runs)-n) > 3*room { // otherwise runs would have to move again soon
		if room >= maxRuns {
			n = max(n, len(a.runs)/2)
		} else {
			room = min(max(4, 2*room), maxRuns)
		}
	}
	if n > 0 {
		a.lost = a.runs[n-1].until
	}
	if kept := a.runs[n:]; room > cap(a.runs) {
		a.runs = append(make([]run, 0, room), kept...)
	} else {
		a.runs = a.runs[:copy(a.runs, kept)]
	}
}

// discontinuity takes an arrival that leaves a gap below it. rcvNxt is the end of the data that
// has arrived without a gap; late data lies above it.
func (a *arrivals) discontinuity(r record, rcvNxt seq.DSN) {
	for a.head < len(a.discontinuities)-1 && (a.discontinuities[a.head+1].start < rcvNxt || len(a.discontinuities)-a.head >= maxDiscontinuities) {
		a.head++
	}
	if a.head > 256 && a.head > len(a.discontinuities)/2 {
		n := copy(a.discontinuities, a.discontinuities[a.head:])
		a.discontinuities, a.head = a.discontinuities[:n], 0
	}
	a.discontinuities = append(a.discontinuities, r)
}

// above returns the earliest arrival above a late chunk; ok is false if it was dropped.
func (a *arrivals) above(start, rcvNxt seq.DSN) (r record, ok bool) {
	lo, hi := a.head, len(a.discontinuities)
	for lo < hi {
		mid := int(uint(lo+hi) >> 1)
		if a.discontinuities[mid].start > start {
			hi = mid
		} else {
			lo = mid + 1
		}
	}
	if lo == len(a.discontinuities) {
		return record{}, false
	}
	for a.head < lo && a.discontinuities[a.head].start < rcvNxt {
		a.head++
	}
	return a.discontinuities[lo], true
}

// overtaken returns how many arrivals directly before the index-th, a late chunk that
// begins at start, all lie above it. It drops their runs, because the next late chunk
// can count back only to this one.
func (a *arrivals) overtaken(start seq.DSN, index int64) int64 {
	last := len(a.runs) - 1
	if last >= 0 && a.runs[last].until == 0 {
		a.runs[last].until = index
	}
	for last >= 0 && a.runs[last].start > start {
		last--
	}
	if a.runs = a.runs[:last+1]; last < 0 {
		return index - a.lost
	}
	return index - a.runs[last].until
}
