package clockstep

import (
	"testing"
	"time"

	"gotest.tools/v3/assert"

	"mpanalyze/internal/packet"
)

// The bounds are written out here: a test that took them from the code would follow a wrong one.
const (
	pauseBound  = 100 * ms
	backBound   = 3 * ms
	hiddenBound = ms
	lateBound   = 10 * ms
	plainBound  = 2 * sec
	flightBound = 16
)

// step goes on for a while with the clock of the capture set.
func (k *conversation) step(by int64) *conversation {
	at := len(k.segs)
	k.run(500).set(at, by)
	return k
}

// early returns a conversation whose host B sends a last acknowledgment behind a silence.
func (k *conversation) early(by int64) *conversation {
	k.data()
	k.now += by - ms
	k.ack(k.sent)
	return k.run(3)
}

// TestBounds shows each bound by a case at it and one beside it. In front of a step there are 4 ms
// between two packets, 1 ms with data in flight.
func TestBounds(t *testing.T) {
	t.Parallel()
	plain := func() *conversation { return newConversation().plainly() }
	for _, c := range []struct {
		name  string
		k     *conversation
		steps int64
		late  int64
	}{
		{"Pause: not looked at", newConversation().run(1000).step(pauseBound - 4*ms), 0, 0},
		{"Pause: looked at", newConversation().run(1000).step(pauseBound - 4*ms + 1), 1, 0},
		{"leastHidden: not looked at", newConversation().run(1000).pause(2*sec, 0).step(hiddenBound - 1 - 2004*ms), 0, 0},
		{"leastHidden: looked at", newConversation().run(1000).pause(2*sec, 0).step(hiddenBound - 2004*ms), 1, 0},
		{"leastBack: not looked at", newConversation().run(1000).step(-backBound - 4*ms), 0, 0},
		{"leastBack: looked at", newConversation().run(1000).step(-backBound - 4*ms - 1), 1, 0},
		{"leastLate: out of order by less", plain().run(500).step(-lateBound - 4*ms + 1), 0, 0},
		{"leastLate: a step back", plain().run(500).step(-lateBound - 4*ms), 1, 0},
		{"leastWithoutTimestamps: a slow answer", plain().run(500).early(plainBound - 1), 0, 0},
		{"leastWithoutTimestamps: a step", plain().run(500).early(plainBound), 1, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, packets := range []int{1, 7, 32} {
				var k conversation
				k.segs = append(k.segs, c.k.segs...)
				w := k.watchBy(packets)
				if steps, n := w.Steps(); n != c.steps || w.Late().Count != c.late {
					t.Errorf("%d packets at once: %d steps %+v, late %+v; want %d and %d", packets, n, steps, w.Late(), c.steps, c.late)
				}
			}
		})
	}
}

// TestNothingInFlight: packets behind a jump wait until 16 of them had nothing in flight.
func TestNothingInFlight(t *testing.T) {
	for n, want := range map[int]int{flightBound - 1: 0, flightBound: flightBound} {
		k := newConversation().plainly().run(500)
		at := len(k.segs)
		k.run(n).set(at, hour)
		w := New(Options{})
		w.Look(k.segs[:at], 0, false)
		if got := w.Look(k.segs[at:at+n], 0, false); got != want {
			t.Errorf("%d packets: %d are settled, want %d", n, got, want)
		}
	}
}

// TestManySteps: the list has the first of them, forward and back in turn; the number is that of all.
func TestManySteps(t *testing.T) {
	k := newConversation().run(500)
	for i := range int64(33) {
		k.step((1 - i%2*2) * (i + 1) * hour)
	}
	if steps, n := k.watch().Steps(); len(steps) != 32 || n != 33 || k.off() > 33*ms {
		t.Errorf("%d steps in the list, %d in all; off by %v", len(steps), n, time.Duration(k.off()))
	}
}

// TestWindows: the least offset counts for a second and 33 packets at least.
func TestWindows(t *testing.T) {
	for apart, want := range map[int64]int64{40 * ms: 33 * 40 * ms, 10 * ms: 1010 * ms} {
		var c tsClock
		var begins []int64
		for i := range int64(400) {
			now := hour + i*apart
			if c.observe(now, uint32(now/ms)); c.n == 1 {
				begins = append(begins, c.since)
			}
		}
		if n := len(begins); n < 3 || begins[n-1]-begins[n-2] != want {
			t.Errorf("packets each %v: windows begin at %v, want one each %v", time.Duration(apart), begins, time.Duration(want))
		}
	}
}

// TestLimits: the limits of memory and of the search for the unit of timestamps.
func TestLimits(t *testing.T) {
	if MaxHeld != 192 || tableSets != 128 || setSize != 4 || unitAttempts != 16 {
		t.Errorf("%d packets wait; %d sets of %d directions; %d attempts", MaxHeld, tableSets, setSize, unitAttempts)
	}
	var all []change
	for range 17 {
		all = addChange(all, change{clock: new(tsClock)})
	}
	assert.Check(t, len(all) == 16, "a jump is judged by %d directions", len(all))
}

// at puts the packets on an interface, and the hosts at addresses of their own.
func (k *conversation) at(iface uint16) *conversation {
	for i := range k.segs {
		s := &k.segs[i]
		s.Iface, s.Src.Addr[0], s.Dst.Addr[0] = iface, byte(iface), byte(iface)
	}
	return k
}

// together returns the packets of several conversations in the order of their capture times.
func together(all ...*conversation) *conversation {
	out := new(conversation)
	for {
		var first *conversation
		for _, k := range all {
			if len(k.segs) > 0 && (first == nil || k.segs[0].Time < first.segs[0].Time) {
				first = k
			}
		}
		if first == nil {
			return out
		}
		s := first.segs[0]
		s.Num = uint64(len(out.segs) + 1)
		out.segs, out.truth = append(out.segs, s), append(out.truth, first.truth[0])
		first.segs, first.truth = first.segs[1:], first.truth[1:]
	}
}

