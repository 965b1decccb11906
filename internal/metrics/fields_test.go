package metrics

import (
	"reflect"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp/cmpopts"
	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	"mpanalyze/internal/account"
	"mpanalyze/internal/conn"
	"mpanalyze/internal/report"
	"mpanalyze/internal/subflow"
	"mpanalyze/internal/symptoms"
	"mpanalyze/internal/tracegen"
)

// numbered gives each counter of a sender a number of its own, from first on in the order of the
// fields.
func numbered(m *Connection, side conn.Side, first int64) {
	c := &m.Subs[0].Sub.Senders[side].Counters
	v := reflect.ValueOf(c).Elem()
	for i := range v.NumField() {
		v.Field(i).SetInt(first + int64(i))
	}
	c.OptionsCut = 0
}

// TestCountsByField: each counter of the tracker is in its own field of the report.
func TestCountsByField(t *testing.T) {
	s, f := onePath(tracegen.Config{Version: 1})
	acked(f, 100*msec, 0, 1000)
	m := measure(t, s, tracegen.HostA, Config{}).Connection
	numbered(m, conn.A, 1000)
	numbered(m, conn.B, 2000)
	a, b := &m.Subs[0].Sub.Senders[conn.A].Counters, &m.Subs[0].Sub.Senders[conn.B].Counters
	b.DSACKBlocks = 5
	sub, _ := reported(m, conn.A)
	got := map[string]any{}
	want := map[string]any{
		"segments": a.Segments, "captured_segments": a.CapturedSegments, "retransmitted_segments": a.RexmitSegments, "pure_acks": a.PureACKs,
		"out_of_order_segments": a.OutOfOrder, "resets": a.Resets, "fins": a.FINs, "zero_window_events": a.ZeroWindows, "keep_alives": a.KeepAlives,
		"stray_packets": a.Strays, "dup_acks": a.DupACKs, "sack_blocks": a.SACKBlocks - 5, "dsack_blocks": int64(5),
	}
	for name := range want {
		got[name], _ = sub[name].(float64)
		want[name] = float64(want[name].(int64))
	}
	assert.Check(t, is.DeepEqual(got, want))
	near(t, "idle_max_ms", sub["idle_max_ms"].(float64), float64(a.MaxIdle)/1e6)
}

// TestTimeAccountOfReport: each state has its own field, and its part of the sum, 1 + 2 + ... ms.
func TestTimeAccountOfReport(t *testing.T) {
	var times account.Times
	sum := 0.0
	for i := range times {
		times[i] = int64(i+1) * 1e6
		sum += float64(i + 1)
	}
	v := &view{Fields: fields(), role: Between}
	assert.Check(t, v.timeAccount(&times).SeenAt == report.SeenBetween, "a view between the hosts")
	v.role = Receiver
	x := v.timeAccount(&times)
	out := object(x)
	for name, s := range map[string]account.State{
		"down": account.Down, "recovery": account.Recovery, "rwnd": account.Rwnd, "window": account.Window, "slow_start": account.SlowStart, "path": account.Path,
		"congestion_window": account.CongestionWindow, "scheduler": account.Scheduler, "application": account.Application, "idle": account.Idle, "undetermined": account.Undetermined,
	} {
		of := out[name].(map[string]any)
		near(t, name, of["ms"].(float64), float64(s)+1)
		near(t, name+" percent", of["percent"].(float64), 100*(float64(s)+1)/sum)
	}
	near(t, "duration", x.DurationMS, sum)
	assert.Check(t, x.SeenAt == report.SeenAtReceiver && x.Evidence == report.Inferred, "%v: %v", x.SeenAt, x.Evidence)
}

// TestRoomWhileWaitingOfReport: of 20 ms, 5 are a quarter. Only a subflow has the figure, at the sender.
func TestRoomWhileWaitingOfReport(t *testing.T) {
	s, f := onePath(tracegen.Config{Version: 1})
	acked(f, 100*msec, 0, 1000)
	acked(f, 200*msec, 1000, 1000)
	for _, view := range []tracegen.View{tracegen.HostA, tracegen.HostB} {
		m := measure(t, s, view, Config{}).Connection
		of := m.Dir(conn.A).account().subs.at(0)
		of.Times, of.Room = account.Times{account.Scheduler: 20e6}, 5e6
		sub, dir := reported(m, conn.A)
		room := sub["time_account"].(map[string]any)["room_while_waiting"]
		if view == tracegen.HostB {
			assert.Check(t, room == nil && sub["unavailable"].(map[string]any)["time_account.room_while_waiting"] == "only a capture at the sender shows it")
			continue
		}
		assert.Check(t, is.DeepEqual(room, map[string]any{"ms": 5.0, "percent": 25.0}))
		assert.Check(t, dir["time_account"].(map[string]any)["room_while_waiting"] == nil && dir["unavailable"].(map[string]any)["time_account.room_while_waiting"] != nil)
	}
}

