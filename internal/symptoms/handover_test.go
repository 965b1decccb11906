package symptoms

import (
	"testing"
	"time"

	"gotest.tools/v3/assert"

	"mpanalyze/internal/conn"
	"mpanalyze/internal/tracegen"
)

// deadPath sends 1000 bytes each 10 ms from 1000 ms on, for 7 s. Of ten packets path 0 carries
// the first six. From 3000 ms on it answers nothing: its packet of that time is lost, copies of
// it at 3300, 3700 and 4501 ms are, and one at 5001 ms is answered. Path 1 carries the rest, and
// a reinjection of the lost packet at 4205 ms. Path 0 has its six of ten again from 6000 ms on.
func deadPath() *tracegen.Session {
	s, paths := twoPaths(tracegen.Config{Version: 1}, tracegen.Path{})
	for k := range int64(700) {
		at, path := time.Duration(1000+10*k)*msec, 1
		if k%10 < 6 && (k < 200 || k >= 500) {
			path = 0
		}
		if k == 200 {
			lost := paths[0].Data(tracegen.A2B, at, 1000*k, 1000).Lose()
			for _, again := range []time.Duration{3300, 3700, 4501} {
				lost.Again(again * msec).Lose()
			}
			paths[0].Ack(tracegen.B2A, lost.Again(5001*msec).ArrivesAt()+3*msec)
			continue
		}
		acked(paths[path], at, 1000*k)
		if at == 4200*msec { // the positions on a path are in the order of the script
			acked(paths[1], 4205*msec, 200*1000)
		}
	}
	return s
}

// TestHandover: what both ends show of a path that dies and comes back.
func TestHandover(t *testing.T) {
	const packets = 1000 // bytes
	for _, c := range []struct {
		view                      tracegen.View
		from, to, back, lastLost  time.Duration
		since                     Since
		unanswered, before, after int64
		blocked, failback         time.Duration
	}{
		// At A the ACKs of path 1 come 23 ms after the data of 2960, 2970, 2980 ms, ...; so the
		// one at 3003 ms is the first after 3000 ms. Delivery waits for the lost packet from 3033 ms
		// on, when the data of 3010 ms is acknowledged. Four packets are lost, and the last one before
		// the answer, at 5024 ms, is that of 4501 ms. The second from 3100 ms on has two copies beside
		// the packets of all ten cells. A second with 9 of 10 cells from 6000 ms on has 54 of 100
		// packets, which is 9/10 of path 0's share before; it begins at 5900 ms.
		{
			view: tracegen.HostA, from: 3000, to: 3003, since: SinceSent, back: 5024, lastLost: 4501, unanswered: 4,
			before: 100 * packets, after: 102 * packets, blocked: 4228 - 3033, failback: 5900 - 5024,
		},
		// At B the data of 3010 ms shows the hole at 3020 ms, and the reinjection comes at 4215 ms.
		// The cells begin at 1010 ms.
		{
			view: tracegen.HostB, from: 3020, to: 4215, since: SinceHole, back: 5011,
			before: 100 * packets, after: 100 * packets, blocked: 4215 - 3020, failback: 5910 - 5011,
		},
	} {
		o := play(t, deadPath(), c.view)
		d := o.Dir(conn.A)
		assert.Assert(t, len(d.Handovers) == 1, "view %d: %+v", c.view, d.Handovers)
		want := Handover{
			From: 0, To: 1, Gap: PacketRange{o.at(c.from * msec), o.at(c.to * msec)}, Since: c.since, Back: o.at(c.back * msec),
			Unanswered: c.unanswered, LastLost: o.at(c.lastLost * msec), Failback: int64(c.failback * msec), FailedBack: true,
			Blocked: int64(c.blocked * msec), Before: c.before, After: c.after, Rated: true,
		}
		got := d.Handovers[0]
		if share := got.Share; share != 0.6 {
			t.Errorf("view %d: the share of path 0 was %g, want 0.6", c.view, share)
		}
		if got.blockedBefore, got.Share, got.failback = 0, 0, (failback{}); got != want {
			t.Errorf("view %d:\n%+v, want\n%+v", c.view, got, want)
		}
	}
}

