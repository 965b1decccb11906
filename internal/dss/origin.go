package dss

import "mpanalyze/internal/seq"

// originGuess narrows down the initial sequence number of a subflow whose SYN was not
// captured. A DSS option names a position relative to that number, and the payload
// beside the option lies inside its mapping. So every option gives a lower and an upper
// bound. Usually the bounds are equal after one or two mappings.
type originGuess struct {
	low, high int64 // bounds of the true SSN of position 0
	any, done bool
}

// GuessOrigin takes an option that maps length payload bytes from the true subflow
// sequence number ssn on, and the position r of the payload beside it, counted from a
// guessed origin. It returns the true SSN of the guessed origin once that is certain.
func (sub *SubflowSpace) GuessOrigin(ssn uint32, length int64, r seq.Range[seq.SSN]) (origin int64, certain bool) {
	g := &sub.origin
	if g.done || r.Empty() || length < r.Len() {
		return 0, false
	}
	low := int64(ssn) - int64(r.Start)
	high := int64(ssn) + length - int64(r.End)
	if !g.any || low > g.high || high < g.low { // the first option, or one that shows the earlier ones wrong
		g.low, g.high, g.any = low, high, true
	} else {
		g.low, g.high = max(g.low, low), min(g.high, high)
	}
	g.done = g.low == g.high
	return g.low, g.done
}

// Shift moves every subflow position of sub by delta. It is called when the origin of
// the subflow becomes known.
func (sub *SubflowSpace) Shift(delta seq.SSN) {
	sub.maps.shift(delta)
	for i := range sub.pending {
		sub.pending[i].Start += delta
		sub.pending[i].End += delta
	}
	for c := range sub.chunks.All() {
		c.SSN += delta
	}
	for i := range sub.duplicates {
		sub.duplicates[i].Start += delta
		sub.duplicates[i].End += delta
	}
	if sub.lastEnd != NoEnd {
		sub.lastEnd += delta
	}
	sub.sndUna += delta
	sub.expected = expected{}
}
