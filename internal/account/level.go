package account

// level finds the time in which the data outstanding on all subflows together stands within
// a segment for six round trips.
type level struct {
	spans spans

	since int64 // beginning of the open round; 0 = nothing is outstanding
	most  int64 // most bytes outstanding in it
	last  [6]round
	n     int // valid entries of last
}

// round is a round of the connection: one round trip.
type round struct{ from, most int64 }

// outstanding takes the bytes outstanding.
func (x *level) outstanding(now, n, segment, rtt int64) {
	switch {
	case n == 0:
		x.restart()
		return
	case x.since == 0:
		x.since, x.most = now, n
	case now-x.since >= max(rtt, 1e6):
		x.end(now, segment)
		x.since, x.most = now, n
	}
	x.most = max(x.most, n)
}

// restart begins anew, because the application had nothing to send.
func (x *level) restart() { x.since, x.n = 0, 0 }

// end ends the open round.
func (x *level) end(now, segment int64) {
	if x.n == len(x.last) {
		copy(x.last[:], x.last[1:])
		x.n--
	}
	x.last[x.n] = round{x.since, x.most}
	x.n++
	if x.n < len(x.last) {
		return
	}
	least, most := x.last[0].most, x.last[0].most
	for _, r := range x.last[1:] {
		least, most = min(least, r.most), max(most, r.most)
	}
	if most-least <= segment {
		x.spans.add(x.last[0].from, now)
	}
}

func (x *level) known(now int64) int64 {
	switch {
	case x.since == 0:
		return now
	case x.n > 0:
		return x.last[max(0, x.n-5)].from
	}
	return x.since
}