// TestDeadPath: a path is dead when each of the conditions holds, and each limit is passed.
func TestDeadPath(t *testing.T) {
	const since = 5e9
	for _, c := range []struct {
		what            string
		silence, others int64 // from the latest progress to now, and to the latest progress of the other path, ns
		change          func(d *DataDir, p *Path)
		dead            bool
	}{
		{"more than a second", 1e9 + 1, 250e6 + 1, nil, true},
		{"a second", 1e9, 250e6 + 1, nil, false},
		{"the other path made progress in the first quarter of it only", 1e9 + 1, 250e6, nil, false},
		{"more than three round trips of 400 ms", 1200e6 + 1, 300e6 + 1, func(_ *DataDir, p *Path) { p.SRTT = 400e6 }, true},
		{"three round trips of 400 ms", 1200e6, 300e6 + 1, func(_ *DataDir, p *Path) { p.SRTT = 400e6 }, false},
		{"progress of the other path in the first quarter of three round trips", 1200e6 + 1, 300e6, func(_ *DataDir, p *Path) { p.SRTT = 400e6 }, false},
		{"a RST", 1, 1, func(_ *DataDir, p *Path) { p.resetAt = at(since) }, true},
		{"a RST, and no progress of the other path since", 1, 0, func(_ *DataDir, p *Path) { p.resetAt = at(since) }, false},
		{"nothing waits", 1e9 + 1, 250e6 + 1, func(_ *DataDir, p *Path) { p.waiting = false }, false},
		{"no other path made progress", 1e9 + 1, 250e6 + 1, func(_ *DataDir, p *Path) { p.other = PacketRef{} }, false},
		{"it is dead already", 1e9 + 1, 250e6 + 1, func(_ *DataDir, p *Path) { p.handover = 1 }, false},
		{"63 handovers are kept", 1e9 + 1, 250e6 + 1, func(d *DataDir, _ *Path) { d.Handovers = make([]Handover, 63) }, true},
		{"64 handovers are kept", 1e9 + 1, 250e6 + 1, func(d *DataDir, _ *Path) { d.Handovers = make([]Handover, 64) }, false},
		{"a backup at the receiver", 1e9 + 1, 250e6 + 1, func(_ *DataDir, p *Path) { p.sub.Prio = conn.Yes }, false},
		{"a backup at the sender", 1e9 + 1, 250e6 + 1, func(d *DataDir, p *Path) { d.atSender, p.sub.Prio = true, conn.Yes }, true},
		{"a backup carries data for more than 200 ms", 200e6 + 1, 50e6 + 1, func(d *DataDir, _ *Path) { d.c.followed[1].Prio = conn.Yes }, true},
		{"beside 400 ms of round trip", 600e6 + 1, 150e6 + 1, func(d *DataDir, p *Path) { d.c.followed[1].Prio, p.SRTT = conn.Yes, 400e6 }, true},
		{"and not longer", 600e6, 150e6 + 1, func(d *DataDir, p *Path) { d.c.followed[1].Prio, p.SRTT = conn.Yes, 400e6 }, false},
		{"a backup carries data for 200 ms", 200e6, 50e6 + 1, func(d *DataDir, _ *Path) { d.c.followed[1].Prio = conn.Yes }, false},
		{"the path is a backup, too", 1e9, 250e6 + 1, func(d *DataDir, p *Path) { d.atSender, d.c.followed[1].Prio, p.sub.Prio = true, conn.Yes, conn.Yes }, false},
		{"a backup at the receiver that was reset", 1, 1, func(_ *DataDir, p *Path) { p.resetAt, p.sub.Prio = at(since), conn.Yes }, true},
		{"a DATA_FIN before that, with data outstanding", 1e9 + 1, 250e6 + 1, func(d *DataDir, _ *Path) { d.c.conn.DataFIN[conn.A] = since }, true},
	} {
		d := followed(2).Follow(conn.A)
		p, other := d.Follow(d.c.followed[0]), d.Follow(d.c.followed[1])
		p.waiting, p.since, p.other, p.otherID = true, at(since), at(since+1), 1
		other.Progress = at(since + c.others)
		if c.change != nil {
			c.change(d, p)
		}
		n := len(d.Handovers)
		d.findDead(since + c.silence)
		if dead := len(d.Handovers) > n; dead != c.dead {
			t.Errorf("%s: dead %v", c.what, dead)
		}
	}
}
