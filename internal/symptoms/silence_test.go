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

// give passes a packet of n bytes on a subflow to what TCP knows of it. Positions count from the
// first byte of either end.
func give(s *Subflow, from conn.Side, flags packet.Flags, start, upTo seq.Wire, n uint32) {
	dir, out := s.Sub.Dir(from), subflow.Packet{}
	dir.Packet(&packet.Segment{Time: 1, Flags: flags | packet.ACK, Seq: 1000 + start, Ack: 1000 + upTo, Window: 500, PayloadLen: n}, false, &out)
}

// deliver makes the receiver of the data acknowledge all of it, and its DATA_FIN.
func deliver(t *testing.T, d *DataDir) {
	t.Helper()
	d.space.SetIDSN(100)
	d.space.DataFIN(1)
	var out dss.Result
	d.space.DataAck(2, 1, &out)
	assert.Assert(t, d.space.Delivered(), "the data is not delivered")
}

// TestReset: a RST ends a path that has work to do. A path is idle if nothing waits for it.
func TestReset(t *testing.T) {
	const now = 5e9
	for _, c := range []struct {
		what  string
		setUp func(t *testing.T, d *DataDir, p *Path)
		died  bool
		idle  bool
	}{
		{"at the sender with data outstanding", func(_ *testing.T, d *DataDir, p *Path) {
			d.atSender = true
			give(p.sub, conn.A, 0, 0, 0, 100)
		}, true, false},
		{"at the sender with all acknowledged", func(_ *testing.T, d *DataDir, p *Path) {
			d.atSender, p.waiting = true, true
			give(p.sub, conn.A, 0, 0, 0, 100)
			give(p.sub, conn.B, 0, 0, 100, 0)
		}, true, true},
		{"at the receiver 200 ms after the latest arrival", func(_ *testing.T, _ *DataDir, p *Path) { p.Progress = at(now - 200e6) }, true, false},
		{"at the receiver more than 200 ms after it", func(_ *testing.T, _ *DataDir, p *Path) { p.Progress = at(now - 200e6 - 1) }, true, true},
		{"at the receiver, where data is missing", func(_ *testing.T, _ *DataDir, p *Path) { p.waiting, p.Progress = true, at(now-1e9) }, true, false},
		{"at the receiver, where nothing arrived", func(*testing.T, *DataDir, *Path) {}, true, false},
		{"after a RST", func(_ *testing.T, _ *DataDir, p *Path) { p.resetAt = at(now - 7) }, false, false},
		{"after a FIN of A", func(_ *testing.T, _ *DataDir, p *Path) { give(p.sub, conn.A, packet.FIN, 0, 0, 0) }, false, false},
		{"after a FIN of B", func(_ *testing.T, _ *DataDir, p *Path) { give(p.sub, conn.B, packet.FIN, 0, 0, 0) }, false, false},
		{"after MP_FASTCLOSE", func(_ *testing.T, d *DataDir, _ *Path) { d.c.conn.Fastclosed = true }, false, false},
		{"after all data", func(t *testing.T, d *DataDir, _ *Path) { deliver(t, d) }, false, false},
	} {
		d := followed(1).Follow(conn.A)
		p := d.Follow(d.c.followed[0])
		c.setUp(t, d, p)
		since, before := p.since, p.resetAt
		p.reset(&conn.Packet{Seg: &packet.Segment{Num: 17, Time: now}, SubflowDir: &conn.SubflowDir{Conn: d.c.conn}})
		if died := p.resetAt != before; died != c.died || p.idle != c.idle {
			t.Errorf("%s: reset %v, idle %v", c.what, died, p.idle)
		}
		if c.died && (p.resetAt != (PacketRef{Packet: 17, Time: now}) || !p.waiting || since == p.since) {
			t.Errorf("%s: reset at %v, silent since %v", c.what, p.resetAt, p.since)
		}
	}
}

// TestExcused: a path that is silent because all is done is not dead.
func TestExcused(t *testing.T) {
	fin := func(p *Path, acked, outstanding, ofB bool) {
		if ofB {
			give(p.sub, conn.B, packet.FIN, 0, 0, 100)
			give(p.sub, conn.A, 0, 0, 101, 0)
			return
		}
		if give(p.sub, conn.A, packet.FIN, 0, 0, 100); acked {
			give(p.sub, conn.B, 0, 0, 101, 0)
		}
		if outstanding {
			give(p.sub, conn.A, 0, 101, 0, 100)
		}
	}
	const since = 5e9
	for _, c := range []struct {
		what          string
		acked, more   bool  // the FIN is acknowledged; data is outstanding
		end           int64 // when the DATA_FIN passed; 0 = not
		delivered     bool
		reset, excuse bool
		ofB, aborted  bool // the FIN is that of B; MP_FASTCLOSE passed
	}{
		{what: "a FIN of B that is acknowledged", ofB: true, excuse: true},
		{what: "a FIN that is acknowledged", acked: true, excuse: true},
		{what: "a FIN that is not acknowledged"},
		{what: "data outstanding behind a FIN", acked: true, more: true},
		{what: "a RST after a FIN", acked: true, reset: true},
		{what: "a RST and MP_FASTCLOSE", reset: true, aborted: true, excuse: true},
		{what: "a DATA_FIN before the silence, all delivered", end: since, delivered: true, excuse: true},
		{what: "a DATA_FIN in the silence", end: since + 1, delivered: true},
		{what: "a DATA_FIN, not all delivered", end: since},
		{what: "no DATA_FIN", delivered: true},
	} {
		d := followed(1).Follow(conn.A)
		p := d.Follow(d.c.followed[0])
		d.atSender, p.since, d.c.conn.DataFIN[conn.A], d.c.conn.Fastclosed = true, at(since), c.end, c.aborted
		fin(p, c.acked, c.more, c.ofB)
		if c.delivered {
			deliver(t, d)
		}
		if c.reset {
			p.resetAt = at(since)
		}
		if got := p.isExcused(); got != c.excuse {
			t.Errorf("%s: excused %v", c.what, got)
		}
	}
}

