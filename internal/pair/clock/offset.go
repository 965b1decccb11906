package clock

import (
	"cmp"
	"fmt"
	"math"
	"net/netip"
	"slices"
)

// guess is the offset, ms, that follows from one path if the least delays of
// its two directions are equal.
type guess struct {
	path     *Path
	offset   float64
	halfTrip float64    // half of the least round trip
	noise    float64    // how far its least delays vary
	forth    leastDelay // to the receiver's capture
	back     leastDelay // from it
}

// leastDelay is the least delay of one direction, and the kind of packets that
// had it.
type leastDelay struct {
	ms float64
	of string
}

// offset compares the least delays of both directions, path by path. The path
// with the shortest round trip decides; the others show the uncertainty.
func (e *Estimator) offset(c *Estimate, gain float64) (best guess, ok bool) {
	var all []guess
	for _, p := range e.paths {
		if g, ok := p.guess(gain, &c.step); ok {
			all = append(all, g)
		}
	}
	if len(all) == 0 {
		return best, false
	}
	best = slices.MinFunc(all, func(a, b guess) int { return cmp.Compare(a.halfTrip, b.halfTrip) })
	c.OffsetMS, c.Bound = best.offset, best.halfTrip
	c.Uncertainty = max(0.01, best.halfTrip/100, best.noise/2) // sizes of packets, queues, interrupts
	for _, g := range all {
		c.Uncertainty = max(c.Uncertainty, math.Abs(g.offset-best.offset))
	}
	c.Uncertainty = min(c.Uncertainty, max(c.Bound, 0.01))
	return best, true
}

// keepZero sets the offset to zero, because no delay then is negative, although
// g has another offset.
func (c *Estimate) keepZero(g *guess) {
	c.Method = "auto: the clocks agree as far as the least delays of both directions show"
	by := math.Abs(g.offset)
	if by >= max(agreement, c.Uncertainty) {
		c.Method = fmt.Sprintf("auto: zero, with which no delay is negative; %s would make it %+.3f ms if the path is as long in either direction", g.basis(), g.offset)
	}
	c.OffsetMS = 0
	c.Uncertainty += by
	if c.Bound >= 0 {
		c.Bound += by
	}
}

// keepWithin moves the offset into the range that lets no delay be negative. The
// path with the shortest round trip may be longer in one direction, and then
// another path contradicts its offset.
func (c *Estimate) keepWithin(possible span) {
	to := possible.nearest(c.OffsetMS)
	by := math.Abs(to - c.OffsetMS)
	if by <= agreement {
		return
	}
	c.OffsetMS = to
	c.Method += fmt.Sprintf("; moved by %.3f ms, so that no delay of another path is negative", by)
	c.Uncertainty += by
	if c.Bound >= 0 {
		c.Bound += by
	}
}

// span is a range of offsets, ms. It is empty if high is less than low.
type span struct{ low, high float64 }

// allows reports whether no delay is negative with an offset, as far as clocks
// that agree may differ.
func (s span) allows(offset float64) bool {
	return s.low-agreement <= offset && offset <= s.high+agreement
}

// nearest returns the value in the range that is nearest to v; of an empty range
// its middle.
func (s span) nearest(v float64) float64 {
	if s.low > s.high {
		return (s.low + s.high) / 2
	}
	return min(max(v, s.low), s.high)
}

// manyLeast is the number of least delays from which on a single odd one is
// ignored.
const manyLeast = 8

