package symptoms

// Waits are the times for which one direction of a connection waited up to some
// moment, ns.
type Waits struct {
	// Window is the time in which less than a segment of the receive window was left.
	// Here what follows the last payload counts, too: more may come.
	Window int64
	// Application is the time in which nothing waited for a DATA_ACK and the window had
	// room; at the sender.
	Application int64
	// DataAck is for how long at this moment data has been outstanding with no advance of
	// the DATA_ACK; at the sender.
	DataAck  int64
	AtSender bool // Application and DataAck are known
}

// WaitsUntil returns the times up to now, those that go on included.
func (d *Direction) WaitsUntil(now int64) Waits {
	if !d.begun() {
		return Waits{}
	}
	w := Waits{Window: d.NoRoom.Total, Application: d.AppLimited, AtSender: d.atSender()}
	if d.reopened != nil {
		w.Window += d.reopened.Total
	}
	full, idle := d.noRoomSince.Seen(), d.idleSince.Seen()
	switch {
	case full:
		w.Window += max(0, now-d.noRoomSince.Time)
	case idle && w.AtSender:
		w.Application += max(0, now-d.idleSince.Time)
	}
	if w.AtSender && !idle && d.space.OutstandingBytes > 0 {
		w.DataAck = max(0, now-d.advanceAt.Time)
	}
	return w
}

// BlockedUntil returns the time up to now in which in-order delivery waited for what the
// subflow had to carry, ns, a time that goes on included. Away from the sender that one
// counts for the subflow that most likely lost the data, which later packets may correct.
func (t *Path) BlockedUntil(now int64) int64 {
	if t.dir == nil {
		return 0
	}
	return max(t.Blocked.Total, t.blockedUntil(now))
}
