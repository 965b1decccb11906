package symptoms

import (
	"testing"

	"gotest.tools/v3/assert"

	"mpanalyze/internal/conn"
	"mpanalyze/internal/dss"
	"mpanalyze/internal/packet"
	"mpanalyze/internal/seq"
	"mpanalyze/internal/subflow"
)

// window is a packet of the receiver.
type window struct {
	num     uint64
	dataAck seq.DSN
	field   uint16 // before scaling
	size    int64  // bytes; below 0 where it is not known
	dir     int
}

// packet returns it as a packet on subflow 0. Its time is its number.
func (w window) packet(d *DataDir) *conn.Packet {
	return &conn.Packet{
		Seg:        &packet.Segment{Num: w.num, Time: int64(w.num), Window: w.field},
		SubflowDir: &conn.SubflowDir{Sub: d.c.followed[0].Sub, Conn: d.c.conn, DirIndex: w.dir, From: conn.B},
		DataAck:    w.dataAck,
	}
}

// scaled returns a direction whose receiver scales its windows by 128. The sender has sent 1000 bytes.
func scaled() *DataDir {
	d := followed(1).Follow(conn.A)
	d.space.SetIDSN(1)
	b := d.c.followed[0].Sub.Dir(conn.B)
	b.Packet(&packet.Segment{Time: 1, Flags: packet.SYN | packet.ACK, Seq: 999, Ack: 1000, Window: 500, WScale: 7, Have: packet.HasWScale}, false, new(subflow.Packet))
	give(d.c.followed[0], conn.A, 0, 0, 0, 1000)
	return d
}

func (w window) offer(d *DataDir) { d.offered(w.packet(d), w.size) }

// TestTakenBack: a window is taken back if a later packet of the same subflow moves its right edge
// to the left by a segment and a unit of the window or more. Here they are 1460
// bytes, which is assumed without an MSS option, and 128.
func TestTakenBack(t *testing.T) {
	for _, c := range []struct {
		what    string
		packets []window // after one with DATA_ACK 1 and a window of 100 * 128 bytes
		want    Shrinks
	}{
		{"one byte less than that", []window{{2, 78, 87, 87 * 128, 1}}, Shrinks{}},
		{"a segment and a unit", []window{{2, 77, 87, 87 * 128, 1}}, Shrinks{Packets: 1, Most: 1588}},
		{"on another subflow", []window{{2, 1, 50, 6400, 3}}, Shrinks{}},
		{"what the other subflow offered last", []window{{2, 1, 200, 25_600, 3}, {3, 1, 100, 12_800, 3}}, Shrinks{Packets: 1, Most: 12_800}},
		{"of a window that is not known", []window{{2, 1, 50, -1, 1}, {3, 1, 100, 12_800, 1}}, Shrinks{}},
		{"the edge moved on with the data", []window{{2, 6401, 50, 6400, 1}}, Shrinks{}},
		{"two times", []window{{2, 1, 60, 7680, 1}, {3, 1, 40, 5120, 1}, {4, 1, 100, 12_800, 1}}, Shrinks{Packets: 2, Most: 5120}},
		{"by a packet that a higher DATA_ACK overtook", []window{{2, 501, 100, 12_800, 1}, {3, 500, 50, 6400, 1}}, Shrinks{}},
	} {
		d := scaled()
		for _, w := range append([]window{{1, 1, 100, 12_800, 1}}, c.packets...) {
			if una, known := d.space.SndUna(); !known || w.dataAck > una {
				d.space.DataAck(w.dataAck, int64(w.num), new(dss.Result))
			}
			w.offer(d)
		}
		if got := d.Shut().Shrinks; got != c.want {
			t.Errorf("%s: %+v, want %+v", c.what, got, c.want)
		}
	}
}

// TestShrinksWithoutRoom: a window that was taken back has no room for a segment of 1460 bytes from
// packet 2 to 5 and from 9 to 12. The other packets take back less than a segment and a unit, or
// nothing.
func TestShrinksWithoutRoom(t *testing.T) {
	d := scaled()
	for _, w := range []window{{1, 1, 100, 12_800, 1}, {2, 1, 8, 1024, 1}, {5, 1, 20, 2560, 1}, {7, 1, 8, 1024, 1}, {9, 1, 4, 512, 1}, {12, 1, 101, 12_928, 1}, {13, 1, 101, 12_928, 1}} {
		w.offer(d)
		if taken := d.offer.taken; taken != (w.num > 1 && w.num < 12) {
			t.Errorf("packet %d: taken back %v", w.num, taken)
		}
	}
	if want := (Shrinks{periods(6, 2, 2, 5), 2, 12_800 - 1024}); d.Shut().Shrinks != want {
		t.Errorf("%+v, want %+v", d.Shut().Shrinks, want)
	}
}

// TestUnread: the time without room counts while the window is less than half of the largest one,
// from the packet that offers it, or that finds no room, on.
func TestUnread(t *testing.T) {
	for _, c := range []struct {
		size, offeredAt, noRoomAt int64
		held, want                int64 // data out of order that a subflow acknowledged, at the sender
	}{
		{500, 100, 110, 0, 0},  // half
		{499, 100, 110, 0, 90}, // 200 - 110
		{499, 120, 110, 0, 80}, // 200 - 120
		{0, 100, 210, 0, 0},
		{499, 100, 110, 250, 90},
		{499, 100, 110, 251, 0}, // it explains half of what is missing from the window, 501 of 1000
	} {
		d := followed(1).Follow(conn.A)
		d.offer.largest, d.offer.size, d.offer.at, d.full.since = 1000, c.size, c.offeredAt, at(c.noRoomAt)
		d.atSender, d.space.SubflowAckedBytes = c.held > 0, c.held
		if (window{200, 1, 60, 600, 1}).offer(d); d.Unread != c.want {
			t.Errorf("%+v: %d", c, d.Unread)
		}
	}
	// The packet that ends a small window counts the time before it, and its own window counts after it.
	d := followed(1).Follow(conn.A)
	window{10, 1, 100, 1000, 1}.offer(d)
	window{20, 1, 10, 100, 1}.offer(d)
	d.full.since = at(30)
	window{75, 1, 60, 600, 1}.offer(d)
	window{90, 1, 60, 600, 1}.offer(d)
	assert.Check(t, d.Unread == 75-30, "%d without room in a small window, want 45", d.Unread)
}