// possible returns the offsets with which no delay is negative. All paths have
// the same two clocks. A direction that takes longer than the other proves
// nothing: few paths are alike in both directions. A single odd delay among many
// proves nothing either: if a capture missed a packet and shows only its retransmission,
// the delay of that is too short.
func (e *Estimator) possible(gain float64, st *step) span {
	s := span{math.Inf(-1), math.Inf(1)}
	for _, p := range e.paths {
		for from := range p.dirs {
			var least []float64
			for _, m := range p.dirs[from].bins() {
				least = append(least, e.corrected(End(from), m, End(from).sign()*gain, st)...)
			}
			slices.Sort(least)
			n := len(least)
			switch {
			case n == 0:
			case End(from) == AtSender: // these delays contain the offset
				s.high = min(s.high, least[min(n/manyLeast, 1)])
			default: // these lack it
				s.low = max(s.low, -least[min(n/manyLeast, 1)])
			}
		}
	}
	return s
}

// corrected returns least delays without drift and step, ms. It leaves out
// delays that are so close to the step that they may or may not contain it.
func (e *Estimator) corrected(from End, m *minBins, gain float64, st *step) (delays []float64) {
	for _, b := range m.bins {
		if at := e.arrivedAt(from, b.time); b.ok && !st.near(from, at, b.delay) {
			delays = append(delays, st.takeOut(from, at, b.delay)-gain*float64(b.time)/1e9)
		}
	}
	return delays
}

// guess compares the least delays of a path's two directions without drift and
// step. It subtracts the time that the payload of full-sized packets takes,
// unless that makes the round trip negative: a token bucket spaces packets, but
// the first packets of a burst pass at once.
func (p *Path) guess(gain float64, st *step) (g guess, ok bool) {
	to, from := p.least(AtSender, gain, st, true), p.least(AtReceiver, -gain, st, true)
	if to.ms+from.ms < 0 {
		to, from = p.least(AtSender, gain, st, false), p.least(AtReceiver, -gain, st, false)
	}
	noise := min(p.dirs[AtSender].pureAcks.noise(to.ms), p.dirs[AtReceiver].pureAcks.noise(from.ms))
	return guess{p, (to.ms - from.ms) / 2, (to.ms + from.ms) / 2, noise, to, from}, !math.IsInf(to.ms+from.ms, 1)
}

// least returns the least delay of one direction; infinite if there is none. It
// is the least delay of packets without payload. With bySize, it may be the
// least delay of full-sized packets less the time that their payload takes, if
// that is less. Where there are only full-sized packets, it is their least
// delay.
func (p *Path) least(from End, gain float64, st *step, bySize bool) leastDelay {
	w := &p.dirs[from]
	best := leastDelay{p.est.least(from, &w.pureAcks, gain, st), "packets without payload"}
	data := p.est.least(from, &w.data, gain, st)
	if payload, ok := w.spacing.median(); ok && bySize && data-payload < best.ms {
		best = leastDelay{data - payload, "packets with payload less what their size takes"}
	}
	if math.IsInf(best.ms, 1) {
		best = leastDelay{data, "packets with payload"}
	}
	return best
}

// least returns the least delay without drift and step, ms; infinite if there is
// none.
func (e *Estimator) least(from End, m *minBins, gain float64, st *step) float64 {
	return slices.Min(append(e.corrected(from, m, gain, st), math.Inf(1)))
}

// noise returns the median distance of the least delays from the lowest one,
// ms: if the shortest time of a path varies, the offset is uncertain.
func (m *minBins) noise(least float64) float64 {
	var above []float64
	for _, b := range m.bins {
		if b.ok {
			above = append(above, max(0, ms(b.delay)-least))
		}
	}
	if len(above) == 0 {
		return 0
	}
	slices.Sort(above)
	return above[len(above)/2]
}

// basis describes the delays from which an offset was found.
func (g *guess) basis() string {
	path := netip.AddrFrom16(g.path.addrs[0]).Unmap().String() + "-" + netip.AddrFrom16(g.path.addrs[1]).Unmap().String()
	if g.forth.of == g.back.of {
		return fmt.Sprintf("least delays of %s in both directions of %s", g.forth.of, path)
	}
	return fmt.Sprintf("least delays of %s to the receiver's capture and of %s from it, on %s", g.forth.of, g.back.of, path)
}
