package account

// rounds finds slow start, and the time in which the path is used fully. A round lasts until
// what was outstanding at its beginning is acknowledged.
type rounds struct {
	growth
	slowStart, path spans

	since     int64 // beginning of the open round; 0 = nothing is outstanding
	until     int64 // position that ends it
	delivered int64 // bytes acknowledged in it, SACKs included
	most      int64 // most bytes in flight in it
	floor     int64 // least round trip in it, ns; 0 = none
	filled    filled
	trains    trains
	plateau   plateau
}

// sent takes data; flight is what is outstanding with it, bytes.
func (x *rounds) sent(now, nxt, flight int64) {
	if x.since == 0 {
		x.since, x.until, x.delivered, x.most, x.floor = now, nxt, 0, 0, 0
	}
	x.most = max(x.most, flight)
}

// lost takes the first sign of a loss: slow start ends (RFC 5681, Section 3.1).
func (x *rounds) lost() {
	x.growing = false
	x.plateau.restart()
}

// restart begins slow start again, after a timeout.
func (x *rounds) restart() {
	x.growth.restart()
	x.stop()
}

// stop forgets the open round and those that may become a plateau.
func (x *rounds) stop() {
	x.since = 0
	x.plateau.restart()
}

// acked takes an acknowledgment of all below una and of n bytes more than before. nxt is
// the end of what was sent.
func (x *rounds) acked(now int64, a *Ack, segment int64) {
	x.delivered += a.Bytes
	x.trains.acked(now, a.Bytes)
	if a.RTT > 0 && (x.floor == 0 || a.RTT < x.floor) {
		x.floor = a.RTT
	}
	if x.since == 0 || a.Una < x.until && a.Flight > 0 {
		return
	}
	x.end(now, a, segment)
	if x.since = 0; a.Flight > 0 {
		x.since, x.until, x.delivered, x.most, x.floor = now, a.Nxt, 0, a.Flight, 0
	}
}

// end ends the open round.
func (x *rounds) end(now int64, a *Ack, segment int64) {
	rate := 0.0
	if now > x.since {
		rate = float64(x.delivered) / float64(now-x.since)
	}
	x.trains.end(x.delivered, now-x.since, a, segment, x.growing)
	x.filled.round(x.since, now, x.delivered, x.floor, a.LeastRTT, segment)
	stands := x.round(x.most, rate)
	full := queued(a.SRTT, a.LeastRTT)
	if full {
		x.plateau.restart()
	} else {
		x.plateau.round(x.since, now, x.most, segment)
	}
	switch {
	case x.growing:
		x.slowStart.add(x.since, now)
	case full && stands:
		x.path.add(x.since, now)
	}
}

// queued reports whether packets wait in a queue of the path: its round trip is a tenth and
// 2 ms above its least.
func queued(rtt, least int64) bool { return 10*rtt >= 11*least && rtt >= least+2e6 }

func (x *rounds) known(now int64) int64 {
	return min(decided(false, x.since, now), decided(false, x.plateau.pending(), now))
}
