package symptoms

import (
	"testing"
	"time"

	"gotest.tools/v3/assert"

	"mpanalyze/internal/conn"
	"mpanalyze/internal/dss"
	"mpanalyze/internal/packet"
	"mpanalyze/internal/seq"
	"mpanalyze/internal/tracegen"
)

// TestWaits: over path 0, A sends 1000 bytes at 1000 ms, which are acknowledged at 1023 ms, at
// 1100 ms, which are lost and sent again at 1300 ms, and at 2000 ms, which are never answered. The
// last packet is the one of B at 2100 ms.
func TestWaits(t *testing.T) {
	s, paths := twoPaths(tracegen.Config{Version: 1}, tracegen.Path{})
	acked(paths[0], 1000*msec, 0)
	lost := paths[0].Data(tracegen.A2B, 1100*msec, 1000, 1000).Lose()
	paths[0].Ack(tracegen.B2A, lost.Again(1300*msec).ArrivesAt()+3*msec)
	paths[0].Data(tracegen.A2B, 2000*msec, 2000, 1000).Lose()
	paths[1].Ack(tracegen.B2A, 2090*msec)
	o := play(t, s, tracegen.HostA)
	d := o.Dir(conn.A)
	if want := (PacketRange{o.at(1000 * msec), o.at(2000 * msec)}); d.Data != want {
		t.Errorf("data %v, want %v", d.Data, want)
	}
	// Data waits from 1100 to 1323 ms, longest. Between 1023 and 1100, and 1323 and 2000 ms nothing waits.
	if want := (PacketRange{o.at(1100 * msec), o.at(1323 * msec)}); d.Stall != want || d.AppLimited != int64((77+677)*msec) {
		t.Errorf("stall %v, want %v; no data for %d", d.Stall, want, d.AppLimited)
	}
	end := o.at(2100 * msec).Time
	if want := (Waits{Application: int64(754 * msec), DataAck: int64(100 * msec), AtSender: true}); d.WaitsUntil(end) != want {
		t.Errorf("at the end %+v, want %+v", d.WaitsUntil(end), want)
	}
	if d.Cells != 4 || d.NoRoom.Count != 0 { // those of 1000, 1100, 1300 and 2000 ms
		t.Errorf("%d cells, %+v", d.Cells, d.NoRoom)
	}
	// Path 1 is established at 140 ms. Of the four cells it carries nothing, and the lost data of 1100 and 2000 ms is on path 0.
	if p := o.subs[1].Path(conn.A); p.OpenCells != 4 || p.IdleCells != 4 || p.LongestIdle != 4 || p.IdleRun != 4 || p.BusyCells != 0 || p.OpenUntil != o.at(2000*msec).Time+cellLength {
		t.Errorf("path 1: %+v", *p)
	}
	if got := play(t, s, tracegen.HostB).Dir(conn.A).WaitsUntil(end); got != (Waits{}) {
		t.Errorf("at the receiver %+v", got)
	}
	if got := o.Dir(conn.B).WaitsUntil(end); got != (Waits{}) {
		t.Errorf("of the host that sends nothing %+v", got)
	}
}

// TestStallAtTheEnd: data that waits until the end has stalled since the latest DATA_ACK.
func TestStallAtTheEnd(t *testing.T) {
	for _, c := range []struct {
		atSender    bool
		outstanding int64
		idle        bool
		want        int64
	}{{true, 1, false, 60}, {false, 1, false, 5}, {true, 0, false, 5}, {true, 1, true, 5}} {
		d := followed(1).Follow(conn.A)
		d.data(at(10))
		d.data(at(50))
		d.Stall, d.advanceAt, d.atSender, d.space.OutstandingBytes = PacketRange{at(20), at(25)}, at(40), c.atSender, c.outstanding
		if c.idle {
			d.idleSince = at(45)
		}
		d.Close(100)
		assert.Check(t, d.Stall.Duration() == c.want, "%+v: %v", c, d.Stall)
	}
}

