package diagnose_test

import (
	"math"
	"strings"
	"testing"
	"time"

	"gotest.tools/v3/assert"

	"mpanalyze/internal/report"
	"mpanalyze/internal/tracegen"
)

// TestWaitOpenAtRecovery: subflow 0 is silent from 1000 ms on; what it sent then is lost, and
// subflow 1 continues. At 3000 ms subflow 0 carries later data, at 3100 ms the missing data. Both
// round trips are 20 ms.
func TestWaitOpenAtRecovery(t *testing.T) {
	session := func() *tracegen.Session {
		s, silent, other := beginTwo()
		steady(silent, 200*ms, 0, 80)
		lost := silent.Data(tracegen.A2B, 1000*ms, 80_000, 2000).Lose()
		steady(other, 1010*ms, 82_000, 190)
		other.Data(tracegen.A2B, 1405*ms, 80_000, 1000) // half of what was lost, again
		silent.Data(tracegen.A2B, 3000*ms, 272_000, 1000)
		lost.Again(3100 * ms)
		steady(silent, 3200*ms, 273_000, 10)
		return s
	}
	for _, c := range []struct {
		name string
		view tracegen.View
		want float64 // ms
	}{
		// At 1030 ms, the ACK of the data sent at 1010 ms shows that the receiver waits. At 3020
		// ms, the ACK of the data sent at 3000 ms shows that the subflow works again.
		{"at the sender", tracegen.HostA, 3020 - 1030},
		// The data sent at 1010 ms arrived at 1020 ms, and that sent at 3000 ms at 3010 ms.
		{"at the receiver", tracegen.HostB, 3010 - 1020},
	} {
		all := *see(t, session(), c.view).Connections[0].A2B.Handovers
		if len(all) != 1 || all[0].RecoveredS == nil || math.Abs(all[0].BlockedMS-c.want) > 1e-6 {
			t.Errorf("%s: handovers %+v, want one that blocked %v ms until it recovered", c.name, all, c.want)
		}
	}
}

// TestOwnHole: subflow 1 loses a segment, and the sender reinjects it on the same subflow after a
// second. Delivery waited for subflow 1, and not for subflow 0, which last carried lower data.
func TestOwnHole(t *testing.T) {
	s, first, other := beginTwo()
	steady(first, 200*ms, 0, 10)
	steady(other, 300*ms, 10_000, 20)
	other.Data(tracegen.A2B, 500*ms, 30_000, 1000).Lose()
	steady(other, 510*ms, 31_000, 120)
	other.Data(tracegen.A2B, 500*ms+time.Second+5*ms, 30_000, 1000)
	v := find(t, see(t, s, tracegen.HostB), report.VerdictHoLBlocked)
	if v.Subflow == nil || *v.Subflow != 1 {
		t.Errorf("the verdict is %q", v.Text)
	}
	wantNumber(t, v, "longest wait", 995) // 520 to 1515 ms
}

// TestWhenAPathDied holds the limits to what `explain handovers` says: no progress
// for 1 s, or 3 SRTT if that is longer, while another path made some and still did
// after a quarter of that time. Subflow 0 is silent from its last ACK on. The end
// of the capture counts to the next 100 ms.
func TestWhenAPathDied(t *testing.T) {
	for _, c := range []struct {
		name  string
		delay time.Duration // of subflow 0, one way
		other time.Duration // last ACK on the other subflow, from that silence on
		end   time.Duration // of the capture
		died  bool
	}{
		{"0.85 s", 10 * ms, 850 * ms, 850 * ms, false},
		{"1.05 s", 10 * ms, 1050 * ms, 1050 * ms, true},
		{"3 SRTT of 500 ms are longer: 1.35 s", 250 * ms, 1350 * ms, 1350 * ms, false},
		{"1.55 s", 250 * ms, 1550 * ms, 1550 * ms, true},
		{"the other one stopped after 0.24 s", 10 * ms, 240 * ms, 1300 * ms, false},
		{"after 0.26 s", 10 * ms, 260 * ms, 1300 * ms, true},
		{"a quarter of 1.5 s: after 0.37 s", 250 * ms, 370 * ms, 1700 * ms, false},
		{"after 0.38 s", 250 * ms, 380 * ms, 1700 * ms, true},
	} {
		s := tracegen.NewSession(tracegen.Config{Version: 1, AckEvery: 1, HeaderOnly: 1})
		silent, other := s.Subflow(path(0, c.delay)), s.Subflow(path(1, 10*ms))
		silent.Open(0)
		other.Open(900 * ms)
		steady(silent, 1000*ms, 0, 80)
		since := 1790*ms + 2*c.delay // the ACK of what left at 1790 ms
		lost := silent.Data(tracegen.A2B, 1800*ms, 80_000, 1000).Lose()
		offset := int64(81_000)
		for at := 1801 * ms; at < since+c.other-20*ms; at += 10 * ms {
			other.Data(tracegen.A2B, at, offset, 1000)
			offset += 1000
		}
		other.Data(tracegen.A2B, since+c.other-20*ms, offset, 1000)
		lost.Again(since + c.end).Lose()
		all := *see(t, s, tracegen.HostA).Connections[0].A2B.Handovers
		assert.Check(t, (len(all) == 1) == c.died, "%s: handovers %+v, want any: %v", c.name, all, c.died)
	}
}

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
		h := (*d.Connections[0].A2B.Handovers)[0]
		v := find(t, d, report.VerdictPathDied)
		if !full {
			if h.FailbackMS != nil || !strings.Contains(v.Text, "did not carry its share again") {
				t.Errorf("failback after %v ms: %s", h.FailbackMS, v.Text)
			}
			continue
		}
		if h.FailbackMS == nil || math.Abs(*h.FailbackMS-1280) > 1e-6 || !strings.Contains(v.Text, "carried its share again 1.28 s after it came back") {
			t.Errorf("handover %+v: %s, want a failback after 1280 ms", h, v.Text)
		}
		for _, p := range v.Evidence {
			if p.What == "last data on it without an answer before it came back" && math.Abs(*p.TS-3.9) > 1e-9 {
				t.Errorf("the last data without an answer at %v s, want 3.9", *p.TS)
			}
		}
	}
}

// TestLossyPath: a segment gets no answer for 2.1 s: sent at 5000, 5300 and 5900 ms in vain, and at
// 7100 ms with success. Of 80 segments before, each third was lost once, or none. Where 26 of 106 are
// lost otherwise, three in a row are lost with a probability of 1.5 %: the path is lossy. Where none is, it
// was dead.
func TestLossyPath(t *testing.T) {
	for _, lossy := range []bool{true, false} {
		s, bad, other := beginTwo()
		steady(other, 200*ms, 1_000_000, 800)
		for i := range int64(80) {
			at := 200*ms + time.Duration(i)*50*ms
			x := bad.Data(tracegen.A2B, at, 1000*i, 1000)
			if lossy && i%3 == 1 {
				x.Lose().Again(at + 230*ms)
			}
		}
		bad.Data(tracegen.A2B, 5000*ms, 80_000, 1000).Lose().Again(5300 * ms).Lose().Again(5900 * ms).Lose().Again(7100 * ms)
		steady(bad, 7200*ms, 81_000, 50)
		d := see(t, s, tracegen.HostA)
		if n := len(*d.Connections[0].A2B.Handovers); n != 1 {
			t.Fatalf("%d handovers, want 1", n)
		}
		if lossy {
			without(t, "a lossy path", d, report.VerdictPathDied)
		} else {
			find(t, d, report.VerdictPathDied)
		}
	}
}
