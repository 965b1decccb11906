package diagnose_test

import (
	"context"
	"net/netip"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	"mpanalyze/internal/engine"
	"mpanalyze/internal/mptcp"
	"mpanalyze/internal/pair/clock"
	"mpanalyze/internal/report"
	"mpanalyze/internal/tracegen"
)

// full fills a window of 4096 bytes 30 times. The window opens again after 0.4 of the time
// between two fillings. Before the first ACK the window is not known, and after the last data
// nothing waits for it. So it is full 28 times, in a time of 29 fillings: 28 * 0.4 / 29 = 38.6 %.
func full(t *testing.T, apart time.Duration) *report.Document {
	s := tracegen.NewSession(tracegen.Config{Version: 1, AckEvery: 1})
	p := path(0, apart/5)
	p.Window = 4096
	first := s.Subflow(p)
	first.Open(0)
	for i := range 30 {
		for k := range 4 {
			first.Data(tracegen.A2B, 100*ms+time.Duration(i)*apart, int64(i)*4096+int64(k)*1024, 1024)
		}
	}
	return see(t, s, tracegen.HostA)
}

// TestWindow: the window is full for 28 * 20 ms of 29 * 50 ms, or for 28 * 0.4 ms of 29 * 1 ms.
// 28 * 0.32 ms are less than 10 ms, which is too short for a verdict.
func TestWindow(t *testing.T) {
	for _, apart := range []time.Duration{50 * ms, ms} {
		v := find(t, full(t, apart), report.VerdictWindowClosed)
		wantNumber(t, v, "time with less than a segment of the window left", 100*28*0.4/29)
		wantNumber(t, v, "times", 28)
	}
	without(t, "8.96 ms", full(t, 800*time.Microsecond), report.VerdictWindowClosed)
}

// TestWindowBehindTheData: 4 segments fill the window every 10 ms, for 2 ms. The last ones fill
// it for 500 ms, in which no data waits. The window is not known before the first ACK, so it is
// full for 28 * 2 ms of 29 * 10 ms.
func TestWindowBehindTheData(t *testing.T) {
	s := tracegen.NewSession(tracegen.Config{Version: 1})
	p := path(0, ms)
	p.Window = 4096
	first := s.Subflow(p)
	first.Open(0)
	for i := range 30 {
		at := 100*ms + time.Duration(i)*10*ms
		for k := range 4 {
			first.Data(tracegen.A2B, at, int64(4*i+k)*1024, 1024)
		}
		if i == 29 {
			first.Ack(tracegen.B2A, at+ms).Edit(func(p *tracegen.Packet) { p.Window = 0 })
			at += 499 * ms
		}
		first.Ack(tracegen.B2A, at+ms)
	}
	v := find(t, see(t, s, tracegen.HostA), report.VerdictWindowClosed)
	wantNumber(t, v, "time with less than a segment of the window left", 100*28*2/290.)
}

// TestHandover loses subflow 0 from 1 s on. Its last progress at A is the ACK
// at 990 + 20 ms of what left at 990 ms, at B the arrival at 1000 ms; the
// backup brings the data again from 1300 ms on, which shows at A at 1320 and
// at B at 1310 ms: gaps of 310 ms.
func TestHandover(t *testing.T) {
	for _, view := range []tracegen.View{tracegen.HostA, tracegen.HostB} {
		s, first := begin()
		p := path(1, 10*ms)
		p.Backup = true
		second := s.Subflow(p)
		second.Open(50 * ms)
		steady(first, 100*ms, 0, 90)
		for i := range 3 {
			first.Data(tracegen.A2B, time.Duration(1000+10*i)*ms, int64(90+i)*1000, 1000).Lose()
		}
		steady(second, 1300*ms, 90_000, 200)
		second.Ack(tracegen.B2A, 5000*ms)
		d := see(t, s, view)
		v := find(t, d, report.VerdictPathDied)
		wantNumber(t, v, "gap", 310)
		at := map[tracegen.View]float64{tracegen.HostA: 1.010, tracegen.HostB: 0.990}[view] // at B the connection starts 10 ms later
		got := *d.Connections[0].A2B.Handovers
		if len(got) != 1 || got[0].From != 0 || got[0].To != 1 || got[0].Reset || got[0].RecoveredS != nil {
			t.Fatalf("view %d: handovers %+v, want one from 0 to 1", view, got)
		}
		if !near(got[0].GapMS, 310) || !near(got[0].TS, at) {
			t.Errorf("view %d: gap of %v ms at %v s, want 310 ms at %v s", view, got[0].GapMS, got[0].TS, at)
		}
		for _, e := range d.Connections[0].Events {
			assert.Check(t, e.Kind != report.EventHandover || near(e.TS, at) && *e.Subflow == 0, "view %d: event %+v, want it at %v s on subflow 0", view, e, at)
		}
	}
}

