package pair

import (
	"cmp"
	"fmt"
	"math"
	"net/netip"
	"slices"
)

// guess is the offset that one path suggests if its least delays are equal in
// both directions, ms.
type guess struct {
	path        *pathClock
	theta       float64 // the offset
	half        float64 // half of the least round trip
	noise       float64 // how far its least delays vary
	forth, back floor
}

// offset compares the least delays of both directions, path by path. The path
// with the shortest round trip decides; the others tell the uncertainty.
func (c *Clock) offset(paths []*pathClock, rho float64) (best guess, ok bool) {
	var all []guess
	for _, p := range paths {
		if g, ok := p.guess(rho, c); ok {
			all = append(all, g)
		}
	}
	if len(all) == 0 {
		return best, false
	}
	best = slices.MinFunc(all, func(a, b guess) int { return cmp.Compare(a.half, b.half) })
	c.OffsetMS, c.Bound = best.theta, best.half
	c.Uncertainty = max(0.01, best.half/100, best.noise/2) // sizes of packets, queues, interrupts
	for _, g := range all {
		c.Uncertainty = max(c.Uncertainty, math.Abs(g.theta-best.theta))
	}
	c.Uncertainty = min(c.Uncertainty, max(c.Bound, 0.01))
	return best, true
}

// stay keeps the offset at zero, which the delays allow, whatever they suggest.
func (c *Clock) stay(g guess) {
	c.Method = "auto: the clocks agree as far as the least delays of both directions show"
	if by := math.Abs(g.theta); by >= max(agreement, c.Uncertainty) {
		c.Method = fmt.Sprintf("auto: zero, with which no delay is negative; %s would make it %+.3f ms if the path is as long in either direction", g.basis(), g.theta)
	}
	c.OffsetMS = 0
	c.Uncertainty += math.Abs(g.theta)
	if c.Bound >= 0 {
		c.Bound += math.Abs(g.theta)
	}
}

// allowsZero reports whether no delay is negative where the clocks agree at the
// first packet. That a direction takes longer than the other proves nothing, as
// paths are seldom alike in both. One odd delay of many is no proof either: a
// copy that a capture missed makes the delay of another one too short.
func (c *Clock) allowsZero(paths []*pathClock, rho float64) bool {
	for _, p := range paths {
		for e, sign := range []float64{1, -1} {
			var least []float64
			for _, s := range []*series{&p.minis[e], &p.datas[e]} {
				least = append(least, s.plain(End(e), sign*rho, c)...)
			}
			slices.Sort(least)
			if n := len(least); n > 0 && least[min(n/manyLeast, 1)] < -agreement {
				return false
			}
		}
	}
	return true
}

// manyLeast is among how many least delays one that is odd is not believed.
const manyLeast = 8

// floor is the least delay of one direction, and what packets show it.
type floor struct {
	ms float64
	of string
}

// guess compares the least delays of a path's two directions without drift and
// step. What a packet's size costs is not to be taken from those with payload
// where that would leave a negative round trip: a token bucket spaces packets,
// and lets the first of a burst pass at once.
func (p *pathClock) guess(rho float64, c *Clock) (g guess, ok bool) {
	f, r := p.floor(AtSender, rho, c, true), p.floor(AtReceiver, -rho, c, true)
	if f.ms+r.ms < 0 {
		f, r = p.floor(AtSender, rho, c, false), p.floor(AtReceiver, -rho, c, false)
	}
	noise := min(p.minis[AtSender].noise(f.ms), p.minis[AtReceiver].noise(r.ms))
	return guess{p, (f.ms - r.ms) / 2, (f.ms + r.ms) / 2, noise, f, r}, !math.IsInf(f.ms+r.ms, 1)
}

// floor returns that of one direction: of packets without payload, or, where
// they are to be compared, of others less what their size costs. Infinite if
// there is none.
func (p *pathClock) floor(out End, rho float64, c *Clock, compare bool) floor {
	best := floor{p.minis[out].floor(out, rho, c), "packets without payload"}
	data := p.datas[out].floor(out, rho, c)
	if extra, ok := p.gaps[out].extra(); ok && compare && data-extra < best.ms {
		best = floor{data - extra, "packets with payload less what their size takes"}
	}
	if math.IsInf(best.ms, 1) {
		best = floor{data, "packets with payload"}
	}
	return best
}

// floor returns the least delay, infinite if there is none.
func (s *series) floor(out End, rho float64, c *Clock) float64 {
	best := math.Inf(1)
	for _, v := range s.plain(out, rho, c) {
		best = min(best, v)
	}
	return best
}

// plain returns the least delays without drift and step, ms.
func (s *series) plain(out End, rho float64, c *Clock) (ms []float64) {
	for _, b := range s.bins {
		if at := c.arrival(out, b.t); b.ok && !c.unclear(out, at, b.d) {
			ms = append(ms, c.plain(out, at, b.d)-rho*float64(b.t)/1e9)
		}
	}
	return ms
}

// noise returns how far the least delays lie above the least of all, in the
// median: a path whose shortest time varies leaves the offset uncertain.
func (s *series) noise(floor float64) float64 {
	pts := s.points()
	if len(pts) == 0 {
		return 0
	}
	v := make([]float64, len(pts))
	for i, q := range pts {
		v[i] = max(0, q.d-floor)
	}
	slices.Sort(v)
	return v[len(v)/2]
}

// basis says what an offset rests on.
func (g *guess) basis() string {
	path := netip.AddrFrom16(g.path.ends[0]).Unmap().String() + "-" + netip.AddrFrom16(g.path.ends[1]).Unmap().String()
	if g.forth.of == g.back.of {
		return fmt.Sprintf("least delays of %s in both directions of %s", g.forth.of, path)
	}
	return fmt.Sprintf("least delays of %s to the receiver's capture and of %s from it, on %s", g.forth.of, g.back.of, path)
}
