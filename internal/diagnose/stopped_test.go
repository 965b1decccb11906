package diagnose_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"gotest.tools/v3/assert"

	"mpanalyze/internal/report"
	"mpanalyze/internal/tracegen"
)

// TestAllStopped: each path carries segments of 1000 bytes at 500, 510 ... 540 ms, over 10 ms. The next one is lost,
// and arrives when it is sent again. Both ends see no progress for as long as lies between the last of the five and the copy.
func TestAllStopped(t *testing.T) {
	for _, c := range []struct {
		what   string
		gap    [2]time.Duration // until the copy on each subflow
		mapped int              // segments of subflow 1 that a mapping announces from the start on
		sent   int              // segments that it sends
		seen   string           // the ends that see it
	}{
		{"shorter than a second", [2]time.Duration{999 * ms, 999 * ms}, 6, 6, ""},
		{"a second", [2]time.Duration{1000 * ms, 1000 * ms}, 6, 6, "ab"},
		{"one comes back late", [2]time.Duration{1500 * ms, 4000 * ms}, 6, 6, "ab"},
		{"one has all its data acknowledged", [2]time.Duration{1500 * ms, 0}, 5, 5, ""},
		{"what is lost was not announced before", [2]time.Duration{1500 * ms, 1500 * ms}, 5, 6, "a"},
	} {
		s, first, second := beginTwo()
		for i, f := range []*tracegen.Subflow{first, second} {
			mapped, sent := 10, 6
			if i == 1 {
				mapped, sent = c.mapped, c.sent
			}
			m, again := f.Map(tracegen.A2B, int64(i)*10000, mapped*1000), 540*ms+c.gap[i]
			for k := range 5 {
				m.Send(500*ms+time.Duration(k)*10*ms, k*1000, 1000)
			}
			at := 5000
			if mapped == 5 && sent == 6 {
				m, at = f.Map(tracegen.A2B, 15000, 1000), 0
			}
			if sent == 6 {
				m.Send(550*ms, at, 1000).Lose()
				m.Send(again, at, 1000)
			}
			for k := 6; k < mapped; k++ {
				m.Send(again+time.Duration(k-5)*600*ms, k*1000, 1000)
			}
		}
		for end, view := range map[string]tracegen.View{"a": tracegen.HostA, "b": tracegen.HostB} {
			d := see(t, s, view)
			if !strings.Contains(c.seen, end) {
				without(t, c.what, d, report.VerdictAllStopped)
				continue
			}
			without(t, c.what, d, report.VerdictStalled, report.VerdictPathDied)
			v := find(t, d, report.VerdictAllStopped)
			wantNumber(t, v, "no subflow made progress", float64(c.gap[0])/1e6)
			late := end == "b" || strings.Contains(v.Text, "; subflow 1 made no progress") == (c.gap[1] > c.gap[0])
			assert.Check(t, v.Severity == report.Major && *v.Direction == report.A2B && v.Subflow == nil && late, "%s: %s", c.what, v.Text)
		}
	}
}

// TestStoppedToTheEnd: each of two paths carries five segments, and nothing of what is sent later arrives.
func TestStoppedToTheEnd(t *testing.T) {
	s, first, second := beginTwo()
	for i, f := range []*tracegen.Subflow{first, second} {
		m := f.Map(tracegen.A2B, int64(i)*6000, 6000)
		for k := range 5 {
			m.Send(500*ms+time.Duration(k)*10*ms, k*1000, 1000)
		}
		for _, at := range []time.Duration{550 * ms, 850 * ms, 1450 * ms, 2650 * ms} {
			m.Send(at, 5000, 1000).Lose()
		}
	}
	v := find(t, see(t, s, tracegen.HostA), report.VerdictAllStopped)
	assert.Check(t, v.Severity == report.Critical && strings.Contains(v.Text, "to the end of the connection"), "%s: %s", v.Severity, v.Text)
}

// TestResetForGood: B resets subflow 1 while data is outstanding on it. What it had acknowledged before comes after
// the RST, and A gets more RSTs: one path died, and never came back.
func TestResetForGood(t *testing.T) {
	s, first, second := beginTwo()
	steady(first, 500*ms, 0, 200)
	steady(second, 500*ms, 200000, 20)
	for _, at := range []time.Duration{600 * ms, 620 * ms, 800 * ms} {
		second.RST(tracegen.B2A, at)
	}
	v := find(t, see(t, s, tracegen.HostA), report.VerdictPathDied)
	assert.Check(t, *v.Subflow == 1 && strings.Contains(v.Text, "was reset") && !strings.Contains(v.Text, "came back"), v.Text)
	assert.Check(t, !slices.ContainsFunc(v.Evidence, func(p report.Proof) bool { return p.What == "progress again" }), "%+v", v.Evidence)
}

// TestUnreadIsNoDeath: a segment of subflow 1 gets no answer from 1.5 to 6.5 s, while subflow 0 sends a byte every 500 ms. If the
// application of B does not read, and B says so in each ACK by a window of 0, that explains it; else the path died.
func TestUnreadIsNoDeath(t *testing.T) {
	for _, reads := range []bool{true, false} {
		s, first, second := beginTwo()
		steady(first, 500*ms, 0, 95)
		steady(second, 500*ms, 200000, 95)
		second.Map(tracegen.A2B, 295000, 1000).Send(1500*ms, 0, 1000).Lose()
		for i := range 11 {
			at := 1550*ms + time.Duration(i)*500*ms
			first.Data(tracegen.A2B, at, 95000+int64(i), 1)
			ack := first.Ack(tracegen.B2A, at+30*ms)
			if !reads {
				ack.Edit(func(p *tracegen.Packet) { p.Window = 0 })
			}
		}
		d := see(t, s, tracegen.HostA)
		if reads {
			find(t, d, report.VerdictPathDied)
		} else {
			without(t, "a window of 0", d, report.VerdictPathDied)
		}
	}
}

// TestStoppedByCopies: all data arrives at 500 to 540 ms, but no acknowledgment reaches the sender, so that it repeats the last
// segment of each subflow 2 s later. The receiver's capture shows no hole. Where a subflow sends new data first, or a byte
// to keep the connection alive, the application had paused.
func TestStoppedByCopies(t *testing.T) {
	for _, c := range []struct {
		what   string
		copies [2]int // bytes that each subflow repeats first; 0 for new data
		want   bool
	}{
		{"copies on both", [2]int{1000, 1000}, true},
		{"new data on one", [2]int{1000, 0}, false},
		{"new data on the other", [2]int{0, 1000}, false},
		{"bytes that keep alive", [2]int{1, 1}, false},
	} {
		s, first, second := beginTwo()
		for i, f := range []*tracegen.Subflow{first, second} {
			m := f.Map(tracegen.A2B, int64(i)*10000, 5000)
			for k := range 5 {
				m.Send(500*ms+time.Duration(k)*10*ms, k*1000, 1000)
			}
			again := 2540*ms + time.Duration(i)*time.Millisecond
			if n := c.copies[i]; n > 0 {
				m.Send(again, 5000-n, n)
				again += 50 * ms
			}
			next := f.Map(tracegen.A2B, int64(i)*10000+5000, 5000)
			for k := range 5 {
				next.Send(again+time.Duration(k)*10*ms, k*1000, 1000)
			}
		}
		d := see(t, s, tracegen.HostB)
		if !c.want {
			without(t, c.what, d, report.VerdictAllStopped)
			continue
		}
		wantNumber(t, find(t, d, report.VerdictAllStopped), "no subflow made progress", 2000)
	}
}
