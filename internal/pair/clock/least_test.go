package clock

import (
	"math/rand/v2"
	"testing"

	"gotest.tools/v3/assert"
)

// TestMinBins: a series holds the least delay of each span of time, and where two
// are equal the earlier.
func TestMinBins(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	e := New(3e9, false)
	var m minBins
	type one struct{ time, delay int64 }
	var all []one
	for i := range int64(30_000) {
		x := one{i*1e5 + r.Int64N(3e5), 1e6 + r.Int64N(1e3)*1e3}
		if i == 0 {
			x.time = 0 // the origin
		}
		all = append(all, x)
		since := e.sinceOrigin(AtSender, 5e9+3e9+x.time)
		if since != x.time || e.arrivedAt(AtSender, since) != 5e9+3e9+x.time {
			t.Fatalf("an arrival %d ns after the origin is taken for one %d ns after it", x.time, since)
		}
		m.add(since, x.delay)
	}
	var want [nBins]bin
	for _, x := range all {
		b := &want[x.time/m.width]
		if !b.ok || x.delay < b.delay {
			*b = bin{x.time, x.delay, true}
		}
	}
	for i := range want { // of equal ones a wider span keeps that of its earlier half
		if got := m.bins[i]; got.ok != want[i].ok || got.delay != want[i].delay {
			t.Errorf("span %d: %+v, want %+v", i, got, want[i])
		}
	}
	assert.Check(t, e.origin == 5e9, "origin %d", e.origin)
}

// TestMinFilter: least delays of equally many packets, bounded.
func TestMinFilter(t *testing.T) {
	var m minFilter
	for i := range int64(100_000) {
		m.add(i, 1000-i%100)
	}
	assert.Assert(t, len(m.readings) <= maxReadings && len(m.readings) >= maxReadings/2 && m.every == 128, "%d readings of %d packets", len(m.readings), m.every)
	for _, x := range m.readings[:len(m.readings)-1] {
		if x.delay != 901 { // 128 packets in turn contain the least of 100
			t.Fatalf("a least delay of %d", x.delay)
		}
	}
}
