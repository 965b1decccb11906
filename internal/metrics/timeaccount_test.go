package metrics

import (
	"testing"
	"time"

	"mpanalyze/internal/account"
	"mpanalyze/internal/conn"
	"mpanalyze/internal/tracegen"
)

// TestTimeAccount: ten times, each 100 ms, one segment leaves and is acknowledged 20 ms later.
// There is room for more, so that the 20 ms belong to the application; in the 80 ms between
// nothing is outstanding.
func TestTimeAccount(t *testing.T) {
	s, f := onePath(tracegen.Config{Version: 1})
	for i := range 10 {
		acked(f, time.Duration(100+100*i)*msec, int64(1000*i), 1000)
	}
	c := measure(t, s, tracegen.HostA, Config{})
	x := c.Dir(conn.A).account()
	want := account.Times{account.Application: 10 * 20e6, account.Idle: 9 * 80e6}
	if sub := x.subs.at(0).Times; sub != want || x.all.Times != want {
		t.Errorf("subflow %v, connection %v, want %v", sub, x.all.Times, want)
	}
	if x := measure(t, s, tracegen.HostB, Config{}).Dir(conn.A).account(); x.all.Times.Sum() != 0 {
		t.Error("the capture at the receiver has an account")
	}
}

// TestTimeAccountPart: --skip 250 ms and --until 650 ms, from the first data on, leave two
// halves of idle times and four segments.
func TestTimeAccountPart(t *testing.T) {
	s, f := onePath(tracegen.Config{Version: 1})
	for i := range 10 {
		acked(f, time.Duration(100+100*i)*msec, int64(1000*i), 1000)
	}
	x := measure(t, s, tracegen.HostA, Config{Skip: 250 * msec, Until: 650 * msec}).Dir(conn.A).account()
	if want := (account.Times{account.Application: 4 * 20e6, account.Idle: 4 * 80e6}); x.all.Times != want {
		t.Errorf("%v, want %v", x.all.Times, want)
	}
}
