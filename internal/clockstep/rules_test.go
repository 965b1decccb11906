package clockstep

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	"mpanalyze/internal/packet"
)

// The hosts of a connection, and a third one.
var (
	hostA = packet.Endpoint{Addr: [16]byte{15: 1}, Port: 4000}
	hostB = packet.Endpoint{Addr: [16]byte{15: 2}, Port: 80}
	hostC = packet.Endpoint{Addr: [16]byte{15: 3}, Port: 90}
)

// known returns a direction with a known unit of timestamps. Its latest packet was captured at hour,
// when its timestamps showed 100000 units. The capture and the timestamps agree.
func known(src, dst packet.Endpoint, tick int64) *tsClock {
	c := &tsClock{src: src, dst: dst, known: true, hasTimestamps: true, last: hour}
	for i := int64(-10); i <= 0; i++ {
		c.observe(hour+i*20*tick, uint32(100_000+i*20))
	}
	c.since = hour
	return c
}

// move returns what a direction with an exact clock shows.
func move(src, dst packet.Endpoint, least, slack int64) change {
	return change{known(src, dst, ms), least, slack}
}

// apart returns n packets, all but the first of them span behind the first.
func apart(n int, span int64) []packet.Segment {
	segs := make([]packet.Segment, n)
	segs[0].Time = hour
	for i := range segs[1:] {
		segs[1+i].Time = hour + span
	}
	return segs
}

// TestJudgements shows each condition of the rules by a case in which it alone decides.
func TestJudgements(t *testing.T) {
	const slack = ms
	proven := func(size, within int64) finding { return finding{kind: step, size: size, within: within, proven: true} }
	not, open := finding{kind: nothing}, finding{}
	both := func(size, slack int64) []change {
		return []change{move(hostA, hostB, size, slack), move(hostB, hostA, size+ms, slack)}
	}
	mixed := func(size, other int64) []change { return append(both(size, slack), move(hostA, hostC, other, slack)) }
	oneEnd := func(size int64) []change {
		return []change{move(hostA, hostB, size, slack), move(hostC, hostB, size, slack), move(hostA, hostC, size, slack)}
	}
	type rule = func(w *Watch, segs []packet.Segment, all []change, since, span int64, last bool) finding
	forward := func(w *Watch, segs []packet.Segment, all []change, _, span int64, last bool) finding {
		return w.forward(segs, all, span, last)
	}
	hidden := func(w *Watch, segs []packet.Segment, all []change, _, span int64, last bool) finding {
		return w.hidden(segs, all, span, last)
	}
	for _, c := range []struct {
		name    string
		rule    rule
		all     []change
		since   int64
		packets int
		span    int64
		last    bool
		want    finding
	}{
		{"forward: half a Pause", forward, both(pauseBound/2, slack), 0, 128, 50 * ms, false, proven(pauseBound/2, slack)},
		{"forward: less", forward, both(pauseBound/2-1, slack), 0, 128, 50 * ms, false, not},
		{"forward: twice the slack", forward, both(60*ms, 30*ms), 0, 128, 50 * ms, false, proven(60*ms, 30*ms)},
		{"forward: less than twice the slack", forward, both(60*ms-1, 30*ms), 0, 128, 50 * ms, false, not},
		{"forward: another connection went on", forward, mixed(sec, 0), 0, 128, 50 * ms, false, not},
		{"forward: too few packets", forward, both(sec, slack), 0, 127, 50 * ms, false, open},
		{"forward: too little time", forward, both(sec, slack), 0, 128, 50*ms - 1, false, open},
		{"forward: the capture ends", forward, both(sec, slack), 0, 1, 0, true, proven(sec, slack)},
		{"forward: no two ends", forward, oneEnd(sec), 0, 128, 50 * ms, false, open},
		{"forward: no two ends, the capture ends", forward, oneEnd(sec), 0, 128, 50 * ms, true, not},

		{"hidden: half a Pause", hidden, both(-pauseBound/2-ms, slack), 0, 128, 50 * ms, false, proven(-pauseBound/2-ms, slack)},
		{"hidden: one direction less", hidden, both(-pauseBound/2-ms+1, slack), 0, 128, 50 * ms, false, not},
		{"hidden: twice the slack", hidden, both(-61*ms, 30*ms), 0, 128, 50 * ms, false, proven(-61*ms, 30*ms)},
		{"hidden: less than twice the slack", hidden, both(-61*ms+1, 30*ms), 0, 128, 50 * ms, false, not},
		{"hidden: another connection went on", hidden, mixed(-sec, 0), 0, 128, 50 * ms, false, not},
		{"hidden: too few packets", hidden, both(-sec, slack), 0, 127, 50 * ms, false, open},
		{"hidden: too little time", hidden, both(-sec, slack), 0, 128, 50*ms - 1, false, open},
		{"hidden: the capture ends", hidden, both(-sec, slack), 0, 1, 0, true, proven(-sec, slack)},
		{"hidden: no two ends", hidden, oneEnd(-sec), 0, 128, 50 * ms, false, open},
		{"hidden: no two ends, the capture ends", hidden, oneEnd(-sec), 0, 128, 50 * ms, true, not},

		{"back: more than half", (*Watch).back, oneEnd(-sec/2 - 1)[:1], -sec, 128, 50 * ms, false, proven(-sec/2-1, slack)},
		{"back: half agrees with the timestamps", (*Watch).back, oneEnd(-sec / 2)[:1], -sec, 128, 50 * ms, false, finding{kind: lateness}},
		{"back: more than twice the slack", (*Watch).back, both(-400*ms-ms-1, 200*ms), -500 * ms, 128, 50 * ms, false, proven(-401*ms-1, 200*ms)},
		{"back: twice the slack", (*Watch).back, both(-400*ms, 200*ms), -500 * ms, 128, 50 * ms, false, finding{kind: lateness}},
		{"back: too few packets", (*Watch).back, both(-sec, slack), -sec, 127, 50 * ms, false, open},
		{"back: too little time", (*Watch).back, both(-sec, slack), -sec, 128, 50*ms - 1, false, open},
		{"back: the capture ends", (*Watch).back, both(-sec, slack), -sec, 2, 0, true, proven(-sec, slack)},
		{"back: only by the directions that went back", (*Watch).back, append([]change{move(hostA, hostC, -slack, slack)}, both(-sec, slack)...), -sec, 128, 50 * ms, false, proven(-sec, slack)},
		{"back: one more than the slack counts", (*Watch).back, append([]change{move(hostA, hostC, -slack-1, slack)}, both(-sec, slack)...), -sec, 128, 50 * ms, false, proven(-slack-1, slack)},
		{"back: one stamp is wrong", (*Watch).back, both(-sec, slack), -pauseBound + 1, 128, pauseBound - 1, false, finding{kind: lateness}},
		{"back: no stamp is wrong by a Pause", (*Watch).back, both(-sec, slack), -pauseBound, 128, pauseBound, false, proven(-sec, slack)},
		{"back: too little", (*Watch).back, both(0, slack), -lateBound + 1, 2, 0, true, not},
		{"back: without timestamps", (*Watch).back, nil, -lateBound, 2, 0, true, finding{kind: step, size: -lateBound}},
		{"back: without timestamps, too little", (*Watch).back, nil, -lateBound + 1, 2, 0, true, not},
		{"back: without timestamps, more may come", (*Watch).back, nil, -lateBound, 2, 0, false, open},
		{"back: the times return", (*Watch).back, nil, -lateBound, 2, lateBound, false, finding{kind: lateness}},
	} {
		got := c.rule(new(Watch), apart(c.packets, c.span), c.all, c.since, c.span, c.last)
		assert.Check(t, is.DeepEqual(got, c.want, cmp.AllowUnexported(finding{})), "%s", c.name)
	}
}

