package evidence

import (
	"cmp"
	"math"
	"slices"

	"mpanalyze/internal/hosts"
	"mpanalyze/internal/report"
)

const (
	// ownTime is the widest span whose middle is the time of its row, ns.
	ownTime = 50e6
	// clockLimit is the largest offset without a warning, ns.
	clockLimit = 1e9
	// driftLimit is the largest change of the offset without a warning, ns.
	driftLimit = 500e6
)

// fit is the time of a row by its counters, against its stamp.
type fit struct{ offset, width, stamp int64 }

// fits returns the rows of a host that have a time by counters and a stamp, those of the narrowest span first.
func (h *host) fits() (out []fit) {
	for _, a := range h.aligned {
		for i := range a.spans {
			s, row := &a.spans[i], &a.socket.kept[i]
			if row.stamp != hosts.NoStamp && s.bounded() {
				out = append(out, fit{s.middle() - row.stamp, s.hi - s.lo, row.stamp})
			}
		}
	}
	slices.SortFunc(out, func(a, b fit) int {
		return cmp.Or(cmp.Compare(a.width, b.width), cmp.Compare(a.stamp, b.stamp), cmp.Compare(a.offset, b.offset))
	})
	return out
}

// bounded reports whether the span has both ends.
func (s *span) bounded() bool { return s.lo != math.MinInt64 && s.hi != math.MaxInt64 && s.lo <= s.hi }

func (s *span) middle() int64 { return s.lo + (s.hi-s.lo)/2 }

// setClock finds out how the stamps of a host stand to the time of the captures, by its rows, the narrowest
// first. here says whether a capture was taken at the host.
func (h *host) setClock(fits []fit, here bool) {
	h.clock = report.RecordClock{Method: report.ClockNone}
	n := 0
	for n < len(fits) && fits[n].width <= ownTime {
		n++
	}
	if n < 3 {
		n = min(len(fits), max(n, (len(fits)+3)/4, 1))
	}
	switch {
	case n > 0:
		best := fits[:n]
		h.timed, h.offset = true, medianOf(best, func(f fit) int64 { return f.offset })
		offset, uncertainty := float64(h.offset)/1e6, float64(medianOf(best, func(f fit) int64 { return f.width }))/2e6
		h.clock = report.RecordClock{Method: report.ClockCounters, OffsetMS: &offset, UncertaintyMS: &uncertainty, Rows: int64(len(fits))}
	case here:
		h.timed = true
		h.clock = report.RecordClock{Method: report.ClockSame, OffsetMS: new(0.0)}
		h.clock.Unavailable.Set("uncertainty_ms", "no row has a counter that changes")
	default:
		const why = "no counter of a row fits the packets"
		h.clock.Unavailable.Set("offset_ms", why)
		h.clock.Unavailable.Set("uncertainty_ms", why)
	}
}

// far reports whether an offset in ns is too large for clocks that agree, whatever it may be off by.
func far(offset int64, uncertaintyMS float64) bool {
	return math.Abs(float64(offset))-uncertaintyMS*1e6 > clockLimit
}

// medianOf returns the median of a number of each fit.
func medianOf(fits []fit, of func(fit) int64) int64 {
	all := make([]int64, len(fits))
	for i, f := range fits {
		all[i] = of(f)
	}
	slices.Sort(all)
	return all[(len(all)-1)/2]
}

// drift returns by how much the offset changes from the first to the last third of the rows,
// ns. It is 0 if the stamps are too coarse, or the rows too few, to tell.
func drift(fits []fit) int64 {
	narrow := slices.DeleteFunc(slices.Clone(fits), func(f fit) bool { return f.width > ownTime })
	if len(narrow) < 9 {
		return 0
	}
	slices.SortFunc(narrow, func(a, b fit) int { return cmp.Compare(a.stamp, b.stamp) })
	offset := func(f fit) int64 { return f.offset }
	return medianOf(narrow[len(narrow)*2/3:], offset) - medianOf(narrow[:len(narrow)/3], offset)
}

// time returns when a stamp was, by the clock of the capture.
func (h *host) time(stamp int64) (at int64, ok bool) {
	if !h.timed || stamp == hosts.NoStamp {
		return 0, false
	}
	return stamp + h.offset, true
}

// time returns when the i-th kept row was read, by the clock of the capture: the middle of its
// span if that is narrow, else by its stamp.
func (a *aligned) time(i int) (at int64, ok bool) {
	s := &a.spans[i]
	if s.bounded() && s.hi-s.lo <= ownTime {
		return s.middle(), true
	}
	return a.socket.of.time(a.socket.kept[i].stamp)
}

// dropStill removes the times of rows whose counters stood still for longer than those of the
// packets had these values. Then the packets do not count what the host counts: on a path that
// died, a capture at the sender goes on to count data that never arrives.
func (a *aligned) dropStill() {
	rows := a.socket.kept
	for first := 0; first < len(rows); {
		next := first + 1
		for next < len(rows) && rows[next].v == rows[first].v {
			next++
		}
		stood := rows[next-1].stamp - rows[first].stamp // 0 without stamps
		if f := rows[first].at.File; f != nil {
			stood -= f.Resolution
		}
		for i := first; i < next; i++ {
			if s := &a.spans[i]; s.bounded() && stood-(s.hi-s.lo) > ownTime {
				s.lo, s.hi = math.MinInt64, math.MaxInt64
			}
		}
		first = next
	}
}
