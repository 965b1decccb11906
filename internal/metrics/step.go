package metrics

import "math"

// A step is the latest value of a quantity that holds it until it changes. Its
// series need have no more than the changes, and one value where the quantity
// was last seen, so that a reader knows how long it held.
type step struct {
	of       *Series
	holds    bool // what follows may be left out as long as it is equal
	value    float64
	at, seen int64 // the latest time with a value in the series, and that of any value, ns
}

// stepNoise is by how much a value may differ from the one before and be none of
// its own: half a nanosecond, which is what clocks resolve. Averages creep
// towards a steady round trip for ever.
const stepNoise = 0.5e-6

// step is emit for a series that holds.
func (o *outlet) step(s *Series, t int64, v float64) {
	if o.wants(s) && !o.withholds(s) {
		o.held[s.slot].take(o, s, t, v)
	}
}

// take takes a value. One that comes out of the order of time says nothing of
// those that follow.
func (h *step) take(o *outlet, s *Series, t int64, v float64) {
	h.seen = max(h.seen, t)
	if h.holds && math.Abs(v-h.value) < stepNoise && t >= h.at && o.m.k.cfg.Changes {
		return
	}
	h.of, h.holds, h.value, h.at = s, t >= h.at, v, max(h.at, t)
	o.sink.Value(s, t, v)
}

// close ends the series that hold.
func (o *outlet) close() {
	if o == nil {
		return
	}
	for i := range o.held {
		if h := &o.held[i]; h.seen > h.at {
			o.sink.Value(h.of, h.seen, h.value)
		}
	}
}
