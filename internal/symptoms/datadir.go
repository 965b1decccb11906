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

	noRoomSince  PacketRef // since when the window has no room for a segment; none while it has
	reopened     *reopened // made when the window first has room again
	rcvNxt       seq.DSN   // end of the data in order at the latest look, away from the sender
	blockedSince PacketRef // since when in-order delivery waits; none while it does not
	blocker      int       // the subflow that in-order delivery waits for at the sender; valid with blockedSince

	offer    offer
	together *Delivered // of all subflows; made with the second one

	cellEnd   int64     // end of the open cell; valid once data passed
	advanceAt PacketRef // latest advance of the DATA_ACK, or since when data waits
	idleSince PacketRef // since when no data waits; none while data waits

	Cells int64 // cells in which any subflow carried payload

	// Stall is the longest time in which data waited and no DATA_ACK advanced. Only a
	// capture at the sender shows it.
	Stall PacketRange
	// AppLimited is the time between first and last data in which the application had
	// nothing to send, ns: no data waited for a DATA_ACK, and the receive window had
	// room. Only a capture at the sender shows it.
	AppLimited int64

	// NoRoom are the times between first and last payload in which the receive window
	// had room for less than a segment. Time after the last payload does not count,
	// because no data waits for room then.
	NoRoom Periods
	// Unread is the part of this time in which the receiver offered less than half of its
	// largest window, ns. Data that the application has not read makes the window small. Data
	// that waits for other data does not: it lies to the right of the DATA_ACK. The time after
	// the last payload counts, too.
	Unread int64
	// FirstUncaptured is the first DATA_ACK of data that was not captured.
	FirstUncaptured PacketRef

	Stops  Stops
	cameAt PacketRef // latest progress of any subflow: an ACK at the sender, payload at the receiver

	Handovers []Handover   // bounded by maxHandovers
	recent    *recentCells // made with the second subflow
}

// reopened are the times without room that ended since the latest payload. They count
// only if payload follows.
type reopened struct {
	Periods
	first PacketRange
}

// begun reports whether data has passed.
func (d *DataDir) begun() bool { return d.Data.From.Seen() }

// place takes the place of the capture.
func (d *DataDir) place() {
	d.atSender, d.atReceiver = d.c.atSender[d.from], d.c.atSender[d.from.Other()]
}

// Follow returns what is kept about the data on a subflow, for a caller that passes it
// packets.
func (d *DataDir) Follow(s *Subflow) *Path {
	if s.paths[d.from] == nil {
		t := reused(&s.spare.paths[d.from])
		t.dir, t.sub, t.sender = d, s, &s.Sub.Senders[d.from]
		s.paths[d.from] = t
	}
	return s.paths[d.from]
}

// data takes payload of any subflow.
func (d *DataDir) data(at PacketRef) {
	if !d.begun() {
		d.Data.From, d.advanceAt, d.cellEnd = at, at, at.Time+cellLength
		d.c.cellEnd = min(d.c.cellEnd, d.cellEnd)
	}
	if d.reopened != nil && d.reopened.Count > 0 { // this payload waited for room
		d.NoRoom.addAll(&d.reopened.Periods)
		*d.reopened = reopened{}
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

// largestSegment is more than the size of any segment, bytes.
const largestSegment = 1 << 16

// room measures the time in which the receive window has no room for a segment of the
// subflow of a packet. The window nearly always has room, as before.
func (d *DataDir) room(p *conn.Packet, free int64) {
	if free < largestSegment && free < d.segment(p) || d.noRoomSince.Seen() || d.offer.shut != nil {
		d.updateNoRoom(p, free)
	}
}

// updateNoRoom does what room does, for any window. It is not inlined, so that room can be.
//
//go:noinline
func (d *DataDir) updateNoRoom(p *conn.Packet, free int64) {
	// After a fallback no DATA_ACK shows the window any more.
	full := min(free, d.Left()) < d.segment(p) && d.c.conn.Fallback == ""
	switch {
	case full && !d.noRoomSince.Seen():
		d.noRoomSince = refTo(p)
	case !full && d.noRoomSince.Seen():
		d.reopen(refTo(p))
	}
}

// reopen ends a time in which the window had no room.
func (d *DataDir) reopen(at PacketRef) {
	if d.reopened == nil {
		d.reopened = &reopened{}
	}
	r, o := PacketRange{d.noRoomSince, at}, d.reopened
	if o.add(r); o.Count == 1 {
		o.first = r
	}
	d.noRoomSince = PacketRef{}
	if d.idleSince.Seen() { // until now there was no room for data
		d.idleSince = at
	}
}

// lastNoRoom counts the part before the last payload of a time without room that
// continues after it. Only the first time since that payload can be such a time.
func (d *DataDir) lastNoRoom() {
	r := PacketRange{d.noRoomSince, d.Data.To}
	if d.reopened != nil && d.reopened.Count > 0 {
		r.From = d.reopened.first.From
	}
	if !r.From.Seen() || r.Duration() <= 0 {
		return
	}
	d.NoRoom.add(r)
	// What is left for [DataDir.WaitsUntil] is the part after the payload.
	if d.reopened != nil && d.reopened.Count > 0 {
		d.reopened.Total -= r.Duration()
	} else {
		d.noRoomSince = d.Data.To
	}
}

// dataWaits notes, at the sender, that data begins to wait for a DATA_ACK.
func (d *DataDir) dataWaits(at PacketRef) {
	if !d.noRoomSince.Seen() {
		d.AppLimited += at.Time - d.idleSince.Time
	}
	d.idleSince, d.advanceAt = PacketRef{}, at
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

// tick ends the cell that lies before now. If several cells lie before now, only the
// first can have payload.
func (d *DataDir) tick(now int64) {
	pause := (now - d.cellEnd) / cellLength
	carriers, bytes := 0, int64(0) // number of subflows that carried payload, and bytes of all payload
	for _, s := range d.c.followed {
		t := s.Path(d.from)
		if t.cellBytes > 0 {
			carriers++
			bytes += t.cellBytes
		}
		t.keepCell(pause)
	}
	if carriers > 0 {
		d.Cells++
		for _, s := range d.c.followed {
			d.Follow(s).endCell(carriers, d.cellEnd-cellLength)
		}
	}
	d.findDead(now)
	d.keepCell(bytes, pause)
	d.cellEnd += (pause + 1) * cellLength
}

// close takes the end of the connection.
func (d *DataDir) close(at int64) {
	d.tick(max(at, d.cellEnd))
	if d.atSender && !d.space.Delivered() {
		d.goesOn(nil, PacketRef{d.Data.To.Packet, at})
	}
	d.closeHandovers(at)
	d.lastNoRoom()
	d.closeOffer()
	if d.atSender && d.space.OutstandingBytes > 0 && !d.idleSince.Seen() {
		d.Stall = d.Stall.longer(PacketRange{d.advanceAt, PacketRef{d.Data.To.Packet, at}})
	}
}
