package symptoms

import (
	"testing"
	"time"

	"gotest.tools/v3/assert"

	"mpanalyze/internal/conn"
	"mpanalyze/internal/tracegen"
)

// resetPath sends 1000 bytes each 10 ms from 1000 to 4000 ms, up to 1990 ms on the two paths in
// turn, then on path 1. At 2105 ms A resets path 0. If it has work to do, data that it carries at
// 2000, 2020 and 2040 ms is lost.
func resetPath(work bool) *tracegen.Session {
	s, paths := twoPaths(tracegen.Config{Version: 1}, tracegen.Path{})
	for k := range int64(300) {
		at := time.Duration(1000+10*k) * msec
		switch {
		case work && (k == 100 || k == 102 || k == 104):
			paths[0].Data(tracegen.A2B, at, 1000*k, 1000).Lose()
		case k < 100 && k%2 == 0:
			acked(paths[0], at, 1000*k)
		default:
			acked(paths[1], at, 1000*k)
		}
	}
	paths[0].RST(tracegen.A2B, 2105*msec)
	return s
}

// TestResetPath: what both ends show of a path that is reset. Its last answer is at A at 2003 ms, of
// the data of 1980 ms, and the first one of path 1 after that at 2013 ms. Its last data is at B at
// 1990 ms, and the first one of path 1 after that at 2000 ms. Delivery waits for the data of 2000 ms
// from 2033 ms on at A and from 2020 ms on at B, up to the end.
func TestResetPath(t *testing.T) {
	const end = 3990 + 10 + 3 // ms; the last packet is the acknowledgment of the data of 3990 ms
	for _, c := range []struct {
		view tracegen.View
		work bool
		want Handover // with times in ms as numbers of packets
	}{
		{tracegen.HostA, true, Handover{Gap: PacketRange{PacketRef{Packet: 2003}, PacketRef{Packet: 2013}}, Reset: PacketRef{Packet: 2105}, Unanswered: 2, Blocked: (end + 10 - 2033) * 1e6, Before: 100e3, After: 100e3, Rated: true}},
		{tracegen.HostA, false, Handover{Gap: PacketRange{PacketRef{Packet: 2003}, PacketRef{Packet: 2013}}, Reset: PacketRef{Packet: 2105}, Idle: true, Before: 100e3, After: 100e3, Rated: true}},
		{tracegen.HostB, true, Handover{Gap: PacketRange{PacketRef{Packet: 1990}, PacketRef{Packet: 2000}}, Reset: PacketRef{Packet: 2115}, Blocked: (end - 2020) * 1e6}},
	} {
		o := play(t, resetPath(c.work), c.view)
		d, want := o.Dir(conn.A), c.want
		for _, ref := range []*PacketRef{&want.Gap.From, &want.Gap.To, &want.Reset} {
			*ref = o.at(time.Duration(ref.Packet) * msec)
		}
		assert.Assert(t, len(d.Handovers) == 1, "%+v", d.Handovers)
		got := d.Handovers[0]
		want.To, got.failback, got.Share = 1, failback{}, 0
		assert.Check(t, got == want, "view %d, work %v:\n%+v, want\n%+v", c.view, c.work, got, want)
		if !c.work {
			assert.Check(t, len(o.events) == 0, "an idle path ends, with events %+v", o.events)
			continue
		}
		const detail = "no progress after this on subflow 0; subflow 1 continues after 10.000 ms"
		if len(o.events) != 1 || o.events[0].Detail != detail || o.events[0].Time != want.Gap.From.Time || o.events[0].Packet != want.Gap.From.Packet || o.events[0].Sub.ID != 0 || o.events[0].From != conn.A {
			t.Errorf("view %d: events %+v", c.view, o.events)
		}
	}
}

// TestUncaptured: the capture lacks the data of 1200 ms. At B the data of 1210 ms leaves a hole, which
// the DATA_ACK of 1240 ms closes: it is not known for which subflow delivery waited.
func TestUncaptured(t *testing.T) {
	for _, view := range []tracegen.View{tracegen.HostA, tracegen.HostB} {
		s, paths := twoPaths(tracegen.Config{Version: 1}, tracegen.Path{})
		acked(paths[0], 1000*msec, 0)
		acked(paths[1], 1100*msec, 1000)
		paths[0].Data(tracegen.A2B, 1200*msec, 2000, 2*500)
		paths[1].Data(tracegen.A2B, 1210*msec, 3000, 1000)
		paths[1].Ack(tracegen.B2A, 1240*msec)
		acked(paths[1], 1300*msec, 4000)
		missed, end := 0, s.Packets(view)
		for i, p := range end {
			if p.WirePayload() > 0 && missed < 3 {
				if missed++; missed == 3 {
					missed = 1000 + i
				}
			}
		}
		o := play(t, s, view, missed-1000+1)
		d := o.Dir(conn.A)
		first := map[tracegen.View]time.Duration{tracegen.HostA: 1250, tracegen.HostB: 1240}[view]
		if d.FirstUncaptured != o.at(first*msec) || !d.FirstUncaptured.Seen() {
			t.Errorf("view %d: %v, want %v", view, d.FirstUncaptured, o.at(first*msec))
		}
		for i, x := range o.subs {
			if b := x.Path(conn.A).Blocked; b.Count != 0 {
				t.Errorf("view %d: path %d blocked %+v", view, i, b)
			}
		}
	}
}

// TestUnwanted: of a connection that is not wanted only what belongs to a subflow is kept.
func TestUnwanted(t *testing.T) {
	var c Connection
	c.Init(&conn.Conn{Kind: conn.Multipath}, false)
	c.AddSubflow(&Subflow{})
	if len(c.followed) != 0 || c.Follow(conn.A) != nil || c.Dir(conn.A) != &noDir {
		t.Errorf("%+v", c)
	}
}

// TestMemoryIsUsedAgain: what a connection and a subflow kept is gone with the next one, and its memory is used again.
func TestMemoryIsUsedAgain(t *testing.T) {
	c := followed(1)
	d, s := c.Follow(conn.B), c.followed[0]
	p := d.Follow(s)
	p.tries, d.Cells, s.Reset.From, c.Removals = 7, 8, conn.B, make([]Removal, 1)
	sub := &conn.Subflow{ID: 5}
	s.Renew(sub)
	if s.Sub != sub || s.Reset != (Reset{}) || s.Path(conn.B).sub != nil {
		t.Errorf("%+v", *s)
	}
	c.Init(c.conn, true)
	c.AddSubflow(s)
	again := c.Follow(conn.B)
	if again != d || again.Cells != 0 || len(c.Removals) > 0 || len(c.followed) != 1 {
		t.Errorf("%+v", *again)
	}
	if x := again.Follow(s); x != p || x.tries != 0 || x.sub != s || x.dir != again {
		t.Errorf("%+v", *x)
	}
}
