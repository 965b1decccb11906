package symptoms

// senderClock is the clock that the timestamps of a sender show, as the receiver sees it.
type senderClock struct {
	seen              bool
	firstVal, lastVal uint32
	first, last       int64 // ns
}

// tick is the unit of the timestamps by which delays are measured, ns: that of Linux.
const tick = 1e6

// otherTicks are other units that hosts use, ns.
var otherTicks = [...]float64{1e3, 4e6, 10e6, 100e6}

// delay returns the one-way delay of a segment that arrived at a time, less that of the
// first segment, ns.
func (k *senderClock) delay(at int64, val uint32) int64 {
	if !k.seen {
		*k = senderClock{true, val, val, at, at}
	}
	k.lastVal, k.last = val, at
	return at - k.first - int64(int32(val-k.firstVal))*tick
}

// isKnown reports whether the timestamps count in ticks: no other unit fits the time that
// passed better. Without any timestamp there is nothing to be wrong.
func (k *senderClock) isKnown() bool {
	passed, ticks := float64(k.last-k.first), float64(k.lastVal-k.firstVal)
	off := func(unit float64) float64 { return max(passed-ticks*unit, ticks*unit-passed) }
	for _, unit := range otherTicks {
		if off(unit) < off(tick) {
			return false
		}
	}
	return true
}