// TestProof: the direction with the least sum of jitter and unit gives the size, and the first of
// equal ones.
func TestProof(t *testing.T) {
	direction := func(tick, jitter, size int64) change {
		c := known(hostA, hostB, tick)
		c.jitter = jitter
		return change{c, size, size / 10}
	}
	for _, c := range []struct {
		name string
		all  []change
		want int64
	}{
		{"less jitter", []change{direction(ms, 3*ms, 10), direction(ms, 2*ms, 20), direction(ms, 4*ms, 30)}, 20},
		{"a finer unit", []change{direction(4*ms, 3*ms, 10), direction(10*ms, 3*ms, 20), direction(ms, 3*ms, 30)}, 30},
		{"a finer unit, but more jitter", []change{direction(4*ms, 3*ms, 10), direction(ms, 6*ms+1, 20)}, 10},
		{"a coarser unit, but less jitter", []change{direction(ms, 7*ms, 10), direction(4*ms, 4*ms-1, 20)}, 20},
		{"equal ones", []change{direction(ms, 3*ms, 10), direction(ms, 3*ms, 20)}, 10},
	} {
		if got := proof(c.all); got.size != c.want || got.within != c.want/10 || !got.proven || got.kind != step {
			t.Errorf("%s: %+v, want the size %d", c.name, got, c.want)
		}
	}
}

// TestJudgeCoarse: with Coarse, times that go back by less than a Pause are nothing.
func TestJudgeCoarse(t *testing.T) {
	for since, want := range map[int64]kind{-pauseBound + 1: nothing, -pauseBound: step, -lateBound: nothing} {
		w := New(Options{Coarse: true})
		if got := w.judge(apart(2, 0), since, true); got.kind != want {
			t.Errorf("%v: %+v", time.Duration(since), got)
		}
	}
}

