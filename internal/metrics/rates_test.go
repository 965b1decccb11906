package metrics

import (
	"testing"
	"time"

	"gotest.tools/v3/assert"

	"mpanalyze/internal/conn"
	"mpanalyze/internal/tracegen"
)

// TestRates: the fast path carries 3000 bytes, the slow one 1000, and the fast one 1000
// of these again, within 400 ms: 5000 bytes of payload and 4000 of data. 8 bits for each
// byte give 0.1 and 0.08 Mbit/s, the latter to the last byte that is new, at 300 ms:
// 4000 bytes in 300 ms.
func TestRates(t *testing.T) {
	s, fast, slow := twoPaths(tracegen.Config{Version: 1})
	fast.Data(tracegen.A2B, 1000*msec, 0, 1000)
	fast.Data(tracegen.A2B, 1100*msec, 1000, 1000)
	slow.Data(tracegen.A2B, 1200*msec, 2000, 1000)
	fast.Data(tracegen.A2B, 1300*msec, 3000, 1000)
	fast.Data(tracegen.A2B, 1400*msec, 2000, 1000)
	fast.Ack(tracegen.B2A, 2*time.Second)
	// A keep-alive may repeat the last byte (RFC 9293, Section 3.8.4): it is no payload.
	fast.Ack(tracegen.A2B, 9*time.Second).Edit(func(p *tracegen.Packet) { p.Seq, p.Payload = p.Seq-1, []byte{0} })
	m := measure(t, s, tracegen.HostA, Config{Interval: 100 * msec})
	d := m.Dir(conn.A)
	if mbps, ok := d.Throughput().Avg(); !ok || mbps != 8*5000/400e-3/1e6 {
		t.Errorf("throughput %v Mbit/s, want %v", mbps, 8*5000/400e-3/1e6)
	}
	near(t, "goodput", average(t, d.Goodput()), 8*4000/300e-3/1e6)
	if a, b := m.First(m.Subs[0], conn.A), m.First(m.Subs[1], conn.A); a != 3000 || b != 1000 {
		t.Errorf("the paths were the first to carry %d and %d bytes, want 3000 and 1000", a, b)
	}
	if n := m.Subs[0].Dir(conn.A).Rate().Bytes(); n != 4000 {
		t.Errorf("the fast path carried %d bytes, want 4000", n)
	}
}

// average returns the average of a rate, Mbit/s.
func average(t *testing.T, r *Rate) float64 {
	t.Helper()
	mbps, ok := r.Avg()
	assert.Assert(t, ok, "no average")
	return mbps
}
