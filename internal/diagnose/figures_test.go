package diagnose_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"gotest.tools/v3/assert"

	"mpanalyze/internal/mptcp"
	"mpanalyze/internal/report"
	"mpanalyze/internal/tracegen"
)

// TestFailback: both subflows carry 100 segments a second, until one dies with what it sends at 2200
// ms. It comes back with the ACK of 4220 ms, and carries 25 segments a second up to 5700 ms, then 100
// again. Its share was a half. A second that begins w before 5700 ms has 100 - 75 w segments of it and
// 100 of the other one, which is 45 % of all for w up to 0.242 s. Cells begin at full 100 ms, so that it
// is the second from 5500 ms on: 1280 ms.
func TestFailback(t *testing.T) {
	for _, full := range []bool{true, false} {
		s, silent, other := beginTwo()
		steady(silent, 200*ms, 0, 200)
		steady(other, 200*ms, 1_000_000, 800)
		lost := silent.Data(tracegen.A2B, 2200*ms, 200_000, 1000).Lose()
		lost.Again(2500 * ms).Lose().Again(3300 * ms).Lose().Again(3900 * ms).Lose().Again(4200 * ms)
		for i := range int64(37) {
			silent.Data(tracegen.A2B, 4225*ms+time.Duration(i)*40*ms, 201_000+1000*i, 1000)
		}
		if full {
			steady(silent, 5700*ms, 238_000, 250)
		}
		d := see(t, s, tracegen.HostA)
		v, want := find(t, d, report.VerdictPathDied), "did not carry its share again"
		if full {
			want = "carried its share again 1.28 s after it came back"
			wantNumber(t, v, "carried its share again after", 1280)
		}
		assert.Check(t, strings.Contains(v.Text, want), "%s, want %s", v.Text, want)
		for _, p := range v.Evidence {
			assert.Check(t, p.What != "last data on it without an answer before it came back" || *p.TS == 3.9, "the last data without an answer at %v s, want 3.9", p.TS)
		}
	}
}

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

// TestNumbers: the numbers that prove a verdict on times, of a session with two paths.
func TestNumbers(t *testing.T) {
	for _, c := range []struct {
		code report.VerdictCode
		play func(first, second *tracegen.Subflow)
		want map[string]float64
	}{
		// One path has a single segment at the start of 3 s of data: of 30 cells of 100 ms it is idle in 29.
		{report.VerdictPathIdle, func(first, second *tracegen.Subflow) {
			second.Data(tracegen.A2B, 200*ms, 0, 1000)
			steady(first, 200*ms, 1000, 300)
		}, map[string]float64{"time idle while others carried data": 100 * 29.0 / 30, "share of the data": 100 * 1.0 / 301, "longest idle time": 2900}},
		// The last segment is lost and sent again after 2 s, and its DATA_ACK comes after 20 ms.
		{report.VerdictStalled, func(first, _ *tracegen.Subflow) {
			steady(first, 100*ms, 0, 110)
			first.Data(tracegen.A2B, 2000*ms, 110_000, 1000).Lose().Again(4000 * ms)
		}, map[string]float64{"stalled": 2020}},
		// Bursts every 500 ms are acknowledged after 20 ms. A needless copy after 300 ms changes nothing.
		{report.VerdictApplication, func(first, _ *tracegen.Subflow) {
			for i := range 120 {
				x := first.Data(tracegen.A2B, time.Duration(100+500*(i/10))*ms, int64(i)*1000, 1000)
				if i%10 == 9 && i < 110 {
					x.Again(x.SentAt() + 300*ms)
				}
			}
		}, map[string]float64{"time with nothing outstanding": 100 * 480 / 500.}},
	} {
		s, first, second := beginTwo()
		c.play(first, second)
		v := find(t, see(t, s, tracegen.HostA), c.code)
		for what, want := range c.want {
			wantNumber(t, v, what, want)
		}
	}
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
