package metrics

import "math"

// A step is the latest value of a quantity that keeps its value until it changes. Its
// series needs only the changes, and one value at the time when the quantity was last
// seen, so that a reader knows how long the last value was valid.
type step struct {
	of       *Series
	holds    bool // later values may be left out as long as they are equal
	value    float64
	at, seen int64 // time of the latest value in the series, and of the latest value of all, ns
}

// stepNoise is half a nanosecond, the resolution of clocks, in ms. A value that differs
// by less from the value before counts as equal. Without it, an average that approaches
// a constant round trip would never stop changing.
const stepNoise = 0.5e-6

// step does what emit does, for a series that holds.
func (o *seriesWriter) step(s *Series, t int64, v float64) {
	if o.wants(s) && !o.withholds(s) {
		o.held[s.slot].take(o, s, t, v)
	}
}

// take takes a value. After a value that is out of time order, the next value is always
// written.
func (h *step) take(o *seriesWriter, s *Series, t int64, v float64) {
	h.seen = max(h.seen, t)
	if h.holds && math.Abs(v-h.value) < stepNoise && t >= h.at && o.m.k.cfg.Changes {
		return
	}
	h.of, h.holds, h.value, h.at = s, t >= h.at, v, max(h.at, t)
	o.sink.Value(s, t, v)
}

// lasts says until when the latest value of a series holds.
func (o *seriesWriter) lasts(s *Series, until int64) {
	if h := &o.held[s.slot]; o.wants(s) && h.of == s {
		h.seen = max(h.seen, until)
	}
}

// close writes the last value of each series that holds.
func (o *seriesWriter) close() {
	if o == nil {
		return
	}
	for i := range o.held {
		if h := &o.held[i]; h.seen > h.at {
			o.sink.Value(h.of, h.seen, h.value)
		}
	}
}
