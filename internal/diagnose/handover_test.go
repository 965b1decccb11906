package diagnose_test

import (
	"math"
	"testing"
	"time"

	"mpanalyze/internal/report"
	"mpanalyze/internal/tracegen"
)

// TestWaitOpenAtRecovery: subflow 0 is silent from 1000 ms on, what it sent then is
// lost, and subflow 1 carries on. At 3000 ms subflow 0 brings later data, at 3100
// ms what is missing. Both round trips are 20 ms.
func TestWaitOpenAtRecovery(t *testing.T) {
	session := func() *tracegen.Session {
		s, silent := begin()
		other := s.Subflow(path(1, 10*ms))
		other.Open(50 * ms)
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
		// The ACK of what left at 1010 ms shows at 1030 that the receiver waits, that
		// of what left at 3000 ms that the subflow is back.
		{"at the sender", tracegen.HostA, 3020 - 1030},
		// What left at 1010 ms arrived at 1020, what left at 3000 ms at 3010.
		{"at the receiver", tracegen.HostB, 3010 - 1020},
	} {
		all := *see(t, session(), c.view).Connections[0].A2B.Handovers
		if len(all) != 1 || all[0].RecoveredS == nil || math.Abs(all[0].BlockedMS-c.want) > 1e-6 {
			t.Errorf("%s: handovers %+v, want one that blocked %v ms until it recovered", c.name, all, c.want)
		}
	}
}

// TestOwnHole: subflow 1 loses a segment, and the sender reinjects it there after
// a second. Delivery waited for subflow 1, and not for subflow 0, which last
// carried lower data.
func TestOwnHole(t *testing.T) {
	s, first := begin()
	other := s.Subflow(path(1, 10*ms))
	other.Open(50 * ms)
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
