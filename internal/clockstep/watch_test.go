package clockstep

import (
	"math"
	"testing"
	"time"

	"gotest.tools/v3/assert"

	"mpanalyze/internal/packet"
	"mpanalyze/internal/seq"
)

const (
	ms   = int64(time.Millisecond)
	sec  = int64(time.Second)
	hour = int64(time.Hour)
)

// conversation is a TCP connection: host A sends 1000 bytes every 5 ms, and host B acknowledges
// them 1 ms later. Both write milliseconds into their timestamps.
type conversation struct {
	segs   []packet.Segment
	truth  []int64 // when each of them really passed
	now    int64
	sent   seq.Wire
	plain  bool  // without timestamps
	asleep int64 // for how long host A's clock of timestamps stood still, ns
}

func newConversation() *conversation { return &conversation{now: 1e18, sent: 1000} }

func (k *conversation) add(fromB bool, at int64, number, ack seq.Wire, payload uint32) *packet.Segment {
	a, b := packet.Endpoint{Addr: [16]byte{15: 1}, Port: 4000}, packet.Endpoint{Addr: [16]byte{15: 2}, Port: 80}
	s := packet.Segment{Num: uint64(len(k.segs) + 1), Time: at, Src: a, Dst: b, Seq: number, Ack: ack, Flags: packet.ACK, PayloadLen: payload}
	if !k.plain {
		s.Have = packet.HasTimestamps
		s.TSVal = uint32((at - k.asleep) / ms)
	}
	if fromB {
		s.Src, s.Dst = b, a
		s.TSVal = uint32(at/ms) + 77777
	}
	k.segs, k.truth = append(k.segs, s), append(k.truth, at)
	return &k.segs[len(k.segs)-1]
}

// run goes on for n times 5 ms.
func (k *conversation) run(n int) *conversation {
	for range n {
		k.data()
		k.ack(k.sent)
		k.now += 4 * ms
	}
	return k
}

func (k *conversation) data() *packet.Segment {
	s := k.add(false, k.now, k.sent, 1, 1000)
	k.sent += 1000
	k.now += ms
	return s
}

func (k *conversation) ack(to seq.Wire) { k.add(true, k.now, 1, to, 0) }

// set sets the clock of the capture from here on.
func (k *conversation) set(from int, by int64) {
	for i := from; i < len(k.segs); i++ {
		k.segs[i].Time += by
	}
}

// watch looks at the conversation in runs of some packets, as a reader does.
func (k *conversation) watch() *Watch { return k.watchBy(32) }

// watchBy looks at the conversation as a reader does that reads so many packets at once.
func (k *conversation) watchBy(packets int) *Watch {
	w, settled := New(Options{}), 0
	for end := 0; end < len(k.segs); {
		from := end
		end = min(end+packets, len(k.segs))
		settled += w.Look(k.segs[settled:end], from-settled, end == len(k.segs) || end-settled > MaxHeld-packets)
	}
	return w
}

// off returns the largest error of a packet's time, ns.
func (k *conversation) off() (most int64) {
	for i := range k.segs {
		most = max(most, k.segs[i].Time-k.truth[i], k.truth[i]-k.segs[i].Time)
	}
	return most
}

// TestStepProvenByTimestamps: if the clock is set back during a pause, by less than the pause, the capture
// times still increase.
func TestStepProvenByTimestamps(t *testing.T) {
	for _, c := range []struct{ pause, size, within int64 }{
		{0, -500 * ms, ms},
		{0, -hour, ms},
		{0, hour, ms},
		{0, 365 * 24 * hour, ms},
		{0, 300 * ms, ms},
		{0, -20 * ms, ms},
		{2 * sec, -300 * ms, 2 * ms},
		{2 * sec, -1999 * ms, 2 * ms},
		{2 * sec, -120 * ms, 2 * ms},
		{2 * sec, -1960 * ms, 2 * ms},
		{2 * sec, 300 * ms, 2 * ms},
	} {
		k := newConversation().run(1000).pause(c.pause, 0)
		at := len(k.segs)
		k.run(1000).set(at, c.size)
		w := k.watch()
		steps, n := w.Steps()
		if n != 1 || len(steps) != 1 {
			t.Errorf("%+v: %d steps were found: %+v", c, n, steps)
			continue
		}
		x, s := steps[0], &k.segs[at]
		if !x.Proven || x.Packet != s.Num || !within(x.Size-c.size, c.within) || k.off() > c.within || w.Late().Count != 0 {
			t.Errorf("%+v at packet %d: found %+v, off by %v, late %+v", c, s.Num, x, time.Duration(k.off()), w.Late())
		}
		assert.Check(t, s.Have&packet.ClockChanged != 0 && s.Clock.Has(packet.ClockProven) && s.ClockSet == x.Size, "%+v: the packet says %v, %b", c, s.ClockSet, s.Clock)
	}
}

