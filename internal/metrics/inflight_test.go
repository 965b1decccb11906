package metrics

import (
	"testing"
	"time"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	"mpanalyze/internal/conn"
	"mpanalyze/internal/tracegen"
)

// TestInFlight: three packets of 1000 bytes are sent before the first acknowledgment, which
// covers all of them, and one after it: 1000, 2000, 3000 and 1000 bytes are in flight. A
// capture at the receiver does not show it.
func TestInFlight(t *testing.T) {
	s, f := onePath(tracegen.Config{Version: 1})
	var last *tracegen.Sent
	for i := range 3 {
		last = f.Data(tracegen.A2B, time.Duration(100+i)*msec, int64(1000*i), 1000)
	}
	f.Ack(tracegen.B2A, last.ArrivesAt())
	f.Data(tracegen.A2B, 500*msec, 3000, 1000)
	at := measure(t, s, tracegen.HostA, Config{Interval: 100 * msec}).Subs[0].Dir(conn.A)
	dist(t, "in_flight", at.InFlight(), 4, (1000+2000+3000+1000)/4., 1000, 3000)
	if n := measure(t, s, tracegen.HostB, Config{Interval: 100 * msec}).Subs[0].Dir(conn.A).InFlight().N(); n != 0 {
		t.Errorf("%d values at the receiver, want none", n)
	}
}

// TestInFlightHasNoValueAtACKs: of three data packets the middle one is a copy, and ACKs pass
// before, between and after them. The values are those behind the data packets.
func TestInFlightHasNoValueAtACKs(t *testing.T) {
	s, f := onePath(tracegen.Config{Version: 1})
	x := f.Data(tracegen.A2B, 100*msec, 0, 1000)
	x.Again(105 * msec)
	f.Ack(tracegen.B2A, x.ArrivesAt())
	f.Data(tracegen.A2B, 200*msec, 1000, 500)
	f.Ack(tracegen.B2A, 230*msec)
	f.Ack(tracegen.B2A, 240*msec)
	m := measure(t, s, tracegen.HostA, Config{Interval: 100 * msec})
	dist(t, "in_flight", m.Subs[0].Dir(conn.A).InFlight(), 3, (1000+1000+500)/3., 500, 1000)
	values, _ := m.series(seriesInFlight, 0, conn.A)
	assert.Check(t, is.DeepEqual(values, []float64{1000, 1000, 500}))
}