// TestReturns: the packets in front of a jump by half of the distance, back to where the times were
// but for leastBack, are only late. Packets of another interface show nothing.
func TestReturns(t *testing.T) {
	const since = -sec
	for _, c := range []struct {
		name           string
		times          []int64
		second         uint16 // interface of the second packet
		returns, alone bool
	}{
		{"back in one jump", []int64{0, sec}, 0, true, true},
		{"not quite", []int64{0, sec - 1}, 0, true, false},
		{"but for leastBack", []int64{0, sec - backBound}, 0, true, false},
		{"but for more", []int64{0, sec - backBound - 1}, 0, false, false},
		{"half of it in a jump", []int64{0, sec / 2, sec}, 0, true, false},
		{"no jump of half of it", []int64{0, 400 * ms, sec/2 + 1, sec}, 0, false, false},
		{"another interface", []int64{0, sec, 0}, 1, false, false},
		{"another interface in between", []int64{0, sec / 2, sec}, 1, true, true},
		{"nothing behind it", []int64{0}, 0, false, false},
	} {
		segs := make([]packet.Segment, len(c.times))
		for i, at := range c.times {
			segs[i].Time = hour + at
		}
		if len(segs) > 1 {
			segs[1].Iface = c.second
		}
		if got := new(Watch).returns(segs, since); got != c.returns {
			t.Errorf("%s: returns %v", c.name, got)
		}
		if got := alone(segs, since); got != c.alone {
			t.Errorf("%s: alone %v", c.name, got)
		}
	}
}

// stamped returns a packet from A to B at hour+at whose timestamp shows hour+shown.
func stamped(at, shown int64) packet.Segment {
	return packet.Segment{Time: hour + at, Src: hostA, Dst: hostB, Have: packet.HasTimestamps, Flags: packet.ACK, TSVal: uint32(100_000 + shown/ms)}
}

// watching returns a watch that knows the timestamps from A to B.
func watching() *Watch {
	w := New(Options{})
	s := stamped(0, 0)
	*w.make(&s) = *known(hostA, hostB, ms)
	return w
}

// without returns a packet that lacks one of what its timestamp needs to count.
func without(s packet.Segment) map[string]packet.Segment {
	all := map[string]packet.Segment{"timestamps": s, "a known unit": s, "no SYN": s, "no RST": s}
	for name, x := range all {
		switch name {
		case "timestamps":
			x.Have = 0
		case "a known unit":
			x.Src = hostC
		case "no SYN":
			x.Flags |= packet.SYN
		case "no RST":
			x.Flags |= packet.RST
		}
		all[name] = x
	}
	return all
}

// TestEarly: a packet in front of its timestamp by more than half a Pause, or twice the slack, is
// early if there was a silence in front of it.
func TestEarly(t *testing.T) {
	w := watching()
	for _, c := range []struct {
		since, at, shown, known int64
		want                    bool
	}{
		{hiddenBound, 250*ms - 1, 300 * ms, 0, true},
		{hiddenBound, 250 * ms, 300 * ms, 0, false},
		{hiddenBound - 1, 250*ms - 1, 300 * ms, 0, false},
		// 2 ms, and 1/2000 of 58 s, are 31 ms
		{hiddenBound, 938*ms - 1, sec, 57 * sec, true},
		{hiddenBound, 938 * ms, sec, 57 * sec, false},
	} {
		s := stamped(c.at, c.shown)
		w.find(&s.Src, &s.Dst).since = hour - c.known
		if got := w.early(&s, c.since); got != c.want {
			t.Errorf("%+v: early %v", c, got)
		}
	}
	for name, s := range without(stamped(0, 300*ms)) {
		assert.Check(t, !w.early(&s, sec), "a packet without %s is early", name)
	}
}

// TestChanges: the least move of a direction counts, of packets on the interface of the first one.
func TestChanges(t *testing.T) {
	w := watching()
	w.stream(0).shift = 5 * ms
	segs := []packet.Segment{stamped(90*ms, 40*ms), stamped(120*ms, 90*ms), stamped(140*ms, 100*ms), stamped(200*ms, 190*ms), stamped(130*ms, 90*ms)}
	segs[3].Iface = 1
	for _, s := range without(stamped(135*ms, 134*ms)) {
		segs = append(segs, s)
	}
	all, span := w.changes(segs, nil)
	if len(all) != 1 || all[0].least != 35*ms || span != 50*ms {
		t.Errorf("%+v in %v", all, time.Duration(span))
	}
	if want := 2*ms + 40*ms/2000; all[0].slack != want { // a longer silence in front of the next ones
		t.Errorf("slack %d, want that of the first packet, %d", all[0].slack, want)
	}
}
