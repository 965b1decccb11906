package account

import "slices"

// growth is what the rules of slow start and of a path that carries what it can share. Both look at
// rounds.
type growth struct {
	growing bool       // slow start may go on
	before  int64      // bytes of the round before; 0 = none
	rates   [8]float64 // bytes per ns of the latest rounds
	count   int        // rounds so far
}

// steady is the part of the best rate of late from which on the rate stands on its plateau.
const steady = 0.9

// round takes a round: its bytes, by which slow start grows a quarter at least, and its rate. It reports
// whether the rate stands on its plateau.
func (x *growth) round(bytes int64, rate float64) (stands bool) {
	x.rates[x.count%len(x.rates)] = rate
	x.count++
	if x.before > 0 && 4*bytes < 5*x.before {
		x.growing = false
	}
	x.before = bytes
	return rate >= steady*slices.Max(x.rates[:])
}

// restart begins slow start again, after the path was down.
func (x *growth) restart() { x.growing, x.before = true, 0 }
