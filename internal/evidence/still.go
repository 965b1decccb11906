package evidence

import "math"

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
		if f := rows[first].file; f != nil {
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
