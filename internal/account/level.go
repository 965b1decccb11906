package account

// level finds the time in which the data outstanding on all subflows together has stood within
// a segment for 16 round trips or more. A congestion window that grows passes a segment
// within that time: slow coupled controllers grow by a tenth of a segment per round trip. What
// is left is a limit at the sender. The time before it is known does not count.
type level struct {
	spans spans

	since       int64 // beginning of the open round; 0 = nothing is outstanding
	most        int64 // most bytes outstanding in it
	before, now extent
}

// levelRounds is the number of rounds of an extent.
const levelRounds = 16

// extent is the least and the most of the bytes outstanding at the peaks of some rounds.
type extent struct {
	least, most int64
	rounds      int
}

func (e *extent) add(n int64) {
	if e.rounds++; e.rounds == 1 {
		e.least, e.most = n, n
	}
	e.least, e.most = min(e.least, n), max(e.most, n)
}

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
func (x *level) restart() { x.since, x.before, x.now = 0, extent{}, extent{} }

// end ends the open round.
func (x *level) end(now, segment int64) {
	if x.now.rounds == levelRounds {
		x.before, x.now = x.now, extent{}
	}
	x.now.add(x.most)
	if x.before.rounds == levelRounds && max(x.before.most, x.now.most)-min(x.before.least, x.now.least) <= segment {
		x.spans.add(x.since, now)
	}
}

func (x *level) known(now int64) int64 { return decided(false, x.since, now) }
