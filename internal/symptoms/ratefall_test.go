package symptoms

import (
	"testing"

	"gotest.tools/v3/assert"

	"mpanalyze/internal/conn"
	"mpanalyze/internal/subflow"
)

// TestFallOfWindow: a window of the rate is part of a fall if its rate is below half of the most
// before, and its least round trip at least one and a half times the path's, here 20 ms.
func TestFallOfWindow(t *testing.T) {
	const before = 1_000_000 // bytes in a second
	for _, c := range []struct {
		what  string
		bytes int64 // in 200 ms
		least int64 // round trip, ns
		best  Rate
		low   bool
	}{
		{"less than half, and 1.5 round trips", before/10 - 1, 30e6, Rate{before, 1e9}, true},
		{"half", before / 10, 30e6, Rate{before, 1e9}, false},
		{"a shorter round trip", before/10 - 1, 30e6 - 1, Rate{before, 1e9}, false},
		{"no rate before", 0, 30e6, Rate{}, false},
	} {
		f := RateFalls{since: at(100e6), bytes: c.bytes, least: c.least}
		f.window(at(300e6), 20e6, c.best)
		var want RateFall
		if c.low {
			want = RateFall{PacketRange{at(100e6), at(300e6)}, c.best, Rate{c.bytes, 200e6}, c.least}
		}
		assert.Check(t, f.open == want, "%s: %+v, want %+v", c.what, f.open, want)
	}
	// A second low window adds to the fall, which keeps the rate of before and has the least round trip.
	f := RateFalls{since: at(100e6), bytes: 50_000, least: 40e6}
	f.window(at(300e6), 20e6, Rate{before, 1e9})
	f.since, f.bytes, f.least = at(300e6), 60_000, 35e6
	f.window(at(600e6), 20e6, Rate{9 * before, 1e9})
	if want := (RateFall{PacketRange{at(100e6), at(600e6)}, Rate{before, 1e9}, Rate{110_000, 500e6}, 35e6}); f.open != want {
		t.Errorf("two windows: %+v, want %+v", f.open, want)
	}
	// A window of half of the rate ends it: it took half a second.
	f.since, f.bytes, f.least = at(600e6), before/10, 35e6
	f.window(at(800e6), 20e6, Rate{before, 1e9})
	assert.Check(t, f.Count == 1 && f.Total == 500e6 && f.Longest.RTT == 35e6 && !f.open.From.Seen(), "a window that is not low: %+v", f)
}

// TestFallEnds: a fall counts if it took half a second and ten least round trips. The longest is kept.
func TestFallEnds(t *testing.T) {
	var f RateFalls
	for _, c := range []struct{ from, length, least, count, total int64 }{
		{1, 500e6 - 1, 20e6, 0, 0},
		{2, 500e6, 20e6, 1, 500e6},
		{3, 600e6 - 1, 60e6, 1, 500e6},
		{4, 600e6, 60e6, 2, 1100e6},
		{5, 550e6, 20e6, 3, 1650e6},
	} {
		f.open = RateFall{PacketRange: PacketRange{at(c.from), at(c.from + c.length)}}
		if f.end(c.least); f.Count != c.count || f.Total != c.total || f.open.From.Seen() {
			t.Errorf("%+v: %d falls of %d ns", c, f.Count, f.Total)
		}
	}
	assert.Check(t, f.Longest.From == at(4), "the longest begins at %v, want 4", f.Longest.From)
}

// TestFallWindows: a window ends after 200 ms, or five least round trips, or when nothing is in flight. A silence of a
// retransmission timeout begins anew.
func TestFallWindows(t *testing.T) {
	const slow = 30e6 // least round trip of the windows, ns
	for _, c := range []struct {
		what     string
		now      int64 // the window begins at 1, and an acknowledgment comes in its middle, ns
		least    int64
		inFlight bool
		open, on bool // a fall is open then; a window is
		kept     int64
	}{
		{"200 ms", 1 + 200e6, 20e6, true, true, true, 0},
		{"a little less", 200e6, 20e6, true, false, true, 20},
		{"five round trips of 50 ms", 1 + 250e6, 50e6, true, true, true, 0},
		{"a little less than five of 50 ms", 250e6, 50e6, true, false, true, 20},
		{"nothing in flight", 1 + 200e6, 20e6, false, false, false, 0},
		{"a silence of a timeout, 200 ms where no round trip is known", 300e6, 20e6, true, false, true, 0},
		{"a little less", 300e6 - 1, 20e6, true, true, true, 0},
	} {
		var f RateFalls
		best := &Rate{1_000_000, 1e9}
		ack := func(now int64, inFlight bool) {
			f.ack(&subflow.Ack{NewestRTT: max(slow, 3*c.least/2)}, 10, at(now), inFlight, c.least, 0, best)
		}
		ack(1, true)
		ack(100e6, true)
		ack(c.now, c.inFlight)
		assert.Check(t, f.open.From.Seen() == c.open && f.since.Seen() == c.on && f.bytes == c.kept && f.last == c.now, "%s: %+v", c.what, f)
		assert.Check(t, !c.open || f.open.During.Bytes == 20, "%s: %d bytes in the window, want the 20 after its begin", c.what, f.open.During.Bytes)
	}
}

// TestFallen: the fall that goes on counts, and no fall across a gap of the capture does.
func TestFallen(t *testing.T) {
	d := followed(1).Follow(conn.A)
	p := d.Follow(d.c.followed[0])
	p.falls.open = RateFall{PacketRange: PacketRange{at(1), at(1 + 700e6)}}
	p.falls.since = at(1 + 700e6)
	if got := p.Fallen(); got.Count != 1 || got.Total != 700e6 || p.falls.Count != 0 {
		t.Errorf("%+v", got)
	}
	p.since = at(5)
	d.gap(at(9))
	if got := p.Fallen(); got.Count != 0 || p.falls.since.Seen() || p.since != at(9) {
		t.Errorf("after a gap: %+v", got)
	}
}
