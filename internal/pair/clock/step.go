package clock

import (
	"cmp"
	"math"
	"slices"
)

// leastStep is the smallest step of a clock that is reported, ms: in the delays
// of a real path a smaller one cannot be told from other changes.
const leastStep = 2.0

// aboutStep is the time before and after a step in which delays are not used,
// ns, besides the size of the step.
const aboutStep = 5e6

// step is a moment at which a clock was set while the captures ran.
type step struct {
	found bool
	size  float64 // by how much the receiver's lead grew, ms
	// inTimestamps says that the step was found in the TCP timestamps: then it
	// is known which clock was set, and time is by that clock. If it was found
	// in the delays, that is not known, and time is the time of an arrival by
	// the sender's clock.
	inTimestamps bool
	at           End
	time         int64   // the first capture time after the step, ns
	margin       int64   // closer delays may or may not contain the step, ns
	sinceOrigin  float64 // the time, s
	roughLead    int64   // of the receiver's clock, ns
}

// when returns the time to compare with the time of the step. arrived and delay
// are as the captures have them.
func (st *step) when(from End, arrived, delay int64) int64 {
	switch {
	case st.inTimestamps && from == st.at: // that capture showed the packet when it left
		return arrived - delay
	case !st.inTimestamps && from == AtSender:
		return arrived - st.roughLead
	}
	return arrived
}

// in reports whether a delay contains the step.
func (st *step) in(from End, arrived, delay int64) bool {
	return st.found && st.when(from, arrived, delay) >= st.time
}

// near reports whether a delay was measured so close to the step that it may or
// may not contain it.
func (st *step) near(from End, arrived, delay int64) bool {
	return st.found && abs(st.when(from, arrived, delay)-st.time) < st.margin
}

// takeOut returns a delay without the step, ms.
func (st *step) takeOut(from End, arrived, delay int64) float64 {
	if !st.in(from, arrived, delay) {
		return ms(delay)
	}
	return ms(delay) - from.sign()*st.size
}

// repeats reports whether the clock was set back, so that some capture times
// occur twice.
func (st *step) repeats() bool { return st.inTimestamps && (st.size < 0) == (st.at == AtReceiver) }

// findStep looks for a clock that was set while the captures ran: first in the
// TCP timestamps of the hosts, then in the delays. It measures the step and
// returns the standard error of its size, ms. It finds no step if the size is
// too small or if the delays contradict it.
func (e *Estimator) findStep() (st step, sigma float64) {
	for _, find := range []func() step{e.stepInTimestamps, e.stepInDelays} {
		if st = find(); !st.found {
			continue
		}
		if sigma = e.measure(&st); math.Abs(st.size) >= leastStep && !e.denies(&st) {
			return st, sigma
		}
	}
	return step{roughLead: e.roughLead}, 0
}

// measure finds the size of a step together with the slopes of all series that
// contain it: the mean, each weighted by its certainty. It returns the standard
// error, ms.
func (e *Estimator) measure(st *step) (sigma float64) {
	var sizes []slope
	take := func(points []point, sign float64) {
		if f, ok := fitLine(points); ok && f.step != 0 {
			sizes = append(sizes, slope{sign * f.step, f.sigma * (stepError * f.span)})
		}
	}
	for _, p := range e.paths {
		for from := range p.dirs {
			for _, m := range p.dirs[from].filters() {
				take(e.delayPoints(End(from), m, st), End(from).sign())
			}
		}
	}
	for _, t := range e.tracks {
		if st.inTimestamps && t.at == st.at {
			take(t.points(st), -t.at.sign())
		}
	}
	rest := mean(withoutStrays(sizes))
	if !math.IsInf(rest.sigma, 1) {
		st.size = rounded(st.size + rest.gain)
	}
	return rest.sigma
}

// stepError is the standard error of the size of a step, as a multiple of the
// standard error of the slope over the whole time. For a step in the middle,
// fitted together with a slope, it is 4 s / sqrt(n), against sqrt(12) s /
// sqrt(n) for the slope.
const stepError = 4 / 3.46

// delayPoints returns least delays without the size of the step as known so
// far, in the order of time.
func (e *Estimator) delayPoints(from End, m *minFilter, st *step) []point {
	points := make([]point, 0, len(m.readings))
	for _, x := range m.readings {
		if st.near(from, x.time, x.delay) {
			continue
		}
		t := x.time - e.origin
		if from == AtSender {
			t -= e.roughLead
		}
		points = append(points, point{t: float64(t) / 1e9, ms: st.takeOut(from, x.time, x.delay), stepped: st.in(from, x.time, x.delay)})
	}
	// Sums depend on the order: make it the same, whichever capture was read
	// first.
	slices.SortFunc(points, func(a, b point) int { return cmp.Or(cmp.Compare(a.t, b.t), cmp.Compare(a.ms, b.ms)) })
	return points
}

// points returns the least offsets of a track without the size of the step as
// known so far.
func (t *tsTrack) points(st *step) []point {
	points := make([]point, 0, len(t.offsets.readings))
	here := st.found && st.inTimestamps && t.at == st.at
	for _, x := range t.offsets.readings {
		p := point{t: float64(x.time-t.first) / 1e9, ms: ms(x.delay)}
		if here && abs(x.time-st.time) < st.margin {
			continue // if the clock was set back, some times occur twice
		}
		if here && x.time >= st.time {
			p.stepped = true
			p.ms += t.at.sign() * st.size // the receiver's lead grew as much as the sender's clock was set back
		}
		points = append(points, p)
	}
	return points
}
