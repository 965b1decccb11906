package symptoms

// Waits says how long one direction of a connection has waited up to some moment, ns.
type Waits struct {
	// Window is the time in which the receive window had room for less than a segment.
	// Here the time after the last payload counts, too, because more payload may come.
	Window int64
	// Application is the time in which no data waited for a DATA_ACK and the window had
	// room. Only a capture at the sender shows it.
	Application int64
	// DataAck is for how long data has been outstanding, at this moment, without an
	// advance of the DATA_ACK. Only a capture at the sender shows it.
	DataAck  int64
	AtSender bool // Application and DataAck are known
}

// WaitsUntil returns the times up to now, including waits that are still open.
func (d *DataDir) WaitsUntil(now int64) Waits {
	if !d.begun() {
		return Waits{}
	}
	w := Waits{Window: d.full.until(PacketRef{Time: now}).Total, Application: d.AppLimited, AtSender: d.atSender}
	switch idle := d.idleSince.Seen(); {
	case !d.atSender:
	case !idle && d.space.OutstandingBytes > 0:
		w.DataAck = max(0, now-d.advanceAt.Time)
	case idle && !d.full.since.Seen():
		w.Application += max(0, now-d.idleSince.Time)
	}
	return w
}
