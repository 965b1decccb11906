package clock

import (
	"testing"

	"gotest.tools/v3/assert"
)

// ticking plays a packet each 5.1 ms for 20 s, with a timestamp in ms, to an
// estimator; shift says by how much each capture time is off, ns.
func ticking(shift func(now int64) int64) *Estimator {
	e := New(0, false)
	var c TSClock
	for now := int64(1e9); now < 21e9; now += 5.1e6 {
		c.Observe(e, AtReceiver, now+shift(now), uint32(0xffff_f000+now/1e6)) // wraps
	}
	return e
}

// TestJumps: a clock that was set shows between the very packets; packets that
// wait in their host, for less than it takes to believe in a step, do not.
func TestJumps(t *testing.T) {
	at := func(from, to int64, by int64) func(int64) int64 {
		return func(now int64) int64 {
			if now >= from && now < to {
				return by
			}
			return 0
		}
	}
	for _, c := range []struct {
		name  string
		shift func(int64) int64
		want  []int64 // sizes in ms
	}{
		{"nothing", at(0, 0, 0), nil},
		{"forward", at(10e9, 99e9, 25e6), []int64{25}},
		{"back", at(10e9, 99e9, -5e6), []int64{-5}},
		{"a queue for 0.1 s", at(10e9, 10.1e9, 25e6), nil},
		{"back, just before the end", at(20.7e9, 99e9, -5e6), []int64{-5}},
		{"forward, just before the end", at(20.85e9, 99e9, 25e6), nil},
		{"forward and back", at(10e9, 15e9, 25e6), []int64{25, -25}},
		{"a drift of 200 ppm", func(now int64) int64 { return now / 5000 }, nil},
		{"a drift of -200 ppm", func(now int64) int64 { return -now / 5000 }, nil},
	} {
		k := ticking(c.shift)
		assert.Assert(t, len(k.tracks) == 1, "%s: %d tracks", c.name, len(k.tracks))
		jumps := k.tracks[0].jumps
		if len(jumps) != len(c.want) {
			t.Errorf("%s: %+v", c.name, jumps)
			continue
		}
		for i, j := range jumps {
			if d := j.size - c.want[i]*1e6; d < -1e6 || d > 1e6 { // a tick
				t.Errorf("%s: a jump of %d ns, want %d ms", c.name, j.size, c.want[i])
			}
			if j.gap() > 7e6 { // the time between two packets, and what the size is off
				t.Errorf("%s: somewhere in %d ns", c.name, j.gap())
			}
		}
	}
}

// TestDeviations: offsets that rise by more than the noise, 1 ms, and what a drift may add, are a jump once 16 packets and 200 ms show
// it; offsets that fall, after 50 ms. Five equal packets come before.
func TestDeviations(t *testing.T) {
	for _, c := range []struct {
		by, every int64 // ns
		packets   int64
		jumps     int
	}{
		{2e6, 20e6, 15, 0},
		{2e6, 20e6, 16, 1},
		{2e6, 10e6, 20, 0},
		{2e6, 10e6, 21, 1},
		{-2e6, 2e6, 25, 0},
		{-2e6, 2e6, 26, 1},
		{-2e6, 10e6, 15, 0},
		{-2e6, 10e6, 16, 1},
		{1e6, 20e6, 30, 0},
		{-1e6, 20e6, 30, 0},
	} {
		tr := tsTrack{noise: 1e6}
		for i := range int64(5) {
			tr.add(1e9+i, 7e6)
		}
		for i := range c.packets {
			tr.add(1e9+10+i*c.every, 7e6+c.by)
		}
		if len(tr.jumps) != c.jumps || c.jumps > 0 && tr.jumps[0] != (jump{1e9 + 4, 1e9 + 10, c.by}) {
			t.Errorf("%+v: %+v", c, tr.jumps)
		}
	}
	for want, j := range map[int64]jump{3: {10, 20, 7}, 0: {10, 20, 11}, 17: {10, 20, -7}} {
		if got := j.gap(); got != want {
			t.Errorf("gap of %+v: %d, want %d", j, got, want)
		}
	}
}

// TestUnknownUnit: timestamps in no known unit are not followed, and no more
// directions than the bound.
func TestUnknownUnit(t *testing.T) {
	e := New(0, false)
	var odd TSClock
	for i := range int64(1000) {
		odd.Observe(e, AtSender, i*1e6, uint32(i*30)) // units of 33 us
	}
	assert.Check(t, len(e.tracks) == 0, "%d tracks", len(e.tracks))
	for range 2 * maxTracks {
		var c TSClock
		for i := range int64(200) {
			c.Observe(e, AtSender, i*1e6, uint32(i))
		}
	}
	assert.Check(t, len(e.tracks) == maxTracks, "%d tracks, want %d", len(e.tracks), maxTracks)
}