// TestHandoverBegins: the data of subflow 1 that leaves at 1000 ms is lost. Subflow 0 carries the data after it,
// and a copy of it at 1300 ms. Subflow 1 never made progress, or it was idle from 510 ms on. So its
// silence does not begin with its last progress: at A it begins with the data that was lost; at B, whose
// time 0 is 10 ms later, with the first data after it, on subflow 0.
func TestHandoverBegins(t *testing.T) {
	for view, want := range map[tracegen.View]struct {
		what    string
		at      float64
		subflow *int
	}{
		tracegen.HostA: {"first data that was not acknowledged", 1.000, new(1)},
		tracegen.HostB: {"first data behind what was lost", 1.005, nil},
	} {
		for _, used := range []bool{false, true} {
			s, first, second := beginTwo()
			steady(first, 100*ms, 0, 80)
			if used {
				second.Data(tracegen.A2B, 500*ms, 80_000, 1000)
			} else {
				first.Data(tracegen.A2B, 900*ms, 80_000, 1000)
			}
			steady(first, 905*ms, 81_000, 9)
			second.Data(tracegen.A2B, 1000*ms, 90_000, 1000).Lose()
			steady(first, 1005*ms, 91_000, 29)
			first.Data(tracegen.A2B, 1300*ms, 90_000, 1000)
			steady(first, 1305*ms, 120_000, 200)
			first.Ack(tracegen.B2A, 5000*ms)
			p := find(t, see(t, s, view), report.VerdictPathDied).Evidence[0]
			if p.What != want.what || p.TS == nil || !near(*p.TS, want.at) || !cmp.Equal(p.Subflow, want.subflow) {
				t.Errorf("view %d, used before %t: %q at %v on %v, want %+v", view, used, p.What, *p.TS, p.Subflow, want)
			}
		}
	}
}

func near(a, b float64) bool { return a-b < 1e-6 && b-a < 1e-6 }

// TestReset resets a subflow with data outstanding while the other goes on. Reset after all its
// data was acknowledged, no path died.
func TestReset(t *testing.T) {
	s, first, second := beginTwo()
	second.Data(tracegen.A2B, 200*ms, 0, 1000)
	second.Data(tracegen.A2B, 230*ms, 1000, 1000).Lose()
	second.RST(tracegen.B2A, 300*ms, &mptcp.TCPRST{Reason: mptcp.ResetPerformance})
	steady(first, 250*ms, 2000, 200)
	d := see(t, s, tracegen.HostA)
	v := find(t, d, report.VerdictPathDied)
	if v.Subflow == nil || *v.Subflow != 1 || !strings.Contains(v.Text, "was reset") {
		t.Errorf("verdict %+v, want subflow 1, reset", v)
	}
	if want := "Find out why b (198.51.100.1) reset subflow 1 (192.0.2.2-198.51.100.1) (MP_TCPRST reason 5"; !strings.HasPrefix(v.Remedy, want) || strings.Contains(v.Remedy, "Look at the link") {
		t.Errorf("%s, want %s", v.Remedy, want)
	}
	// The data that is lost leaves at 230 ms; the next ACK on subflow 0 is of what left at 250 ms.
	wantNumber(t, v, "gap", 40)

	s, first, second = beginTwo()
	second.Data(tracegen.A2B, 200*ms, 0, 1000)
	second.RST(tracegen.B2A, 300*ms, &mptcp.TCPRST{Reason: mptcp.ResetPerformance})
	steady(first, 250*ms, 1000, 200)
	without(t, "idle", see(t, s, tracegen.HostA), report.VerdictPathDied)
}

