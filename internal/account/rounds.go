package account

import "slices"

// rounds finds slow start, and the time in which the path is used fully. A round lasts until
// what was outstanding at its beginning is acknowledged.
type rounds struct {
	slowStart, path spans

	since     int64 // beginning of the open round; 0 = nothing is outstanding
	until     int64 // position that ends it
	delivered int64 // bytes acknowledged in it, SACKs included
	most      int64 // most bytes in flight in it
	before    int64 // the same of the round before; 0 = none
	growing   bool  // slow start goes on
	begun     bool
	shrunk    bool       // a loss made the congestion window smaller than it began
	rates     [8]float64 // bytes per ns of the latest rounds
	flights   [8]int64   // most bytes in flight in each of them
	peak      int64      // the most of flights
	n         int        // rounds so far
}

// sent takes data; flight is what is outstanding with it, bytes.
func (x *rounds) sent(now, nxt, flight int64) {
	if !x.begun {
		x.begun, x.growing = true, true
	}
	if x.since == 0 {
		x.since, x.until, x.delivered, x.most = now, nxt, 0, 0
	}
	x.most = max(x.most, flight)
}

// lost takes the first sign of a loss: slow start ends (RFC 5681, Section 3.1).
func (x *rounds) lost() { x.growing, x.shrunk = false, true }

// restart begins slow start again, after a timeout.
func (x *rounds) restart() { x.growing, x.shrunk, x.before = true, true, 0 }

// acked takes an acknowledgment of all below una and of n bytes more than before. nxt is
// the end of what was sent.
func (x *rounds) acked(now int64, a *Ack) {
	x.delivered += a.Bytes
	if x.since == 0 || a.Una < x.until && a.Flight > 0 {
		return
	}
	x.end(now, a)
	if x.since = 0; a.Flight > 0 {
		x.since, x.until, x.delivered, x.most = now, a.Nxt, 0, a.Flight
	}
}

// end ends the open round.
func (x *rounds) end(now int64, a *Ack) {
	rate, at := 0.0, x.n%len(x.rates)
	if now > x.since {
		rate = float64(x.delivered) / float64(now-x.since)
	}
	x.rates[at], x.flights[at] = rate, x.most
	x.n++
	x.peak = slices.Max(x.flights[:])
	if x.growing && x.before > 0 && 4*x.most < 5*x.before {
		x.growing = false
	}
	x.before = x.most
	switch {
	case x.growing:
		x.slowStart.add(x.since, now)
	case rate >= plateau*x.bestRate() && queued(a.SRTT, a.LeastRTT):
		x.path.add(x.since, now)
	}
}

// plateau is the part of the best rate of late from which on the rate stands on its plateau.
const plateau = 0.9

// bestRate returns the best rate of the latest rounds.
func (x *rounds) bestRate() (best float64) {
	for _, r := range x.rates {
		best = max(best, r)
	}
	return best
}

// recentFlight returns the most bytes in flight in the latest rounds and in the open one; before
// the first loss the initial window at least (RFC 6928).
func (x *rounds) recentFlight(segment int64) int64 {
	most := max(x.most, x.peak)
	if !x.shrunk {
		most = max(most, initialWindow*segment)
	}
	return most
}

// initialWindow is the initial congestion window (RFC 6928, Section 2), segments.
const initialWindow = 10

// forgetFlights forgets the flights before now, because a loss made the congestion window
// smaller.
func (x *rounds) forgetFlights(flight int64) {
	clear(x.flights[:])
	x.most, x.peak = flight, 0
}

// queued reports whether packets wait in a queue of the path: its round trip is a tenth and
// 2 ms above its least.
func queued(rtt, least int64) bool { return 10*rtt >= 11*least && rtt >= least+2e6 }

func (x *rounds) known(now int64) int64 { return decided(false, x.since, now) }
