package metrics

import (
	"testing"
	"time"

	"gotest.tools/v3/assert"

	"mpanalyze/internal/account"
	"mpanalyze/internal/conn"
	"mpanalyze/internal/report"
	"mpanalyze/internal/tracegen"
)

// TestTimeAccount: ten times, each 100 ms, one segment leaves and is acknowledged 20 ms later.
// There is room for more, so that the 20 ms belong to the application; in the 80 ms between
// nothing is outstanding. The times between the values of the series add up to the same, up to
// the last acknowledgment. From 250 to 650 ms after the first data are two halves of idle times
// and four segments.
func TestTimeAccount(t *testing.T) {
	s, f := onePath(tracegen.Config{Version: 1})
	for i := range 10 {
		acked(f, time.Duration(100+100*i)*msec, int64(1000*i), 1000)
	}
	want := account.Times{account.Application: 10 * 20e6, account.Idle: 9 * 80e6}
	m := measure(t, s, tracegen.HostA, Config{Changes: true})
	x := m.Dir(conn.A).account()
	if sub := x.subs.at(0).Times; sub != want || x.sender.Times != want {
		t.Errorf("subflow %v, connection %v, want %v", sub, x.sender.Times, want)
	}
	var sum account.Times
	values := m.byLine()[line{"time_account", 0, conn.A}]
	for i, v := range values[1:] {
		sum[int(values[i].V)] += int64(v.T - values[i].T)
	}
	assert.Check(t, sum == want, "the series adds up to %v, want %v", sum, want)
	x = measure(t, s, tracegen.HostA, Config{Skip: 250 * msec, Until: 650 * msec}).Dir(conn.A).account()
	want = account.Times{account.Application: 4 * 20e6, account.Idle: 4 * 80e6}
	assert.Check(t, x.sender.Times == want, "of a part %v, want %v", x.sender.Times, want)
}

// TestStatesAreNumbered: the numbers in the series are the indices in reports.
func TestStatesAreNumbered(t *testing.T) {
	names := [...]string{
		account.Undetermined: "undetermined", account.Down: "down", account.Recovery: "recovery", account.Rwnd: "rwnd", account.Window: "window",
		account.SlowStart: "slow_start", account.Path: "path", account.CongestionWindow: "congestion_window", account.Scheduler: "scheduler",
		account.Application: "application", account.Idle: "idle",
	}
	for i, s := range new(report.TimeAccount).States() {
		if s.Name != names[i] {
			t.Errorf("state %d is %s in reports and %s in the series", i, s.Name, names[i])
		}
	}
}

// TestTimeAccountElsewhere: segments of A arrive at B at 110, 130 and 140 ms; the one before the last
// is lost. B acknowledges each at once, the last one with a SACK. A copy of the lost one arrives at
// 170 ms, 30 ms after the SACK: that is recovery, and the rest of the 60 ms cannot be told. Between
// the hosts the same passes, and data and acknowledgment are 10 ms further apart. If the copy
// is 3 s later, nothing of A arrives for 3030 ms, and nothing of B passes between the hosts:
// the path is down.
func TestTimeAccountElsewhere(t *testing.T) {
	for _, x := range []struct {
		view  tracegen.View
		later int // ms
		want  account.Times
	}{
		{tracegen.HostB, 0, account.Times{account.Recovery: 30e6, account.Undetermined: 30e6}},
		{tracegen.HostB, 3000, account.Times{account.Down: 3030e6, account.Undetermined: 30e6}},
		{tracegen.Middle, 0, account.Times{account.Recovery: 30e6, account.Undetermined: 40e6}},
		{tracegen.Middle, 3000, account.Times{account.Down: 3030e6, account.Undetermined: 40e6}},
	} {
		s, f := onePath(tracegen.Config{Version: 1})
		acked(f, 100*msec, 0, 1000)
		acked(f, 120*msec, 1000, 1000)
		lost := f.Data(tracegen.A2B, 125*msec, 2000, 1000).Lose()
		acked(f, 130*msec, 3000, 1000)
		f.Ack(tracegen.B2A, lost.Again(time.Duration(160+x.later)*msec).ArrivesAt())
		a := measure(t, s, x.view, Config{}).Dir(conn.A).account()
		if all, sub := a.times(), a.subs.at(0).Times; sub != x.want || *all != x.want {
			t.Errorf("view %d, %d ms later: subflow %v, connection %v, want %v", x.view, x.later, sub, *all, x.want)
		}
	}
}
