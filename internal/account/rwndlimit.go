package account

// rwndLimit finds the time in which the receive window limits: it has no room for a segment, and
// data follows within a round trip of the packet that opens it. Otherwise the sender had
// nothing to send.
type rwndLimit struct {
	spans  spans
	since  int64 // since when there is no room; 0 = there is
	opened int64 // the packet that gave room after since; 0 = none yet
}

// full takes whether the window has no room for a segment.
func (x *rwndLimit) full(now int64, full bool) {
	switch {
	case full && x.since == 0:
		x.since = now
	case full:
		x.opened = 0
	case x.since != 0 && x.opened == 0:
		x.opened = now
	}
}

// sent takes new data.
func (x *rwndLimit) sent(now, rtt int64) {
	if x.opened == 0 {
		return
	}
	if now-x.opened <= rtt {
		x.spans.add(x.since, x.opened)
	}
	x.since, x.opened = 0, 0
}

func (x *rwndLimit) known(now, rtt int64) int64 {
	return decided(x.opened != 0 && now-x.opened > rtt, x.since, now)
}