// TestNoStep: a jump that only looks like a step of the clock leaves all times as they are.
func TestNoStep(t *testing.T) {
	for name, k := range map[string]*conversation{
		"a pause":              newConversation().run(500).pause(10*60*sec, 0).run(500),
		"many pauses":          newConversation().run(500).pause(sec, 0).run(3).pause(20*sec, 0).run(1).pause(2*hour, 0).run(500),
		"a host was suspended": newConversation().run(500).pause(hour, hour).run(500),
		"a host was suspended, the other one has no timestamps": newConversation().run(500).pause(hour, hour).run(500).plainB(),
		"no timestamps":       newConversation().plainly().run(500).pause(hour, 0).run(500),
		"a queue was emptied": newConversation().run(500).stall(80, 700*ms).run(500),
		"it was sent again":   newConversation().plainly().run(500).resend(5 * sec).run(500),
		"a queue that was there is empty behind a silence": newConversation().pause(0, 300*ms).run(500).pause(2*sec, -300*ms).run(500),
		"an early pause":        newConversation().run(2).pause(3*sec, 0).run(500),
		"order wrong by little": newConversation().run(500).swap(2 * ms).run(500),
	} {
		before := make([]int64, len(k.segs))
		for i := range k.segs {
			before[i] = k.segs[i].Time
		}
		w := k.watch()
		if steps, n := w.Steps(); n != 0 || w.Late().Count != 0 {
			t.Errorf("%s: %+v, late %+v", name, steps, w.Late())
		}
		for i := range k.segs {
			if k.segs[i].Time != before[i] {
				t.Errorf("%s: the time of packet %d has changed by %v", name, i+1, time.Duration(k.segs[i].Time-before[i]))
				break
			}
		}
	}
}

func (k *conversation) plainly() *conversation { k.plain = true; return k }

// plainB takes the timestamps of host B away.
func (k *conversation) plainB() *conversation {
	for i := range k.segs {
		if s := &k.segs[i]; s.Src.Port == 80 {
			s.Have = 0
		}
	}
	return k
}

// pause lets time pass, in which the timestamps of host A may stand still.
func (k *conversation) pause(by, asleep int64) *conversation {
	k.now += by
	k.asleep += asleep
	return k
}

// stall has n segments of host A wait in a queue in front of the capture.
func (k *conversation) stall(n int, by int64) *conversation {
	at := len(k.segs)
	for range n {
		k.data()
	}
	k.now += by
	for i := at; i < len(k.segs); i++ {
		k.segs[i].Time, k.truth[i] = k.now, k.now
		k.now += ms / 10
	}
	k.ack(k.sent)
	return k
}

// resend loses a segment, which is sent again after a time.
func (k *conversation) resend(after int64) *conversation {
	k.data()
	k.now += after
	k.sent -= 1000
	return k
}

// swap puts two packets into the wrong order.
func (k *conversation) swap(by int64) *conversation {
	s := k.data()
	s.Time += by
	k.ack(k.sent)
	k.now += by
	return k
}

// TestLatePackets: packets whose capture times fit their timestamps, but not their place in
// the file, are no step.
func TestLatePackets(t *testing.T) {
	for _, plain := range []bool{false, true} {
		k := newConversation()
		k.plain = plain
		k.run(1000)
		moved := k.segs[1500]
		const behind = 40
		copy(k.segs[1500:1500+behind], k.segs[1501:1501+behind])
		k.segs[1500+behind] = moved
		w := k.watch()
		l := w.Late()
		if _, n := w.Steps(); n != 0 || l.Count != 1 || l.Packet != moved.Num {
			t.Errorf("plain %v: %d steps, late %+v", plain, n, l)
		}
		prev := int64(math.MinInt64)
		for i := range k.segs {
			assert.Assert(t, k.segs[i].Time >= prev, "plain %v: the time goes back at packet %d", plain, i+1)
			prev = k.segs[i].Time
		}
	}
}

// TestSecondInterface: the same step in the packets of another interface is not counted twice,
// and the times of both interfaces still agree.
func TestSecondInterface(t *testing.T) {
	both := together(newConversation().run(1000).at(0), newConversation().run(1000).at(1))
	both.set(2000, -hour)
	if steps, n := both.watch().Steps(); n != 1 || both.off() > ms {
		t.Errorf("found %+v; off by %v", steps, time.Duration(both.off()))
	}
}

func TestLookAllocatesNothing(t *testing.T) {
	k := newConversation().run(1000)
	w := k.watch()
	segs := k.segs
	if n := testing.AllocsPerRun(10, func() {
		for i := range segs {
			segs[i].Time += 100 * sec
			segs[i].TSVal += 100 * 1000
		}
		w.Look(segs, 0, false)
	}); n > 0 {
		t.Errorf("%v allocations", n)
	}
}

// TestTimestampsOfNoKnownUnit: timestamps in an unknown unit do not make a step of a pause, even
// if an ACK was delayed by it.
func TestTimestampsOfNoKnownUnit(t *testing.T) {
	k := newConversation().run(300)
	k.data()
	k.now += hour
	k.ack(k.sent)
	k.run(300)
	for i := range k.segs {
		k.segs[i].TSVal = k.segs[i].TSVal / 7 * 3
	}
	if steps, n := k.watch().Steps(); n != 0 {
		t.Errorf("found %+v", steps)
	}
}