// TestIdleIsNoStall: all data is acknowledged at 1120 ms, and the DATA_FIN comes 4 s later. In the
// meantime nothing was outstanding, so nothing stalled.
func TestIdleIsNoStall(t *testing.T) {
	s, first := begin()
	steady(first, 100*ms, 0, 200)
	s.Close(5120*ms, 200_000, 0)
	without(t, "idle", see(t, s, tracegen.HostA), report.VerdictStalled)
}

// TestHalfClosed joins a path after A ended its data, and B resets it. While B still sends, the
// connection is not over; after the end of B's data it is.
func TestHalfClosed(t *testing.T) {
	for code, ends := range map[report.VerdictCode]tracegen.Dir{
		report.VerdictJoinAborted: tracegen.A2B,
		report.VerdictTooShort:    tracegen.B2A,
	} {
		s, first := begin()
		second := s.Subflow(path(1, 10*ms))
		sent := map[tracegen.Dir]int64{tracegen.A2B: 100}
		first.Data(tracegen.A2B, 60*ms, 0, 100)
		for i := range 200 {
			at := 80*ms + time.Duration(i)*10*ms
			if ends == tracegen.B2A {
				at = 80*ms + time.Duration(i)*100*time.Microsecond
			}
			first.Data(tracegen.B2A, at, sent[tracegen.B2A], 1000)
			sent[tracegen.B2A] += 1000
		}
		first.DataFIN(ends, 120*ms, sent[ends])
		second.Open(150 * ms)
		second.RST(tracegen.B2A, 200*ms)
		v := find(t, see(t, s, tracegen.HostA), code)
		if v.Subflow == nil || *v.Subflow != 1 {
			t.Errorf("%s: subflow %v, want 1", code, v.Subflow)
		}
		if mentioned := strings.Contains(v.Text, "a had announced the end of its own data"); mentioned != (ends == tracegen.A2B) {
			t.Errorf("%s: the end of a's data is mentioned: %t, in %q", code, mentioned, v.Text)
		}
	}
}

// TestIdle gives one path a single segment at the start of 3 s of data: of 30
// cells of 100 ms it is idle in 29, and carries 1 of 301 segments.
func TestIdle(t *testing.T) {
	s, first, second := beginTwo()
	second.Data(tracegen.A2B, 200*ms, 0, 1000)
	steady(first, 200*ms, 1000, 300)
	v := find(t, see(t, s, tracegen.HostA), report.VerdictPathIdle)
	if v.Subflow == nil || *v.Subflow != 1 {
		t.Errorf("subflow %v, want 1", v.Subflow)
	}
	wantNumber(t, v, "time idle while others carried data", 100*29.0/30)
	wantNumber(t, v, "share of the data", 100*1.0/301)
	wantNumber(t, v, "longest idle time", 2900)
}

// TestUnused joins a path that gets no data. The others do for 2.99 s, in 30 cells of 100 ms:
// the last cell is not counted beyond the last data.
func TestUnused(t *testing.T) {
	s, first := begin()
	s.Subflow(path(1, 10*ms)).Open(50 * ms)
	steady(first, 200*ms, 0, 300)
	first.Ack(tracegen.B2A, 4000*ms)
	v := find(t, see(t, s, tracegen.HostA), report.VerdictPathUnused)
	wantNumber(t, v, "time idle while others carried data", 100)
	if got := v.CostS; got == nil || *got != 2.99 {
		t.Errorf("it took %v, want 2.99 s", got)
	}
}

