package symptoms

import (
	"mpanalyze/internal/conn"
	"mpanalyze/internal/subflow"
)

// PacketRef refers to a packet of the capture.
type PacketRef = subflow.Stamp

// refTo returns the reference to a packet.
func refTo(p *conn.Packet) PacketRef { return PacketRef{Packet: p.Seg.Num, Time: p.Seg.Time} }

// PacketRange is the time from one packet to another.
type PacketRange struct{ From, To PacketRef }

// Duration returns the time in nanoseconds.
func (r PacketRange) Duration() int64 { return r.To.Time - r.From.Time }

// longer returns the longer of two ranges, r where they are equal.
func (r PacketRange) longer(o PacketRange) PacketRange {
	if o.Duration() > r.Duration() {
		return o
	}
	return r
}

// Periods sums up times of one kind.
type Periods struct {
	since PacketRef // when the open one began; none where none is open; first, because each packet reads it

	Total   int64 // ns
	Count   int64
	Longest PacketRange
}

// follow takes whether a time of this kind lasts at a packet. It reports whether one ended.
func (p *Periods) follow(lasts bool, at PacketRef) (ended bool) {
	if lasts == p.since.Seen() {
		return false
	}
	if lasts {
		p.since = at
		return false
	}
	p.add(PacketRange{p.since, at})
	p.since = PacketRef{}
	return true
}

// until returns the times up to a packet, with the open one.
func (p Periods) until(at PacketRef) Periods {
	if p.since.Seen() && at.Time > p.since.Time {
		p.add(PacketRange{p.since, at})
	}
	p.since = PacketRef{}
	return p
}

// add adds one time.
func (p *Periods) add(r PacketRange) {
	p.Total += r.Duration()
	p.Count++
	p.Longest = p.Longest.longer(r)
}

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

// Stops are the times in which no subflow made progress, although each that had carried data, two at
// least, had data outstanding: at the sender data without an ACK, at the receiver a hole in its stream
// or data that a mapping had announced.
type Stops struct {
	Periods
	Subflows int // in the latest of them
	latest   PacketRange
	open     PacketRange // the latest silence, as long as it is not known whether all stopped
	noRoom   bool        // in it, the window was full
}

// awaits says what the first payload of a subflow after a silence shows at the receiver.
type awaits uint8

const (
	noPayload  awaits = iota // there was none yet
	wasIdle                  // the sender had nothing outstanding
	wasWaiting               // the sender had waited for an acknowledgment
)

// goesOn takes, at an end, a packet that makes progress on any subflow.
func (d *DataDir) goesOn(p *conn.Packet, at PacketRef) {
	if d.cameAt.Seen() && at.Time-d.cameAt.Time >= DeadAfter {
		d.Stops.open, d.Stops.noRoom = PacketRange{d.cameAt, at}, d.full.since.Seen() || d.reopened
		for _, s := range d.c.followed {
			d.Follow(s).silent = noPayload
		}
	}
	if d.Stops.open.To.Seen() && (d.atSender || d.c.followed[p.Sub.ID].Path(d.from).silent == noPayload) {
		d.stopped(p)
	}
	d.cameAt = at
}

// stopped keeps the latest silence if all subflows stopped in it. It ended with packet p, or at the receiver
// with an earlier one; p is nil at the end of the connection.
func (d *DataDir) stopped(p *conn.Packet) {
	r, limit, n := d.Stops.open, float64(DeadAfter), 0
	for _, s := range d.c.followed {
		t := s.Path(d.from)
		if t.sender == nil || t.sender.FirstData == 0 || t.sender.FirstData >= r.To.Time || s.Sub.Done() {
			continue
		}
		switch t.unanswered(p) {
		case noPayload: // a later packet may show it
			return
		case wasIdle:
			d.Stops.open = PacketRange{}
			return
		}
		if d.atSender && t.since.Time > r.From.Time {
			r.From = t.since
		}
		srtt := max(t.sender.RTT.SRTT, s.Sub.Senders[d.from.Other()].RTT.SRTT) // that of the end with the capture is whole, the other one is short
		limit, n = max(limit, DeadRounds*srtt), n+1
	}
	d.Stops.open = PacketRange{}
	if n < 2 || float64(r.Duration()) < limit || d.atSender && d.idleSince.Seen() || d.atReceiver && d.Stops.noRoom {
		return
	}
	d.Stops.add(r)
	d.Stops.Subflows, d.Stops.latest = n, r
	for i := range d.Handovers {
		h := &d.Handovers[i]
		h.Stopped = h.Stopped || !h.Back.Seen() && d.Follow(d.c.followed[h.From]).isInStop()
	}
}

// unanswered returns what is known of the subflow in the latest silence. At the receiver, the sender had waited
// if its first payload after that fills a hole, carries what an earlier packet announced, or is a copy of data that
// had arrived: a sender repeats data after a time-out only while it has no acknowledgment (RFC 6298, Section 5). One
// byte may be a keep-alive (RFC 9293, Section 3.8.4).
func (t *Path) unanswered(p *conn.Packet) awaits {
	d, sub := t.dir, t.sub.Sub
	waiting := t.waiting
	switch {
	case d.atSender:
	case t.silent != noPayload:
		return t.silent
	case p.Sub == sub:
		waiting = !p.TCP.Sent.HasNew() && p.Seg.PayloadLen > 1 ||
			len(p.Pieces) > 0 && sub.Spaces[d.from].MappingPacket(p.Pieces[0].Data.Start) < p.Seg.Num
	default:
		if waiting = t.sender.InFlight() > 0 || sub.Spaces[d.from].Announces(t.sender.SndNxt()); !waiting {
			return noPayload
		}
	}
	t.silent = wasIdle
	if waiting {
		t.silent = wasWaiting
	}
	return t.silent
}

// isInStop reports whether the silence of the subflow began with the latest time in which all stopped.
func (t *Path) isInStop() bool {
	r, since := t.dir.Stops.latest, t.Progress
	if t.dir.atSender {
		since = t.since
	}
	return r.To.Seen() && since.Time < r.To.Time && r.From.Time-since.Time <= DeadAfter
}