// TestHandoversByField: times count from the start of the connection. A subflow that ended idle is
// no handover.
func TestHandoversByField(t *testing.T) {
	s, f := onePath(tracegen.Config{Version: 1})
	acked(f, 100*msec, 0, 1000)
	m := measure(t, s, tracegen.HostA, Config{}).Connection
	ref := func(ms int64) symptoms.PacketRef { return symptoms.PacketRef{Packet: 1, Time: m.Conn.Start + ms*1e6} }
	m.Symptoms.Follow(conn.A).Handovers = []symptoms.Handover{
		{From: 1, To: 2, Idle: true},
		{
			From: 3, To: 5, Gap: symptoms.PacketRange{From: ref(1000), To: ref(1250)}, Reset: ref(1300), Back: ref(7000),
			Failback: 300e6, FailedBack: true, Blocked: 125e6,
		},
		{From: 6, To: 7, Gap: symptoms.PacketRange{From: ref(2000), To: ref(2500)}},
	}
	d := ofConnection(m, conn.A)
	want := report.List[report.Handover]{
		{From: 3, To: 5, TS: 1, GapMS: 250, BlockedMS: 125, Reset: true, RecoveredS: new(7.0), FailbackMS: new(300.0)},
		{From: 6, To: 7, TS: 2, GapMS: 500},
	}
	assert.Check(t, is.DeepEqual(d.Handovers, &want))
	for _, name := range []string{"handovers[].recovered_s", "handovers[].failback_ms"} {
		if why, _ := d.Unavailable.Of(name); why != stayedDead {
			t.Errorf("%s: %q", name, why)
		}
	}
}

// TestLossesByField: counts of losses, by the place of the capture.
func TestLossesByField(t *testing.T) {
	for _, v := range []tracegen.View{tracegen.HostA, tracegen.HostB} {
		s, f := onePath(tracegen.Config{Version: 1})
		acked(f, 100*msec, 0, 1000)
		f.Data(tracegen.A2B, 200*msec, 1000, 1000)
		f.Data(tracegen.A2B, 201*msec, 2000, 1000)
		m := measure(t, s, v, Config{}).Connection
		numbered(m, conn.A, 1000)
		h := &m.Subs[0].Sub.Senders[conn.A]
		h.LastData = h.FirstData + 2e9
		l := &h.Loss
		l.ByCause = [len(l.ByCause)]int64{subflow.FastRetransmit: 11, subflow.Timeout: 12, subflow.TailLossProbe: 13, subflow.UnknownCause: 14}
		l.Spurious, l.Missed, l.DSACKed, l.NetDuplicate = 15, 16, 17, 18
		got := named(m)[0].A2B
		before := h.HoleFills - 16
		count := h.RexmitSegments - 17 + before
		sent := h.Segments + before
		kinds, doubles := &report.Retransmissions{Fast: 11, Timeout: 12, TailProbe: 13, Unknown: 14, Spurious: 15 + 16}, new(int64(18))
		want := &report.Drops{Count: count, BeforeCapture: &before, Unresolved: 2, Evidence: report.Inferred}
		if v == tracegen.HostB {
			count, sent, kinds, doubles = h.HoleFills, h.Segments+h.HoleFills, nil, nil
			want = &report.Drops{Count: count, Evidence: report.Holes}
		}
		want.Percent, want.PerS = new(100*float64(count)/float64(sent)), new(float64(count)/2)
		assert.Check(t, is.DeepEqual(got.Drops, want, cmpopts.EquateApprox(1e-12, 0)), "view %d, drops", v)
		assert.Check(t, is.DeepEqual(got.RetransmissionKinds, kinds), "view %d, kinds", v)
		assert.Check(t, is.DeepEqual([]*int64{got.NetworkDuplicates, got.HoleFills}, []*int64{doubles, new(h.HoleFills)}), "view %d, duplicates and hole fills", v)
		near(t, "retransmission ratio", *got.RetransmissionRatio, 100*float64(h.RexmitSegments)/float64(h.Segments))
	}
}

