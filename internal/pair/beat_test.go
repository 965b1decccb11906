package pair

import "testing"

// ticking plays a packet each 5.1 ms for 20 s, with a timestamp in ms, to the
// clock; shift says by how much each stamp is off, ns.
func ticking(shift func(now int64) int64) *clock {
	c := new(clock)
	var b beat
	for now := int64(1e9); now < 21e9; now += 5.1e6 {
		b.take(c, AtReceiver, now+shift(now), uint32(0xffff_f000+now/1e6)) // wraps
	}
	return c
}

// TestJumps: stamps that were set show between the very packets; packets that
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
		{"forward and back", at(10e9, 15e9, 25e6), []int64{25, -25}},
		{"a drift of 200 ppm", func(now int64) int64 { return now / 5000 }, nil},
		{"a drift of -200 ppm", func(now int64) int64 { return -now / 5000 }, nil},
	} {
		k := ticking(c.shift)
		if len(k.voices) != 1 {
			t.Fatalf("%s: %d voices", c.name, len(k.voices))
		}
		jumps := k.voices[0].jumps
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

// TestDeaf: timestamps in no known unit are not followed, and no more
// directions than the bound.
func TestDeaf(t *testing.T) {
	c := new(clock)
	var odd beat
	for i := range int64(1000) {
		odd.take(c, AtSender, i*1e6, uint32(i*30)) // units of 33 us
	}
	if len(c.voices) != 0 || !odd.deaf {
		t.Errorf("%d voices", len(c.voices))
	}
	for range 2 * maxVoices {
		var b beat
		for i := range int64(200) {
			b.take(c, AtSender, i*1e6, uint32(i))
		}
	}
	if len(c.voices) != maxVoices {
		t.Errorf("%d voices, want %d", len(c.voices), maxVoices)
	}
}
