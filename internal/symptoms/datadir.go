package symptoms

import (
	"mpanalyze/internal/conn"
	"mpanalyze/internal/dss"
	"mpanalyze/internal/seq"
)

// DataDir keeps what explains the figures of one direction of a connection.
type DataDir struct {
	// What most packets read or change comes first, so that it shares cache lines.

	Data PacketRange // first and last payload

	c                    *Connection
	space                *dss.Space
	latest               *Path // the path that made progress last, if all other paths were told of it; otherwise nil
	from                 conn.Side
	atSender, atReceiver bool // the capture was taken at the sender of the data, at its receiver
	reopened             bool // a time without room ended since the latest payload

	rcvNxt       seq.DSN   // end of the data in order at the latest look, away from the sender
	blockedSince PacketRef // since when in-order delivery waits, away from the sender; none while it does not
	blocker      *Path     // that in-order delivery waits for, at the sender; nil while it does not
	advanceAt    PacketRef // latest advance of the DATA_ACK, or since when data waits
	idleSince    PacketRef // since when no data waits; none while data waits

	offer   offer
	full    Periods   // times in which the window has no room for a segment, those after the last payload included
	cameAt  PacketRef // latest progress of any subflow: an ACK at the sender, payload at the receiver
	cellEnd int64     // end of the open cell; the largest time before data has passed
	shut    *Shut     // made when the window is 0 or taken back for the first time
	// together is of all subflows; made with the second one. The paths reach their highest rates at different times,
	// and some share a link: the sum of those is more than what they deliver together.
	together *Delivered

	Cells int64 // cells in which any subflow carried payload

	// Stall is the longest time in which data waited and no DATA_ACK advanced. Only a
	// capture at the sender shows it.
	Stall PacketRange
	// AppLimited is the time between first and last data in which the application had
	// nothing to send, ns: no data waited for a DATA_ACK, and the receive window had
	// room. Only a capture at the sender shows it.
	AppLimited int64
	// Awaited is the part of AppLimited up to the latest data of the peer in each pause, ns: the application may have waited for it.
	Awaited int64

	// NoRoom are the times between first and last payload in which the receive window
	// had room for less than a segment. Time after the last payload does not count,
	// because no data waits for room then.
	NoRoom Periods
	// Unread is the part of this time in which the receiver offered less than half of its
	// largest window, ns. Data that the application has not read makes the window small. Data
	// that waits for other data does not: it lies to the right of the DATA_ACK. The time after
	// the last payload counts, too.
	Unread   int64
	unreadAt int64 // end of the latest such time
	// FirstUncaptured is the first DATA_ACK of data that was not captured.
	FirstUncaptured PacketRef

	Stops     Stops
	Handovers []Handover  // bounded by maxHandovers
	recent    recentCells // from the second subflow on
}

// begun reports whether data has passed.
func (d *DataDir) begun() bool { return d.Data.From.Seen() }

// Place takes whether the capture was taken at the sender of the data, or at its receiver. That is known
// before the first payload.
func (d *DataDir) Place(atSender, atReceiver bool) { d.atSender, d.atReceiver = atSender, atReceiver }

// Follow returns what is kept about the data on a subflow, for a caller that passes it
// packets.
func (d *DataDir) Follow(s *Subflow) *Path {
	t := made(&s.paths[d.from])
	if t.dir == nil {
		t.dir, t.sub, t.sender = d, s, &s.Sub.Senders[d.from]
	}
	return t
}

// data takes payload of any subflow.
func (d *DataDir) data(at PacketRef) {
	if !d.begun() {
		d.Data.From, d.advanceAt, d.cellEnd = at, at, at.Time+cellLength
	}
	if d.reopened || d.full.since.Seen() { // this payload waited for room, or waits for it
		d.NoRoom, d.reopened = d.full.until(at), false
	}
	d.Data.To = at
}

// DataAck takes a packet of the receiver with a DATA_ACK. free is the unused part of
// the receive window, bytes. If it is not known, the caller gives more than the size of
// any segment. window is what this packet offers; below 0 where that is not known.
func (d *DataDir) DataAck(p *conn.Packet, free, window int64) {
	if !follows(p) {
		return
	}
	if showsGap(p) {
		d.gap(refTo(p))
	}
	d.offered(p, window)
	d.room(p, free)
}

// advance takes, at the sender, a DATA_ACK that advances. If no data was outstanding, it
// covers the DATA_FIN alone, and nothing stalled.
func (d *DataDir) advance(at PacketRef) {
	if !d.idleSince.Seen() {
		d.Stall = d.Stall.longer(PacketRange{d.advanceAt, at})
	}
	d.advanceAt = at
	if d.space.OutstandingBytes <= 0 && !d.idleSince.Seen() {
		d.idleSince = at
	}
}

// showsGap reports whether a packet acknowledges data that was not captured: packets before it
// are missing from the capture.
func showsGap(p *conn.Packet) bool { return p.Uncaptured || len(p.TCP.Ack.Gaps) > 0 }

// gap takes a packet that shows a gap of the capture. What happened in the gap is not
// known, so all waits begin anew: nothing is measured across it.
func (d *DataDir) gap(at PacketRef) {
	if d.idleSince.Seen() {
		d.idleSince = at
	} else {
		d.advanceAt = at
	}
	shut := d.Shut()
	for _, since := range [...]*PacketRef{&d.full.since, &d.blockedSince, &shut.Zero.since, &shut.Shrinks.since} {
		since.Restart(at)
	}
	d.latest, d.cameAt = nil, at
	for _, s := range d.c.followed {
		t := s.Path(d.from)
		t.Blocked.since.Restart(at)
		if t.since.Seen() {
			t.since, t.other, t.blockedBefore = at, PacketRef{}, t.Blocked.Total
			t.falls.since, t.falls.open = PacketRef{}, RateFall{}
		}
	}
}

// Close takes the end of the connection; at is the time of its latest packet, ns.
func (d *DataDir) Close(at int64) {
	if d == nil || !d.begun() {
		return
	}
	d.tick(max(at, d.cellEnd))
	if d.atSender && !d.space.Delivered() {
		d.goesOn(nil, PacketRef{Packet: d.Data.To.Packet, Time: at})
	}
	for i := range d.Handovers { // of paths that did not come back
		h := &d.Handovers[i]
		if t := d.Follow(d.c.followed[h.From]); t.handover == i+1 {
			h.Blocked = t.BlockedUntil(at) - h.blockedBefore
		}
	}
	d.closeOffer()
	if d.atSender && d.space.OutstandingBytes > 0 && !d.idleSince.Seen() {
		d.Stall = d.Stall.longer(PacketRange{d.advanceAt, PacketRef{Packet: d.Data.To.Packet, Time: at}})
	}
}