// TestReinjectionsByField: the slow path of 100 ms reinjects data of the fast one of 20 ms:
//
//	1000 bytes of 2000 ms, acknowledged at 2020, at 2005 ms: it comes at 2055, the original at 2010 ms
//	700 bytes of 2100 ms, lost, at 2200 ms: it comes at 2250 ms, and the copy of 2400 ms at 2410 ms
//	300 bytes of 2500 ms, lost, at 2600 ms: nothing else of them is acknowledged
//
// So the fast path carries 1000 + 1000 + 700 + 300 bytes first and 700 again, the slow one 900 first.
func TestReinjectionsByField(t *testing.T) {
	s, fast, slow := twoPaths(tracegen.Config{Version: 1})
	acked(fast, 1000*msec, 0, 1000)
	acked(fast, 2000*msec, 1000, 1000)
	acked(slow, 2005*msec, 1000, 1000)
	lost := fast.Data(tracegen.A2B, 2100*msec, 2000, 700).Lose()
	acked(slow, 2200*msec, 2000, 700)
	fast.Ack(tracegen.B2A, lost.Again(2400*msec).ArrivesAt())
	fast.Data(tracegen.A2B, 2500*msec, 2700, 300).Lose()
	acked(slow, 2600*msec, 2700, 300)
	acked(slow, 2700*msec, 3000, 900)
	m := measure(t, s, tracegen.HostA, Config{}).Connection
	all := named(m)
	all[0].Path, all[1].Path = "fast", "slow"
	var d report.ConnDir
	m.ReportConnection(conn.A, all, fields(), &d)
	near(t, "share of the path slow", *d.Paths[1].Percent, 100*900/3900.)
	near(t, "share of the fast path", *all[0].A2B.Share, 100*3000/3900.)
	near(t, "share of the slow path", *all[1].A2B.Share, 100*900/3900.)
	near(t, "aggregation_benefit", *d.AggregationBenefit, 3900/3000.)
	near(t, "overhead", *d.Overhead, 100*(700+1000+700+300)/3900.)
	assert.Check(t, is.DeepEqual(d.ReinjectionWorth, &report.ReinjectionWorth{FirstBytes: 700, WastedBytes: 1000, UndecidedBytes: 300, Evidence: report.Inferred}), "worth")
	for i, want := range [][3]int64{{0, 0, 700}, {2000, 3, 0}} {
		x := all[i].A2B
		if got := [3]int64{*x.ReinjectedBytes, *x.ReinjectedSegments, x.RetransmittedBytes}; got != want || *x.ReinjectedSameSubflowBytes != 0 {
			t.Errorf("subflow %d: reinjected bytes and segments, retransmitted bytes: %v, want %v", i, got, want)
		}
	}
}

// TestMetersByField: what the meters of order and of QoE24 counted is in its own field of the report.
func TestMetersByField(t *testing.T) {
	s, f := onePath(tracegen.Config{Version: 1})
	for i := range 4 {
		acked(f, time.Duration(100+20*i)*msec, int64(1000*i), 1000)
	}
	m := measure(t, s, tracegen.HostA, Config{QoE: QoE{Alpha: 1, Beta: 5, Gamma: 0.1}}).Connection
	o := m.Dir(conn.A).Order()
	o.Reordered, o.Firsts, o.MostOvertaken, o.Discontinuous, o.Peak, o.Overtaken = 3, 40, 7, 2, 8000, []int64{5, 1}
	o.Offset.Add(1)
	c := &m.Subs[0].Dir(conn.A).Cwnd().Decisions
	c.Decrease, c.Increase, c.Hold = 6, 8, 9
	c.Next.Add(4)
	d := ofConnection(m, conn.A)
	x := d.OutOfOrder
	if x.Chunks != 3 || x.Ratio != 3/40. || x.MaxNReordering != 7 || d.DSNOffset.Peak != 8000 || d.DSNOffset.Discontinuous != 100*2/float64(o.Offset.N()) {
		t.Errorf("%+v, %+v", x, d.DSNOffset)
	}
	assert.Check(t, is.DeepEqual(x.NReordering, report.List[float64]{100 * 6 / 40., 100 * 1 / 40.}), "n-reordering")
	q := named(m)[0].A2B.CwndDecisions
	if q.Decrease != 6 || q.Increase != 8 || q.Hold != 9 || q.Alpha != 1 || q.Beta != 5 || q.Gamma != 0.1 || q.NextMSS == nil {
		t.Errorf("%+v", q)
	}
}