// TestUnanswered: a path that dies at the sender has the larger of what it sent without an
// answer and what it has outstanding, in segments. Away from the sender that is not known.
func TestUnanswered(t *testing.T) {
	for _, c := range []struct {
		atSender      bool
		tries, flight int64
		want          int64
	}{{true, 3, 2, 3}, {true, 3, 5, 5}, {false, 3, 5, 0}} {
		d := followed(2).Follow(conn.A)
		p := d.Follow(d.c.followed[1])
		d.atSender, p.tries, p.otherID, p.since, p.Progress = c.atSender, c.tries, 0, at(5), at(4)
		for i := range c.flight {
			give(p.sub, conn.A, 0, seq.Wire(1460*i), 0, 1460)
		}
		p.die()
		if h := d.Handovers[0]; h.Unanswered != c.want || h.From != 1 || h.To != 0 {
			t.Errorf("%+v: %+v", c, h)
		}
	}
}

// TestBackupUsed: data on a backup shows that the path of the latest progress is dead, if that
// path has been silent for more than 200 ms.
func TestBackupUsed(t *testing.T) {
	const now = 5e9
	for _, c := range []struct {
		what     string
		progress [3]int64 // of the paths, before now, ns; 0 = none. Path 2 is the backup.
		change   func(p [3]*Path)
		dead     int // the path that waits then; -1 = none
	}{
		{"200 ms", [3]int64{200e6, 0, 0}, nil, -1},
		{"more than 200 ms", [3]int64{200e6 + 1, 0, 0}, nil, 0},
		{"the latest of two", [3]int64{400e6, 300e6, 500e6}, nil, 1},
		{"the backup carries data for some time", [3]int64{400e6, 0, 100e6}, nil, 0},
		{"the other is a backup, too", [3]int64{300e6, 0, 0}, func(p [3]*Path) { p[0].sub.Sub.Backup = true }, -1},
		{"a backup that was made regular", [3]int64{300e6, 0, 0}, func(p [3]*Path) { p[0].sub.Sub.Backup, p[0].sub.Prio = true, conn.No }, 0},
		{"the other has sent a FIN", [3]int64{300e6, 0, 0}, func(p [3]*Path) { give(p[0].sub, conn.A, packet.FIN, 0, 0, 0) }, -1},
	} {
		d := followed(3).Follow(conn.A)
		var p [3]*Path
		for i := range p {
			p[i] = d.Follow(d.c.followed[i])
			p[i].Blocked.Total = 7
			if c.progress[i] > 0 {
				p[i].Progress = at(now - c.progress[i])
			}
		}
		p[2].sub.Prio = conn.Yes
		if c.change != nil {
			c.change(p)
		}
		p[2].backupUsed(at(now))
		for i := range p {
			if dead := i == c.dead; p[i].waiting != dead || dead && p[i].blockedBefore != 7 {
				t.Errorf("%s: path %d waits %v, %d ns before", c.what, i, p[i].waiting, p[i].blockedBefore)
			}
		}
	}
}

// TestLostData: a path that lost data is silent from the hole on, or from a later progress.
func TestLostData(t *testing.T) {
	for _, c := range []struct {
		what    string
		since   int64 // before; 0 = none
		waiting bool
		want    int64
	}{
		{"nothing came before", 0, false, 50},
		{"progress before the hole", 40, false, 50},
		{"progress after the hole", 60, false, 60},
		{"data is outstanding already", 40, true, 40},
	} {
		d := followed(2).Follow(conn.A)
		lost, copied := d.Follow(d.c.followed[0]), d.Follow(d.c.followed[1])
		d.blockedSince, lost.since, lost.waiting, lost.Blocked.Total = at(50), at(c.since), c.waiting, 7
		lost.lostData(at(70), copied)
		if lost.since != at(c.want) || !lost.waiting || (lost.other == at(70) && lost.otherID == 1) != (c.want == 50) || (lost.blockedBefore == 7) == c.waiting {
			t.Errorf("%s: %+v", c.what, lost)
		}
	}
}