// TestZeroWindow: a window of 0 lasts from its first packet to the first one with another window.
// Where nothing ends it, it lasts to the latest answer of the receiver to a probe.
func TestZeroWindow(t *testing.T) {
	type step struct {
		num    uint64
		window uint16
		flags  packet.Flags
		probes int64 // of the sender before
	}
	for _, c := range []struct {
		what  string
		steps []step
		count int64
		first int64
		zero  Periods
	}{
		{"twice", []step{{1, 5, 0, 0}, {10, 0, 0, 0}, {20, 0, 0, 0}, {35, 5, 0, 0}, {40, 5, 0, 0}, {50, 0, 0, 0}, {60, 7, 0, 1}}, 3, 10, periods(35, 2, 10, 35)},
		{"of a SYN and a RST", []step{{10, 0, packet.SYN, 0}, {20, 0, packet.RST, 0}, {30, 1, 0, 0}}, 0, 0, Periods{}},
		{"to the end, with probes", []step{{10, 0, 0, 1}, {20, 0, 0, 2}, {35, 0, 0, 3}}, 3, 10, periods(25, 1, 10, 35)},
		{"to the end without probes", []step{{10, 0, 0, 3}, {20, 0, 0, 3}}, 2, 10, Periods{}},
		{"once at the end", []step{{10, 0, 0, 0}, {10, 0, 0, 1}}, 2, 10, Periods{}},
	} {
		d := followed(1).Follow(conn.A)
		for _, x := range c.steps {
			d.c.followed[0].Sub.Senders[conn.A].KeepAlives = x.probes
			p := window{x.num, 1, x.window, int64(x.window), 1}.packet(d)
			if p.Seg.Flags = x.flags; x.flags == 0 {
				d.offered(p, int64(x.window))
			}
			if x.window == 0 {
				d.ZeroWindow(p)
			}
		}
		d.closeOffer()
		got := made(&d.shut)
		got.Zero.since = PacketRef{} // of a time that nothing ended
		if got.ZeroWindows != c.count || got.FirstZeroWindow.Time != c.first || got.Zero != c.zero {
			t.Errorf("%s: %d packets from %v on, %+v, want %d, %d, %+v", c.what, got.ZeroWindows, got.FirstZeroWindow, got.Zero, c.count, c.first, c.zero)
		}
	}
}

// TestWaitAtTheEnd: where probes show that data waits at the end, the times without room last to the
// latest answer, too.
func TestWaitAtTheEnd(t *testing.T) {
	for _, c := range []struct {
		since, noRoom, want int64 // ns; 0 = not
	}{{12, 0, 0}, {0, 15, 20}, {12, 15, 20}, {0, 40, 0}} {
		d := followed(1).Follow(conn.A)
		x := made(&d.shut)
		x.Zero.since, x.zero, x.probes = at(10), at(35), -1
		x.Shrinks.since, d.full.since = at(c.since), at(c.noRoom)
		d.closeOffer()
		if x.Shrinks.Total != min(c.since, 1)*(35-c.since) || d.NoRoom.Total != c.want || x.Zero.Total != 25 {
			t.Errorf("%+v: %+v and %+v without room", c, x.Shrinks.Periods, d.NoRoom)
		}
	}
}

// TestBeyond: new data beyond a window that was taken back shows that the sender does not keep to
// it: at once at the sender, and away from it 200 ms after there was no room.
func TestBeyond(t *testing.T) {
	const now = 5e9
	for _, c := range []struct {
		what     string
		atSender bool
		edge     seq.DSN // of the window; the data ends at 1
		payload  uint32
		parts    []subflow.Part
		since    int64
		keeps    bool
	}{
		{"at the sender", true, 0, 2, nil, 0, false},
		{"within the window", true, 1, 2, nil, 0, true},
		{"a probe", true, 0, 1, nil, 0, true},
		{"a copy", true, 0, 2, []subflow.Part{{Kind: subflow.New + 1}}, 0, true},
		{"at the receiver 200 ms later", false, 0, 2, nil, now - 200e6, true},
		{"at the receiver after that", false, 0, 2, nil, now - 200e6 - 1, false},
		{"at the receiver with room", false, 0, 2, nil, 0, true},
	} {
		d := followed(1).Follow(conn.A)
		d.space.SetIDSN(1)
		since := &made(&d.shut).Shrinks.since
		d.offer.taken, d.offer.edge, d.atSender, *since = true, c.edge, c.atSender, at(c.since)
		p := &conn.Packet{Seg: &packet.Segment{Num: 9, Time: now, PayloadLen: c.payload}}
		p.TCP.Sent.Range, p.TCP.Sent.Parts = seq.Range[seq.SSN]{Start: 1, End: 3}, c.parts
		if d.beyond(p); d.offer.taken != c.keeps || !c.keeps && since.Seen() {
			t.Errorf("%s: keeps to it %v, since %v", c.what, d.offer.taken, since)
		}
	}
}
