package account

// rwndLimit finds the time in which the receive window limits: it has no room for a segment, and
// data follows soon after the packet that opens it. Otherwise the sender had nothing to send.
type rwndLimit struct {
	spans  spans
	since  int64 // since when there is no room; 0 = there is
	opened int64 // the packet that gave room after since; 0 = none yet
	limit  int64 // until when data shows that the sender used the room
}

// full takes that there is no room.
func (x *rwndLimit) full(now int64) {
	if x.since == 0 || x.opened != 0 && now > x.limit {
		x.since = now
	}
	x.opened = 0
}

// room takes that a packet at a time gave room, which the sender uses by the time limit.
func (x *rwndLimit) room(at, limit int64) {
	if x.since != 0 && x.opened == 0 {
		x.opened, x.limit = at, limit
	}
}

// sent takes new data; the sender knows of room a time after the packet that gave it.
func (x *rwndLimit) sent(now, after int64) {
	if x.opened == 0 {
		return
	}
	if now <= x.limit {
		x.spans.add(x.since, min(now, x.opened+after))
	}
	x.since, x.opened = 0, 0
}

func (x *rwndLimit) known(now int64) int64 {
	return decided(x.opened != 0 && now > x.limit, x.since, now)
}
