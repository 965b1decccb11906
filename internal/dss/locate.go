package dss

import "mpanalyze/internal/seq"

// baseGuess narrows down a subflow's initial sequence number where its SYN was
// not captured. A DSS option names a position relative to it, and the payload
// beside the option lies inside the mapping, so every option bounds it from
// both sides; the bounds meet after a mapping or two.
type baseGuess struct {
	low, high int64 // what the true SSN of position 0 may be
	any, done bool
}

// GuessOrigin takes an option that maps length payload octets from the true
// subflow sequence number ssn on, beside payload at r of a lane whose origin
// was guessed. It returns the true position of the guessed origin once it is
// certain.
func (l *SubflowSpace) GuessOrigin(ssn uint32, length int64, r seq.Range[seq.SSN]) (origin int64, certain bool) {
	g := &l.base
	if g.done || r.Empty() || length < r.Len() {
		return 0, false
	}
	low := int64(ssn) - int64(r.Start)
	high := int64(ssn) + length - int64(r.End)
	if !g.any || low > g.high || high < g.low { // the first, or the earlier ones were wrong
		g.low, g.high, g.any = low, high, true
	} else {
		g.low, g.high = max(g.low, low), min(g.high, high)
	}
	g.done = g.low == g.high
	return g.low, g.done
}

// Shift moves every subflow position of the lane by delta, when the origin of
// its subflow becomes known.
func (l *SubflowSpace) Shift(delta seq.SSN) {
	l.maps.shift(delta)
	for i := range l.pending {
		l.pending[i].Start += delta
		l.pending[i].End += delta
	}
	for c := range l.chunks.All() {
		c.SSN += delta
	}
	for i := range l.duplicates {
		l.duplicates[i].Start += delta
		l.duplicates[i].End += delta
	}
	if l.lastEnd != endless {
		l.lastEnd += delta
	}
	l.una += delta
	l.onward = onward{}
}