// TestAdvance: a DATA_ACK ends a stall if data was outstanding before it. If none is after it, the
// application has nothing to send.
func TestAdvance(t *testing.T) {
	for _, c := range []struct {
		idle        int64 // since then no data waits; 0 = it does
		outstanding int64 // bytes after the DATA_ACK
		stall, want int64
	}{{0, 1, 20, 0}, {0, 0, 20, 30}, {15, 0, 0, 15}} {
		d := followed(1).Follow(conn.A)
		d.advanceAt, d.idleSince, d.space.OutstandingBytes = at(10), at(c.idle), c.outstanding
		d.advance(at(30))
		assert.Check(t, d.Stall.Duration() == c.stall && d.idleSince.Time == c.want && d.advanceAt == at(30), "%+v: %v, idle since %v", c, d.Stall, d.idleSince)
		p := d.Follow(d.c.followed[0])
		d.full.since, d.space.OutstandingBytes = PacketRef{}, 1
		d.idleSince = at(35)
		if p.sent(at(40)); d.AppLimited != 5 || d.idleSince.Seen() || d.advanceAt != at(40) {
			t.Errorf("data waits: %d without data, idle since %v", d.AppLimited, d.idleSince)
		}
		d.idleSince, d.full.since = at(45), at(44)
		if p.sent(at(50)); d.AppLimited != 5 {
			t.Errorf("without room: %d without data", d.AppLimited)
		}
	}
}

// TestOpenCells: a cell counts for a subflow whose handshake was over when the cell began, and that
// has not ended. It is idle if it has neither payload nor data outstanding at the sender.
func TestOpenCells(t *testing.T) {
	const start = 5e9
	for _, c := range []struct {
		what       string
		change     func(p *Path)
		open, idle int64
	}{
		{"begun before the capture", func(*Path) {}, 1, 1},
		{"third ACK when the cell began", func(p *Path) { p.sub.Sub.SYN, p.sub.Sub.ThirdACK = 1, start }, 1, 1},
		{"third ACK in the cell", func(p *Path) { p.sub.Sub.SYN, p.sub.Sub.ThirdACK = 1, start+1 }, 0, 0},
		{"no third ACK", func(p *Path) { p.sub.Sub.SYN = 1 }, 0, 0},
		{"ended", func(p *Path) { p.sub.Sub.State++; p.sub.Sub.State++ }, 0, 0},
		{"payload", func(p *Path) { p.cellBytes = 1 }, 1, 0},
		{"data outstanding at the sender", func(p *Path) { p.dir.atSender = true; give(p.sub, conn.A, 0, 0, 0, 10) }, 1, 0},
		{"data outstanding at the receiver", func(p *Path) { give(p.sub, conn.A, 0, 0, 0, 10) }, 1, 1},
	} {
		d := followed(1).Follow(conn.A)
		p := d.Follow(d.c.followed[0])
		c.change(p)
		d.cellEnd = start + cellLength
		if p.endCell(2); p.OpenCells != c.open || p.IdleCells != c.idle || p.IdleRun != c.idle || c.open > 0 && p.OpenUntil != start+cellLength || p.cellBytes != 0 {
			t.Errorf("%s: %+v", c.what, *p)
		}
	}
}

// TestFollows: the paths of the first 64 subflows of a Multipath TCP connection are compared.
func TestFollows(t *testing.T) {
	c := followed(65)
	assert.Check(t, len(c.followed) == 64, "%d subflows, want 64", len(c.followed))
	for _, x := range []struct {
		dir         int
		kind        conn.Kind
		fast, stray bool
		want        bool
	}{
		{dir: 127, kind: conn.Multipath, want: true},
		{dir: 128, kind: conn.Multipath},
		{dir: 128, kind: conn.Multipath, fast: true},
		{dir: 0, kind: conn.Multipath + 1},
		{dir: 0, kind: conn.Multipath, stray: true},
		{dir: 0, kind: conn.Multipath, stray: true, fast: true, want: true}, // a stray never takes the fast path
	} {
		p := &conn.Packet{Seg: &packet.Segment{}, SubflowDir: &conn.SubflowDir{Conn: &conn.Conn{Kind: x.kind}, DirIndex: x.dir}, FastPath: x.fast}
		p.TCP.Sent.Stray = x.stray
		assert.Check(t, follows(p) == x.want, "%+v: %v", x, !x.want)
	}
}

// TestGap: after a gap of the capture all waits begin anew.
func TestGap(t *testing.T) {
	d := followed(2).Follow(conn.A)
	p, unused := d.Follow(d.c.followed[0]), d.Follow(d.c.followed[1])
	x := made(&d.shut)
	d.idleSince, d.full.since, d.blockedSince, d.latest = at(1), at(2), at(3), p
	p.since, p.other, p.Blocked, x.Shrinks.since, x.Zero.since = at(4), at(5), Periods{Total: 7, since: at(8)}, at(6), at(7)
	d.gap(at(20))
	for what, ref := range map[string]PacketRef{
		"idle": d.idleSince, "no room": d.full.since, "blocked": d.blockedSince, "blocked at the sender": p.Blocked.since, "silent": p.since, "taken back": x.Shrinks.since, "zero": x.Zero.since,
	} {
		assert.Check(t, ref == at(20), "%s since %v", what, ref)
	}
	if d.latest != nil || p.other.Seen() || p.blockedBefore != 7 || unused.since.Seen() || d.advanceAt.Seen() {
		t.Errorf("%+v, %+v", d, p)
	}
	d.idleSince, d.full.since, d.blockedSince, x.Shrinks.since, x.Zero.since = PacketRef{}, PacketRef{}, PacketRef{}, PacketRef{}, PacketRef{}
	if d.gap(at(30)); d.advanceAt != at(30) || d.idleSince.Seen() || d.full.since.Seen() || d.blockedSince.Seen() || x.Shrinks.since.Seen() || x.Zero.since.Seen() {
		t.Errorf("waits that were not open: %+v", d)
	}
}

