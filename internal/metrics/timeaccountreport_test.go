package metrics

import (
	"testing"

	"mpanalyze/internal/account"
	"mpanalyze/internal/report"
	"mpanalyze/internal/report/fill"
)

// TestTimeAccountOfReport: each state has its time in the report: that of state n is n + 1 ms of 66 ms.
func TestTimeAccountOfReport(t *testing.T) {
	var times account.Times
	for i := range times {
		times[i] = int64(i+1) * 1e6
	}
	v := &view{Fields: fill.Fields{Mem: &fill.Memory{}}, role: Between}
	x := v.timeAccount(&times)
	states := map[account.State]report.StateTime{
		account.Undetermined: x.Undetermined, account.Down: x.Down, account.Recovery: x.Recovery, account.Rwnd: x.Rwnd, account.Window: x.Window, account.SlowStart: x.SlowStart,
		account.Path: x.Path, account.CongestionWindow: x.CongestionWindow, account.Scheduler: x.Scheduler, account.Application: x.Application, account.Idle: x.Idle,
	}
	for s, got := range states {
		if want := float64(s) + 1; got.MS != want || got.Percent != 100*want/66 {
			t.Errorf("state %d has %+v, want %v ms", s, got, want)
		}
	}
	if len(states) != len(times) || x.DurationMS != 66 || x.SeenAt != report.SeenBetween || x.Evidence != report.Inferred {
		t.Errorf("%d of %d states in %v ms, seen %s: %s", len(states), len(times), x.DurationMS, x.SeenAt, x.Evidence)
	}
}
