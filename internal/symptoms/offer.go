package symptoms

import (
	"cmp"
	"math"

	"mpanalyze/internal/conn"
	"mpanalyze/internal/packet"
	"mpanalyze/internal/seq"
	"mpanalyze/internal/subflow"
)

// Shrinks are the packets by which a receiver took back a part of the window that it had
// offered: it moved the right edge to the left (RFC 9293, Section 3.8.6). Periods are the
// times in which the sender kept to such a window, and the window had no room for a segment.
type Shrinks struct {
	Periods
	Packets int64
	Most    int64 // bytes that one packet took back
}

// offer is the receive window as the latest packets offer it.
type offer struct {
	edge  seq.DSN        // right edge of the latest one; noEdge before the first
	dir   int16          // [conn.SubflowDir.DirIndex] of the packet that offered edge
	have  packet.Present // what that packet carries
	tsval uint32         // its timestamp; valid with have

	size, largest int64 // the window of the latest packet, and the largest one, bytes
	at            int64 // time of the latest packet, ns

	taken bool // the latest edge lies to the left of an earlier one
}

// Shut keeps how a receiver closed its window.
type Shut struct {
	// ZeroWindows are the packets that advertise a window of 0.
	ZeroWindows     int64
	FirstZeroWindow PacketRef
	Zero            Periods // times with a window of 0

	Shrinks Shrinks

	before seq.DSN   // right edge before it was taken back; valid with [offer.taken]
	zero   PacketRef // the latest packet with a window of 0
	probes int64     // keep-alives and window probes of the sender before the window was 0
}

// Shut returns how the receiver closed its window. The caller must not change it.
func (d *DataDir) Shut() *Shut { return cmp.Or(d.shut, &noShut) }

// offered takes the window of a packet with a DATA_ACK, size bytes; below 0 where it is not
// known. A packet that lies behind a higher DATA_ACK was overtaken, and says nothing. Packets of
// different subflows overtake each other. So only the subflow that offered a window can show
// that it was taken back.
func (d *DataDir) offered(p *conn.Packet, size int64) {
	o := &d.offer
	if una, _ := d.space.SndUna(); size < 0 || p.DataAck < una {
		return
	}
	if d.full.since.Seen() && 2*o.size < o.largest && !d.holds(o.largest-o.size) { // the window itself was small
		d.Unread += max(0, p.Seg.Time-max(o.at, d.full.since.Time))
		d.unreadAt = p.Seg.Time
	}
	o.at, o.size, o.largest = p.Seg.Time, size, max(o.largest, size)
	edge := p.DataAck + seq.DSN(size)
	switch back := int64(o.edge - edge); {
	case back <= 0:
		o.edge, o.dir = edge, int16(p.DirIndex)
		o.have, o.tsval = p.Seg.Have, p.Seg.TSVal
	case p.DirIndex == int(o.dir) && back >= d.segment(p)+unit(p) && !o.overtook(p):
		x := made(&d.shut)
		if !o.taken {
			x.before, o.taken = o.edge, true
		}
		x.Shrinks.Packets++
		x.Shrinks.Most = max(x.Shrinks.Most, back)
		o.edge, o.have, o.tsval = edge, p.Seg.Have, p.Seg.TSVal
	}
	if d.shut != nil {
		d.afterShut(p)
	}
}

// holds reports whether data out of order takes at least half of what is missing from the window: the
// receiver holds it, and the application cannot read it yet. No DATA_ACK covers such data: at the sender what a subflow
// acknowledged, at the receiver what arrived.
func (d *DataDir) holds(missing int64) bool {
	if d.atSender {
		return 2*d.space.SubflowAckedBytes >= missing
	}
	return 2*d.space.OutstandingBytes >= missing
}

// noEdge is the right edge before any window: so low that each window lies to the right of it.
const noEdge = math.MinInt64 / 2

// afterShut takes a packet of a receiver that has closed its window before.
func (d *DataDir) afterShut(p *conn.Packet) {
	x := d.shut
	if p.Seg.Window > 0 {
		x.Zero.follow(false, refTo(p))
	}
	if d.offer.taken {
		x.Shrinks.follow(d.Left() < d.segment(p), refTo(p))
		d.offer.taken = d.offer.edge < x.before
	}
}

