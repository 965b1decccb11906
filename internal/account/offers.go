package account

import (
	"cmp"
	"slices"
)

// offers finds the time in which the receive window limits, as a capture away from the sender
// proves it. When data passes, the sender knew no right edge that was announced later than the least
// time of an announcement to the sender and of data back (loop) before. If the data reaches up to
// that edge, the sender had no room, until it knew of a higher one. New data must follow within a
// round trip of that; else the sender had nothing to send.
type offers struct {
	list []offer // ascending; the first is the latest of those that are old enough for all questions; bounded by maxOffers

	highest, segment int64 // end of the data that left no room
}

// offer is a right edge of the receive window, announced at a time.
type offer struct{ at, edge int64 }

// maxOffers bounds the offers that are kept. At most offersOfRTT of them are in a round trip.
const (
	maxOffers   = 64
	offersOfRTT = 32
)

// step returns the least time between two offers that are kept apart.
func step(rtt int64) int64 { return rtt / offersOfRTT }

// offered takes a right edge. An edge soon after another one counts as announced with that.
func (x *offers) offered(limit *rwndLimit, now, edge, rtt int64) {
	n := len(x.list)
	if n > 0 && edge <= x.list[n-1].edge {
		return
	}
	if edge-x.highest >= x.segment {
		limit.room(now, now+2*rtt)
	}
	switch {
	case n > 1 && now-x.list[n-1].at < step(rtt):
		x.list[n-1].edge = edge
		return
	case n == maxOffers:
		x.list = slices.Delete(x.list, 0, 1)
	}
	x.list = append(x.list, offer{now, edge})
}

// reached reports whether an edge announced up to a time is at or above end; known is false
// where no edge of that time is known.
func (x *offers) reached(end, t int64) (yes, known bool) {
	if len(x.list) == 0 || x.list[0].at > t {
		return false, false
	}
	if x.list[0].edge >= end { // mostly, and then nothing has to be searched
		return true, true
	}
	i, _ := slices.BinarySearchFunc(x.list, t+1, func(o offer, t int64) int { return cmp.Compare(o.at, t) })
	return x.list[i-1].edge >= end, true
}

// passed takes new data; highest is the end of all data.
func (x *offers) passed(limit *rwndLimit, now, highest, segment, loop, rtt int64) {
	limit.sent(now, loop)
	x.forget(now - 2*rtt)
	if room, known := x.reached(highest+segment, now-loop); room || !known {
		return
	}
	x.highest, x.segment = highest, segment
	limit.full(now)
	for i := range x.list {
		if o := &x.list[i]; o.edge-highest >= segment {
			limit.room(max(o.at, 1), o.at+2*rtt)
			break
		}
	}
}

// hasRoom reports whether it is certain that the sender had room in the window for more than the data
// up to highest when that left: an edge announced a round trip and a quarter ago, or earlier, has
// room.
func (x *offers) hasRoom(now, highest, segment, rtt int64) bool {
	room, _ := x.reached(highest+segment, now-rtt-rtt/4-step(rtt))
	return room
}

// forget drops the offers that no later question needs.
func (x *offers) forget(t int64) {
	n := 0
	for n+1 < len(x.list) && x.list[n+1].at <= t {
		n++
	}
	if n > 0 {
		x.list = slices.Delete(x.list, 0, n)
	}
}