// TestInterfaces: without timestamps, the silence of an interface is a step only if data was in
// flight across a silence of all interfaces, as the packets of one of them show.
func TestInterfaces(t *testing.T) {
	t.Parallel()
	// talk is a connection that is silent for a time. size is a part of it that did not pass.
	talk := func(begin, silent, size int64, inFlight bool) *conversation {
		k := newConversation().plainly()
		k.now += begin
		k.run(100)
		if inFlight {
			k.data()
		}
		at := len(k.segs)
		k.now += silent - size
		if inFlight {
			k.ack(k.sent)
		}
		k.run(100).set(at, size)
		return k
	}
	// moved puts packets of either host on an interface, before the silence or behind it.
	moved := func(k *conversation, iface uint16, port uint16, before, behind bool) *conversation {
		after := false
		for i := range k.segs {
			s := &k.segs[i]
			after = after || i > 0 && s.Time-k.segs[i-1].Time > sec
			if s.Src.Port == port && (after && behind || !after && before) {
				s.Iface = iface
			}
		}
		return k
	}
	const portA, portB = 4000, 80
	busy := func(seconds int) *conversation { return newConversation().plainly().run(200 * seconds) }
	for _, c := range []struct {
		name string
		k    *conversation
		want int64 // size of the step, 0 for none
	}{
		{"one is silent, the other one works", together(talk(0, 5500*ms, 0, false).at(0), busy(7).at(1)), 0},
		{"one is silent with data in flight, the other one works", together(talk(0, 5500*ms, 0, true).at(0), busy(7).at(1)), 0},
		{"the other one works for a part of the silence", together(talk(0, 5500*ms, 0, true).at(0), busy(4).at(1)), 2 * sec},
		{"the other one works until just before", together(talk(0, 5500*ms, 0, true).at(0), busy(5).at(1)), 0},
		{"both are silent", together(talk(0, 5500*ms, 0, false).at(0), talk(2*ms, 5500*ms, 0, false).at(1)), 0},
		{"a step, shown by the first one", together(talk(0, hour, hour, true).at(0), talk(2*ms, hour+6*ms, hour, false).at(1)), hour},
		{"a step, shown by the second one", together(talk(2*ms, hour+3*ms, hour, false).at(0), talk(0, hour+6*ms, hour, true).at(1)), hour},
		{"both directions moved in the silence", together(talk(2*ms, 5500*ms, 0, false).at(0), moved(moved(talk(0, 5500*ms, 0, true).at(1), 2, portA, false, true), 2, portB, false, true)), 0},
		{"each direction has an interface", moved(talk(0, 5500*ms, 0, true).at(1), 2, portB, true, true), 0},
		{"the answers moved in the silence", moved(talk(0, 5500*ms, 0, true).at(1), 2, portB, true, false), 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := c.k.watch()
			steps, n := w.Steps()
			if want := int64(min(c.want, 1)); n != want || w.Late().Count != 0 {
				t.Fatalf("%d steps %+v, late %+v; want %d", n, steps, w.Late(), want)
			}
			if c.want > 0 && !within(steps[0].Size-c.want, 20*ms) {
				t.Errorf("a step of %v, want %v", time.Duration(steps[0].Size), time.Duration(c.want))
			}
			if off := c.k.off(); c.want == 0 && off != 0 || c.want == hour && off > 20*ms {
				t.Errorf("a time is wrong by %v", time.Duration(off))
			}
		})
	}
}

// TestSecondInterfaceBounds: the second interface shows a step if it was silent since then, but for
// plainBound, and if the sizes differ by no more than Pause. A packet of it may be
// this much behind the others.
func TestSecondInterfaceBounds(t *testing.T) {
	for _, c := range []struct {
		name         string
		heard, other int64
		within       int64
		again        bool
	}{
		{"silent for long", -hour, 0, 0, true},
		{"heard at last", plainBound, 0, 0, true},
		{"heard later", plainBound + 1, 0, 0, false},
		{"as large as may be", 0, pauseBound, 0, true},
		{"too large", 0, pauseBound + 1, 0, false},
		{"too small", 0, -pauseBound - 1, 0, false},
		{"as exact as it is known", 0, 300 * ms, 300 * ms, true},
		{"less exact", 0, 300*ms + 1, 300 * ms, false},
	} {
		w := New(Options{})
		w.steps, w.count, w.streams = []Step{{Iface: 1, Time: hour, Size: sec, Within: c.within}}, 1, []stream{{prev: hour + c.heard}, {}}
		if size, ok := w.repeats(0, sec+c.other); ok != c.again || ok && size != sec {
			t.Errorf("%s: %v, %v", c.name, ok, time.Duration(size))
		}
		if _, ok := w.repeats(1, sec); ok {
			t.Error("the same interface repeats its step")
		}
	}
	for behind, want := range map[int64]int64{lateBound - 1: 0, lateBound: 1} {
		segs := []packet.Segment{{Time: hour}, {Time: hour, Iface: 1}, {Time: hour + 50*ms}, {Time: hour + 50*ms - behind, Iface: 1}}
		w := New(Options{})
		w.Look(segs, 0, true)
		if l := w.Late(); l.Count != want || segs[3].Time != hour+50*ms-behind*(1-want) {
			t.Errorf("%v behind the other interface: %+v, time %v", time.Duration(behind), l, time.Duration(segs[3].Time-hour))
		}
	}
}