// TestBlockedUntil: an open wait counts for the subflow that it waits for.
func TestBlockedUntil(t *testing.T) {
	for since, want := range map[int64]int64{0: 5, 10: 25} {
		d := followed(1).Follow(conn.A)
		p := d.Follow(d.c.followed[0])
		d.atSender, p.Blocked.Total, p.Blocked.since = true, 5, at(since)
		if got := p.BlockedUntil(30); got != want {
			t.Errorf("open since %d: %d, want %d", since, got, want)
		}
	}
	if got := (&Subflow{}).Path(conn.A).BlockedUntil(30); got != 0 {
		t.Errorf("of nothing %d", got)
	}
}

// TestLoser: at B, which subflow in-order delivery waited for. The data of 1100 ms is lost on one
// path and comes on another at 1300 ms.
func TestLoser(t *testing.T) {
	for _, c := range []struct {
		what        string
		lost, again int // path that loses the data, and path of the copy
		later       int // path of the data after it
		want        [2]time.Duration
	}{
		{"sent again on the same path", 0, 0, 1, [2]time.Duration{200 - 10, 0}},
		{"reinjected: path 0 has not passed it", 0, 1, 1, [2]time.Duration{200 - 10, 0}},
		{"reinjected: path 0 lacks bytes", 0, 1, 0, [2]time.Duration{200 - 10, 0}},
		{"path 1 lacks bytes", 1, 0, 1, [2]time.Duration{0, 200 - 10}},
	} {
		s, paths := twoPaths(tracegen.Config{Version: 1}, tracegen.Path{})
		acked(paths[0], 1000*msec, 0)
		acked(paths[1], 1050*msec, 1000)
		lost := paths[c.lost].Data(tracegen.A2B, 1100*msec, 2000, 1000).Lose()
		acked(paths[c.later], 1110*msec, 3000)
		acked(paths[1-c.later], 1120*msec, 4000)
		if c.lost == c.again {
			lost.Again(1300 * msec)
		} else {
			acked(paths[c.again], 1300*msec, 2000)
		}
		o := play(t, s, tracegen.HostB)
		for i, want := range c.want {
			if got := o.subs[i].Path(conn.A).Blocked.Total; got != int64(want*msec) {
				t.Errorf("%s: path %d blocked %d ns, want %d ms", c.what, i, got, want)
			}
		}
	}
}

// TestIsCopy: lower data at a higher position of a subflow is a copy of what another subflow carried.
// So far the subflow has come to data 1000 and position 500.
func TestIsCopy(t *testing.T) {
	for _, c := range []struct {
		what   string
		piece  dss.Piece
		copied bool
		topDSN seq.DSN
		topSSN seq.SSN
	}{
		{"lower data", dss.Piece{Data: seq.Range[seq.DSN]{Start: 999, End: 1099}, SSN: 500, Kind: dss.First}, true, 1099, 600},
		{"the next data", dss.Piece{Data: seq.Range[seq.DSN]{Start: 1000, End: 1100}, SSN: 500, Kind: dss.First}, false, 1100, 600},
		{"lower data that was seen before", dss.Piece{Data: seq.Range[seq.DSN]{Start: 800, End: 900}, SSN: 500, Kind: dss.First + 1}, false, 1000, 600},
		{"a position that was seen before", dss.Piece{Data: seq.Range[seq.DSN]{Start: 800, End: 900}, SSN: 400, Kind: dss.First}, false, 1000, 500},
	} {
		p := &Path{topDSN: 1000, topSSN: 500}
		if copied := p.isCopy(&conn.Packet{Result: dss.Result{Pieces: []dss.Piece{c.piece}}}); copied != c.copied || p.topDSN != c.topDSN || p.topSSN != c.topSSN {
			t.Errorf("%s: copied %v, up to %d and %d", c.what, copied, p.topDSN, p.topSSN)
		}
	}
}