// unit returns the unit of the window of a packet, bytes (RFC 7323, Section 2.2).
func unit(p *conn.Packet) int64 {
	shift, _ := p.Sub.WindowShift(p.From)
	return 1 << shift
}

// overtook reports whether the packet that offered the edge may have been sent after p: then p, or
// a copy of it, is late.
func (o *offer) overtook(p *conn.Packet) bool {
	return o.have&p.Seg.Have&packet.HasTimestamps != 0 && int32(p.Seg.TSVal-o.tsval) <= 0
}

// segment returns the size of a segment of the data that a packet acknowledges.
func (d *DataDir) segment(p *conn.Packet) int64 { return p.Sub.Senders[d.from&1].SegmentBytes() }

// Left returns the room in a window of which a part was taken back, bytes; very much if none was.
func (d *DataDir) Left() int64 {
	if d == nil || !d.offer.taken {
		return math.MaxInt64
	}
	return int64(d.offer.edge - d.space.SndNxt())
}

// beyond takes new payload after a window was taken back. If it goes beyond that window, the sender does not
// keep to it: Linux takes the largest right edge at the data level. A window probe, and in a
// capture away from the sender data that was on its way, say nothing.
func (d *DataDir) beyond(p *conn.Packet) {
	if d.Left() >= 0 || p.Seg.PayloadLen <= 1 || !p.TCP.Sent.HasNew() {
		return
	}
	since := &d.shut.Shrinks.since
	if d.atSender || since.Seen() && p.Seg.Time-since.Time > subflow.MinRTO {
		d.offer.taken, *since = false, PacketRef{}
	}
}

// ZeroWindow takes a packet of the receiver that advertises a window of 0.
func (d *DataDir) ZeroWindow(p *conn.Packet) {
	if p.Seg.Flags&(packet.SYN|packet.RST) != 0 || !follows(p) {
		return
	}
	x := made(&d.shut)
	x.zero = refTo(p)
	x.ZeroWindows++
	x.FirstZeroWindow.First(refTo(p))
	if !x.Zero.since.Seen() {
		x.Zero.since, x.probes = x.zero, d.probes()
	}
}

// probes returns how many keep-alives and window probes the sender has sent.
func (d *DataDir) probes() (n int64) {
	for _, s := range d.c.followed {
		n += s.Sub.Senders[d.from].KeepAlives
	}
	return n
}

// closeOffer completes the times without room that nothing ended. Probes and their answers show
// that data waits up to the latest answer, although no payload follows.
func (d *DataDir) closeOffer() {
	x, since := d.Shut(), d.full.since
	if !x.Zero.since.Seen() || x.zero == x.Zero.since || d.probes() == x.probes {
		return
	}
	x.Zero.follow(false, x.zero)
	x.Shrinks.follow(false, x.zero)
	if since.Seen() && since.Time < d.Data.To.Time { // NoRoom has the part before
		since = d.Data.To
	}
	if since.Seen() && x.zero.Time > since.Time {
		d.NoRoom.add(PacketRange{since, x.zero})
	}
}

// largestSegment is more than the size of any segment, bytes.
const largestSegment = 1 << 16

// room measures the time in which the receive window has no room for a segment of the
// subflow of a packet. The window nearly always has room, as before.
func (d *DataDir) room(p *conn.Packet, free int64) {
	if free < largestSegment && free < d.segment(p) || d.full.since.Seen() || d.shut != nil {
		d.updateFull(p, free)
	}
}

// updateFull does what room does, for any window. It is not inlined, so that room can be.
//
//go:noinline
func (d *DataDir) updateFull(p *conn.Packet, free int64) {
	// After a fallback no DATA_ACK shows the window any more.
	full := min(free, d.Left()) < d.segment(p) && d.c.conn.Fallback == ""
	if d.full.follow(full, refTo(p)) {
		d.reopened = true
		d.idleSince.Restart(refTo(p)) // until now there was no room for data
	}
}