// TestAggregates sends 400 segments: two subflows between the same addresses carry 100 each, and
// a third one, over another path, 200. So the connection reached twice the rate of either path.
// Without the third subflow there is only one path. Both captures together give the same verdict.
func TestAggregates(t *testing.T) {
	three := func(apart bool) *tracegen.Session {
		s, first := begin()
		again := path(0, 10*ms)
		again.A = netip.AddrPortFrom(again.A.Addr(), 20001)
		second := s.Subflow(again)
		second.Open(50 * ms)
		steady(first, 200*ms, 0, 100)
		steady(second, 202*ms, 100_000, 100)
		if apart {
			third := s.Subflow(path(1, 10*ms))
			third.Open(60 * ms)
			steady(third, 204*ms, 200_000, 200)
		}
		return s
	}
	v := find(t, see(t, three(true), tracegen.HostA), report.VerdictAggregates)
	wantNumber(t, v, "aggregation_benefit", 2)
	if want := "2 paths carried the data, 2.00 times what the best one carried"; v.Text != want {
		t.Errorf("%q, want %q", v.Text, want)
	}
	v = find(t, see(t, three(false), tracegen.HostA), report.VerdictSinglePath)
	wantNumber(t, v, "aggregation_benefit", 1)
	if !strings.Contains(v.Text, "2 subflows") || !strings.Contains(v.Text, "192.0.2.1-198.51.100.1") {
		t.Errorf("%q names neither the subflows nor their path", v.Text)
	}
	for apart, want := range map[bool]float64{true: 2, false: 1} {
		files := ends(t, three(apart))
		doc, err := engine.Analyze(context.Background(), engine.Options{
			Paths: files[:1], Receiver: files[1:], Clock: clock.None, Interval: 100 * ms, Connection: engine.AllConnections,
		})
		assert.NilError(t, err)
		if got := doc.Connections[0].A2B.AggregationBenefit; got == nil || *got != want {
			t.Errorf("two captures: benefit %v, want %v", got, want)
		}
	}
}

// TestApplication sends bursts every 500 ms that are DATA_ACKed after 20 ms: for 480 of every 500
// ms nothing waits, also if a needless copy is sent after 300 ms.
func TestApplication(t *testing.T) {
	for _, again := range []bool{false, true} {
		s, first := begin()
		for i := range 12 {
			for k := range 10 {
				x := first.Data(tracegen.A2B, time.Duration(100+500*i)*ms, int64(i*10+k)*1000, 1000)
				if again && k == 9 && i < 11 {
					x.Again(time.Duration(400+500*i) * ms)
				}
			}
		}
		v := find(t, see(t, s, tracegen.HostA), report.VerdictApplication)
		wantNumber(t, v, "time with nothing outstanding", 96)
	}
}

// TestStalled loses the last segment, sent at 2 s, and repeats it at 4 s: its
// DATA_ACK comes at 4020 ms.
func TestStalled(t *testing.T) {
	s, first := begin()
	steady(first, 100*ms, 0, 110)
	first.Data(tracegen.A2B, 2000*ms, 110_000, 1000).Lose().Again(4000 * ms)
	v := find(t, see(t, s, tracegen.HostA), report.VerdictStalled)
	wantNumber(t, v, "stalled", 2020)
}

// TestReinjectionWorth makes the sender reinject three times, from the path of 50 ms to that of
// 10 ms. The first is a segment of 700 bytes whose original is acknowledged after 100 ms, so it
// arrived 55 ms before the copy, which was sent after 95 ms. The second has 300 bytes, was lost,
// and is sent again after 400 ms, 350 ms after the copy. The third has 1000 bytes, was lost, and
// is never acknowledged on its subflow.
func TestReinjectionWorth(t *testing.T) {
	s, quick := begin()
	slow := s.Subflow(path(1, 50*ms))
	slow.Open(50 * ms)
	slow.Data(tracegen.A2B, 500*ms, 0, 700)
	quick.Data(tracegen.A2B, 595*ms, 0, 700)
	slow.Data(tracegen.A2B, 1000*ms, 700, 300).Lose().Again(1400 * ms)
	quick.Data(tracegen.A2B, 1050*ms, 700, 300)
	slow.Data(tracegen.A2B, 2000*ms, 1000, 1000).Lose()
	quick.Data(tracegen.A2B, 2300*ms, 1000, 1000)
	w := see(t, s, tracegen.HostA).Connections[0].A2B.ReinjectionWorth
	want := &report.ReinjectionWorth{FirstBytes: 300, WastedBytes: 700, UndecidedBytes: 1000, Evidence: report.Inferred}
	assert.Check(t, is.DeepEqual(w, want), "worth")
}

// TestMiddleOfConnection: if the capture has no handshake, no verdict is about the handshake but the
// one that says so.
func TestMiddleOfConnection(t *testing.T) {
	s := tracegen.NewSession(tracegen.Config{Version: 1, AckEvery: 1})
	first := s.Subflow(path(0, 10*ms))
	first.Assume()
	steady(first, 0, 0, 200)
	if happened, _ := names(see(t, s, tracegen.HostA)); !slices.Equal(happened, []string{"late_start"}) {
		t.Errorf("verdicts %v on what happened, want late_start", happened)
	}
}
