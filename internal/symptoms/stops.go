package symptoms

import "mpanalyze/internal/conn"

// Stops are the times in which no subflow made progress, although each that had carried data, two at
// least, had data outstanding: at the sender data without an ACK, at the receiver a hole in its stream
// or data that a mapping had announced.
type Stops struct {
	Periods
	Subflows int // in the latest of them
	latest   PacketRange
}

// goesOn takes, at an end, a packet that makes progress on any subflow.
func (d *DataDir) goesOn(p *conn.Packet, at PacketRef) {
	if d.cameAt.Seen() && at.Time-d.cameAt.Time >= DeadAfter {
		d.stopped(p, at)
	}
	d.cameAt = at
}

// stopped keeps the time before a packet, or up to the end of the connection without one, if all subflows
// stopped in it.
func (d *DataDir) stopped(p *conn.Packet, at PacketRef) {
	r, limit, n := PacketRange{d.cameAt, at}, float64(DeadAfter), 0
	for _, s := range d.c.followed {
		t := s.Path(d.from)
		if t.sender == nil || t.sender.Bytes == 0 || s.Sub.Done() {
			continue
		}
		if !t.unanswered(p) {
			return
		}
		if d.atSender && t.since.Time > r.From.Time {
			r.From = t.since
		}
		srtt := max(t.sender.RTT.SRTT, s.Sub.Senders[d.from.Other()].RTT.SRTT) // that of the end with the capture is whole, the other one is short
		limit, n = max(limit, DeadRounds*srtt), n+1
	}
	noRoom := d.full.since.Seen() || d.reopened
	if n < 2 || float64(r.Duration()) < limit || d.atSender && d.idleSince.Seen() || d.atReceiver && noRoom {
		return
	}
	d.Stops.add(r)
	d.Stops.Subflows, d.Stops.latest = n, r
	for i := range d.Handovers {
		h := &d.Handovers[i]
		h.Stopped = h.Stopped || !h.Back.Seen() && d.Follow(d.c.followed[h.From]).isInStop()
	}
}

// unanswered reports whether data of the subflow is outstanding when a packet ends a time without progress.
func (t *Path) unanswered(p *conn.Packet) bool {
	d, sub := t.dir, t.sub.Sub
	switch {
	case d.atSender:
		return t.waiting
	case p.Sub == sub: // it carries what an earlier packet announced
		return len(p.Pieces) > 0 && sub.Spaces[d.from].MappingPacket(p.Pieces[0].Data.Start) < p.Seg.Num
	}
	return t.sender.InFlight() > 0 || sub.Spaces[d.from].Announces(t.sender.SndNxt())
}

// isInStop reports whether the silence of the subflow began with the latest time in which all stopped.
func (t *Path) isInStop() bool {
	r, since := t.dir.Stops.latest, t.Progress
	if t.dir.atSender {
		since = t.since
	}
	return r.To.Seen() && since.Time < r.To.Time && r.From.Time-since.Time <= DeadAfter
}
