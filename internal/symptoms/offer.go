package symptoms

import (
	"math"

	"mpanalyze/internal/conn"
	"mpanalyze/internal/packet"
	"mpanalyze/internal/seq"
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
	field uint16         // SEG.WND of the latest packet with a window above 0 (RFC 9293)
	whole int64          // that window after window scaling (RFC 7323), bytes

	size, largest int64 // the window of the latest packet, and the largest one, bytes
	at            int64 // time of the latest packet, ns

	shut *Shut // made when the window is 0 or taken back for the first time
}

// Shut keeps how a receiver closed its window.
type Shut struct {
	// ZeroWindows are the packets that advertise a window of 0.
	ZeroWindows     int64
	FirstZeroWindow PacketRef
	Zero            Periods // times with a window of 0

	Shrinks Shrinks

	before    seq.DSN   // right edge before it was taken back; valid with taken
	taken     bool      // the latest edge lies to the left of an earlier one
	since     PacketRef // since when there is no room because the window was taken back; none while there is
	zeroSince PacketRef // since when the window is 0; none while it is not
	zero      PacketRef // the latest packet with a window of 0
	probes    int64     // keep-alives and window probes of the sender before zeroSince
}

// noShut is of a receiver that never closed its window.
var noShut Shut

// Shut returns how the receiver closed its window. The caller must not change it.
func (d *DataDir) Shut() *Shut {
	if d.offer.shut == nil {
		return &noShut
	}
	return d.offer.shut
}

// closing returns the same to change it.
func (d *DataDir) closing() *Shut {
	if d.offer.shut == nil {
		d.offer.shut = new(Shut)
	}
	return d.offer.shut
}

// offered takes the window of a packet with a DATA_ACK, size bytes; below 0 where it is not
// known. A packet that lies behind a higher DATA_ACK was overtaken, and says nothing. Packets of
// different subflows overtake each other. So only the subflow that offered a window can show
// that it was taken back.
func (d *DataDir) offered(p *conn.Packet, size int64) {
	o := &d.offer
	if una, _ := d.space.SndUna(); size < 0 || p.DataAck < una {
		return
	}
	if d.noRoomSince.Seen() {
		d.unread(p.Seg.Time)
	}
	o.at, o.size, o.largest = p.Seg.Time, size, max(o.largest, size)
	if p.Seg.Window > 0 {
		o.field, o.whole = p.Seg.Window, size
	}
	edge := p.DataAck + seq.DSN(size)
	switch back := int64(o.edge - edge); {
	case back <= 0:
		o.edge, o.dir = edge, int16(p.DirIndex)
		o.have, o.tsval = p.Seg.Have, p.Seg.TSVal
	case p.DirIndex == int(o.dir) && back >= d.segment(p)+o.unit() && !o.overtook(p):
		d.takenBack(back)
		o.edge, o.have, o.tsval = edge, p.Seg.Have, p.Seg.TSVal
	}
	if o.shut != nil {
		d.afterShut(p)
	}
}

// noEdge is the right edge before any window: so low that each window lies to the right of it.
const noEdge = math.MinInt64 / 2

// afterShut takes a packet of a receiver that has closed its window before.
func (d *DataDir) afterShut(p *conn.Packet) {
	x := d.offer.shut
	if p.Seg.Window > 0 && x.zeroSince.Seen() {
		x.Zero.add(PacketRange{x.zeroSince, refTo(p)})
		x.zeroSince = PacketRef{}
	}
	if x.taken {
		d.takenRoom(p)
	}
}

// unit returns the unit of the window, bytes: 1 << the window scale.
func (o *offer) unit() int64 { return o.whole / max(1, int64(o.field)) }

// isTakenBack reports whether a part of the window was taken back.
func (o *offer) isTakenBack() bool { return o.shut != nil && o.shut.taken }

// overtook reports whether the packet that offered the edge may have been sent after p: then p, or
// a copy of it, is late.
func (o *offer) overtook(p *conn.Packet) bool {
	return o.have&p.Seg.Have&packet.HasTimestamps != 0 && int32(p.Seg.TSVal-o.tsval) <= 0
}

// unread counts the time without room up to now, if the window itself was small: less than half of
// the largest one.
func (d *DataDir) unread(now int64) {
	if o := &d.offer; 2*o.size < o.largest {
		d.Unread += max(0, now-max(o.at, d.noRoomSince.Time))
	}
}

// takenBack takes a packet that moves the right edge so many bytes to the left.
func (d *DataDir) takenBack(n int64) {
	x := d.closing()
	x.Shrinks.Packets++
	x.Shrinks.Most = max(x.Shrinks.Most, n)
	if !x.taken {
		x.before, x.taken = d.offer.edge, true
	}
}

// segment returns the size of a segment of the data that a packet acknowledges.
func (d *DataDir) segment(p *conn.Packet) int64 { return p.Sub.Senders[d.from&1].SegmentBytes() }

// takenRoom begins or ends a time without room in a window that was taken back.
func (d *DataDir) takenRoom(p *conn.Packet) {
	x := d.offer.shut
	switch full := d.Left() < d.segment(p); {
	case full && !x.since.Seen():
		x.since = refTo(p)
	case !full && x.since.Seen():
		x.Shrinks.add(PacketRange{x.since, refTo(p)})
		x.since = PacketRef{}
	}
	x.taken = d.offer.edge < x.before
}

// Left returns the room in a window of which a part was taken back, bytes; very much if none was.
func (d *DataDir) Left() int64 {
	if d == nil || !d.offer.isTakenBack() {
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
	x := d.offer.shut
	if d.atSender || x.since.Seen() && p.Seg.Time-x.since.Time > leastRTO {
		x.taken, x.since = false, PacketRef{}
	}
}

// ZeroWindow takes a packet of the receiver that advertises a window of 0.
func (d *DataDir) ZeroWindow(p *conn.Packet) {
	if p.Seg.Flags&(packet.SYN|packet.RST) != 0 || !follows(p) {
		return
	}
	x := d.closing()
	x.zero = refTo(p)
	if x.ZeroWindows++; x.ZeroWindows == 1 {
		x.FirstZeroWindow = x.zero
	}
	if !x.zeroSince.Seen() {
		x.zeroSince, x.probes = x.zero, d.probes()
	}
}

// probes returns how many keep-alives and window probes the sender has sent.
func (d *DataDir) probes() (n int64) {
	for _, s := range d.c.followed {
		n += s.Sub.Senders[d.from].KeepAlives
	}
	return n
}

// shutGap takes a packet that shows a gap of the capture.
func (d *DataDir) shutGap(at PacketRef) {
	x := d.offer.shut
	if x == nil {
		return
	}
	if x.since.Seen() {
		x.since = at
	}
	if x.zeroSince.Seen() {
		x.zeroSince = at
	}
}

// closeOffer completes the times without room that nothing ended. Probes and their answers show
// that data waits up to the latest answer, although no payload follows.
func (d *DataDir) closeOffer() {
	x := d.offer.shut
	if x == nil || !x.zeroSince.Seen() || x.zero == x.zeroSince || d.probes() == x.probes {
		return
	}
	x.Zero.add(PacketRange{x.zeroSince, x.zero})
	if x.since.Seen() {
		x.Shrinks.add(PacketRange{x.since, x.zero})
	}
	if d.noRoomSince.Seen() && x.zero.Time > d.noRoomSince.Time {
		d.NoRoom.add(PacketRange{d.noRoomSince, x.zero})
		d.noRoomSince = x.zero
	}
}
