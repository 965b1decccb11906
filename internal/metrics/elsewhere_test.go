package metrics

import (
	"testing"
	"time"

	"mpanalyze/internal/conn"
	"mpanalyze/internal/tracegen"
)

// elsewhere measures 100 packets of 100 octets, one each 10 ms, of which the
// 50th is sent 25 ms late, at one host.
func elsewhere(t *testing.T, v tracegen.View, told func(*conn.Conn, *conn.Subflow, conn.Side) bool) *Connection {
	t.Helper()
	s := tracegen.NewSession(tracegen.Config{Version: 1})
	f := s.Subflow(tracegen.Path{A: addr("10.0.0.1:40000"), B: addr("10.0.1.1:80")})
	f.Open(0)
	for i := range 100 {
		at := 100*msec + time.Duration(i)*10*msec
		if i == 50 {
			at += 25 * msec
		}
		f.Data(tracegen.A2B, at, int64(100*i), 100)
	}
	return measure(t, s, v, Config{Interval: 100 * msec, Elsewhere: told}).Connection
}

// TestElsewhere: what the sending host shows is measured until the first cell
// of 100 ms is over, which 10 packets are in; what the receiving host shows is
// measured whole.
func TestElsewhere(t *testing.T) {
	all := func(*conn.Conn, *conn.Subflow, conn.Side) bool { return true }
	alone, shared := elsewhere(t, tracegen.HostB, nil), elsewhere(t, tracegen.HostB, all)
	for _, c := range []struct {
		what string
		m    *Connection
		want int64
	}{
		{"alone", alone, 100 * 100},
		{"shared", shared, 10 * 100},
		{"shared, at the sending host", elsewhere(t, tracegen.HostA, all), 100 * 100},
	} {
		if got := c.m.Dir(conn.A).Throughput.Bytes(); got != c.want {
			t.Errorf("%s: the throughput counts %d octets, want %d", c.what, got, c.want)
		}
		if got := c.m.Subs[0].Dir(conn.A).Rate.Bytes(); got != c.want {
			t.Errorf("%s: the subflow's throughput counts %d octets, want %d", c.what, got, c.want)
		}
	}
	x, y := alone.Dir(conn.A), shared.Dir(conn.A)
	// The 51st and 52nd came before it: of 10 and 20 ms less than 25.
	if x.Order.Reordered != 1 || y.Order.Reordered != 1 {
		t.Errorf("%d and %d chunks were reordered, want 1", x.Order.Reordered, y.Order.Reordered)
	}
	w := &shared.Subs[0].Dir(conn.A).InOrderWait
	dist(t, "in-order wait", w, 100, (15.0+5)/100, 0, 15)
	before, _ := x.HoLQueue()
	after, _ := y.HoLQueue()
	if before.N() == 0 || before.N() != after.N() || before.Mean() != after.Mean() {
		t.Errorf("head-of-line queue: %d values of %v octets, and %d of %v", before.N(), before.Mean(), after.N(), after.Mean())
	}
}

// TestDegreeElsewhere: the HoL degree is the receiver's, so that its capture
// measures it whole although the sender's tells of the delays.
func TestDegreeElsewhere(t *testing.T) {
	all := func(*conn.Conn, *conn.Subflow, conn.Side) bool { return true }
	m := measure(t, blocked(), tracegen.HostB, Config{Interval: 100 * msec, Elsewhere: all})
	c := m.Dir(conn.A)
	// As TestBlockedHeadOfLineAtReceiver has it: the second cell begins after the first is over.
	dist(t, "hol_degree", &c.HoLDegree, 2, (0+160)/2., 0, 160)
	dist(t, "hol_blocking", &c.HoLBlocking, 2, (0+160)/2., 0, 160)
	// Of the fast path's three chunks the first alone lies in the first cell.
	if n := m.Subs[0].Dir(conn.A).PathDelay.N(); n != 1 {
		t.Errorf("%d path delays, want 1", n)
	}
}
