package clockstep

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"mpanalyze/internal/capture"
	"mpanalyze/internal/packet"
)

// TestLate: the number is that of all late packets, place and time are of the first one, and the size
// is that of the latest one. The packets get the time of the packet before.
func TestLate(t *testing.T) {
	var w Watch
	for i, behind := range []int64{20 * ms, 50 * ms, 30 * ms} {
		s := packet.Segment{Num: uint64(7 + i)}
		if got := w.lateness(&s, hour-behind, hour); got != hour || s.Have != packet.Untimed|packet.ClockChanged || s.Clock != packet.OutOfOrder || s.ClockSet != -behind {
			t.Errorf("packet %d: %d, %b, %b, %d", s.Num, got-hour, s.Have, s.Clock, s.ClockSet)
		}
	}
	if want := (Late{Count: 3, Packet: 7, Time: hour - 20*ms, Most: 50 * ms}); w.Late() != want {
		t.Errorf("%+v, want %+v", w.Late(), want)
	}
}

// TestApply: a step is taken out of the times of its interface, but the times do not go back by it.
// A step that another interface showed has its size there, and is no other one.
func TestApply(t *testing.T) {
	there := Step{Packet: 3, Iface: 1, Time: hour, Size: 400 * ms}
	own := func(size int64, proven bool) []Step {
		return []Step{{Packet: 9, Iface: 2, Time: hour + sec - size, Size: size, Within: 2 * ms, Proven: proven}}
	}
	for _, c := range []struct {
		name    string
		f       finding
		since   int64 // time of the packet behind the one before
		steps   []Step
		size    int64
		want    []Step
		changed packet.ClockChange
	}{
		{"a pause", finding{kind: nothing}, sec, nil, 0, nil, 0},
		{"shown by timestamps", finding{kind: step, size: 300 * ms, within: 2 * ms, proven: true}, sec, nil, 300 * ms, own(300*ms, true), packet.ClockProven},
		{"shown by data in flight", finding{kind: step, size: 300 * ms, within: 2 * ms}, sec, nil, 300 * ms, own(300*ms, false), 0},
		{"larger than the silence", finding{kind: step, size: 300 * ms, within: 2 * ms}, 200 * ms, nil, 200 * ms, own(200*ms, false), 0},
		{"back", finding{kind: step, size: -300 * ms, within: 2 * ms}, 0, nil, -300 * ms, own(-300*ms, false), 0},
		{"of another interface", finding{kind: step, size: 350 * ms}, sec, []Step{there}, 400 * ms, []Step{there}, 0},
		{"of another interface, larger than the silence", finding{kind: step, size: 450 * ms}, 370 * ms, []Step{there}, 370 * ms, []Step{there}, 0},
	} {
		w := Watch{steps: c.steps, count: int64(len(c.steps))}
		st := w.stream(2)
		*st = stream{begun: true, prev: hour + sec - c.since, shift: 10 * ms}
		s := packet.Segment{Num: 9, Iface: 2, Time: hour + sec - 10*ms}
		if now := w.apply(&s, st, &c.f); now != hour+sec-c.size || st.shift != 10*ms-c.size {
			t.Errorf("%s: time %d ms, shift %d ms; want a step of %d ms", c.name, (now-hour)/ms, st.shift/ms, c.size/ms)
		}
		if d := cmp.Diff(c.want, w.steps); d != "" || w.count != int64(len(c.want)) {
			t.Errorf("%s: %d steps (-want +got):\n%s", c.name, w.count, d)
		}
		if marked := len(c.want) > len(c.steps); (s.Have == packet.ClockChanged) != marked || marked && (s.Clock != c.changed || s.ClockSet != c.size) {
			t.Errorf("%s: the packet says %b, %b, %d ms", c.name, s.Have, s.Clock, s.ClockSet/ms)
		}
	}
}

// TestMark: what else is known of the place stays, if it was known.
func TestMark(t *testing.T) {
	for have, want := range map[packet.Present]packet.ClockChange{
		0:                   packet.OutOfOrder,
		packet.ClockChanged: packet.OutOfOrder | packet.TwoPlaces | packet.Uncountable,
	} {
		s := packet.Segment{Have: have, Clock: packet.TwoPlaces | packet.Uncountable | packet.ClockProven, ClockSet: 5}
		if mark(&s, -7, packet.OutOfOrder); s.Clock != want || s.ClockSet != -7 || s.Have != packet.ClockChanged {
			t.Errorf("%b: %b, %d, %b", have, s.Clock, s.ClockSet, s.Have)
		}
	}
}

// TestTimesInBounds: whatever the steps are, a time is one that a capture can have.
func TestTimesInBounds(t *testing.T) {
	const first, last = capture.EarliestTime + packet.Origin, capture.LatestTime + packet.Origin
	for _, c := range []struct{ at, shift, want int64 }{
		{last - hour, sec, last - hour + sec},
		{last - hour, -sec, last - hour - sec},
		{last - 1, 1, last},
		{last, 1, last},
		{first + 1, -1, first},
		{first, -1, first},
		{last, 1 << 62, last}, // the sum overflows
	} {
		if x := (stream{shift: c.shift}); x.time(c.at) != c.want {
			t.Errorf("%+v: %d", c, x.time(c.at))
		}
	}
}

// TestQuiet: the short way takes only packets with which nothing happens.
func TestQuiet(t *testing.T) {
	const seen, none = 4128, 31 // the 32 noted ones of 512 are behind, the next ones far
	plain := packet.Segment{Time: hour, Have: packet.HasTimestamps}
	for _, c := range []struct {
		name   string
		change func(w *Watch, s *packet.Segment)
		want   int // how many of 3; the second one is changed
	}{
		{"nothing", func(*Watch, *packet.Segment) {}, 3},
		{"too early in the capture", func(w *Watch, _ *packet.Segment) { w.seen = 4095 }, 0},
		{"just late enough", func(w *Watch, _ *packet.Segment) { w.seen = 4096 + none }, 3},
		{"the time before is of another interface", func(w *Watch, _ *packet.Segment) { w.streams[0].prev-- }, 0},
		{"a short wait", func(_ *Watch, s *packet.Segment) { s.Time += hiddenBound - 1 }, 3},
		{"a wait", func(_ *Watch, s *packet.Segment) { s.Time += hiddenBound }, 1},
		{"back", func(_ *Watch, s *packet.Segment) { s.Time-- }, 1},
		{"another interface", func(_ *Watch, s *packet.Segment) { s.Iface = 1 }, 1},
		{"no timestamps", func(_ *Watch, s *packet.Segment) { s.Have = 0 }, 1},
		{"a SYN", func(_ *Watch, s *packet.Segment) { s.Flags = packet.SYN }, 1},
		{"one to be noted", func(w *Watch, _ *packet.Segment) { w.seen = 4608 - 2 }, 1},
	} {
		w := Watch{seen: seen, latest: hour + ms, streams: []stream{{begun: true, prev: hour + ms, shift: ms}}}
		segs := []packet.Segment{plain, plain, plain}
		c.change(&w, &segs[1])
		if c.want == 3 {
			segs[2].Time = segs[1].Time
		}
		before := w.seen
		if got := w.quiet(segs, 0); got != c.want || w.seen != before+c.want {
			t.Errorf("%s: %d packets, %d seen; want %d", c.name, got, w.seen-before, c.want)
		}
		if end := segs[max(c.want, 1)-1].Time; c.want > 0 && (w.latest != end || w.streams[0].prev != end || segs[0].Time != hour+ms) {
			t.Errorf("%s: until %d, %d, not %d", c.name, w.latest-hour, w.streams[0].prev-hour, end-hour)
		}
	}
}

// TestNoted: all of the first 4095 packets are noted, then the first 32 of each 512, all without
// timestamps, and all SYNs.
func TestNoted(t *testing.T) {
	stamped := packet.Segment{Time: hour, Have: packet.HasTimestamps, Src: hostA, Dst: hostB}
	plain, syn := stamped, stamped
	plain.Have, syn.Flags = 0, packet.SYN
	for _, c := range []struct {
		number int
		s      packet.Segment
		want   bool
	}{
		{4095, stamped, true},
		{4096, stamped, true},
		{4096 + 31, stamped, true},
		{4096 + 32, stamped, false},
		{4096 + 511, stamped, false},
		{4096 + 512, stamped, true},
		{4096 + 256, stamped, false},
		{4096 + 32, plain, true},
		{4096 + 32, syn, true},
	} {
		w := Watch{seen: c.number - 1, latest: hour, streams: []stream{{begun: true, prev: hour}}}
		if w.Look([]packet.Segment{c.s}, 0, false); (w.find(&hostA, &hostB) != nil) != c.want || w.seen != c.number {
			t.Errorf("packet %d, %+v: noted %v", c.number, c.s, !c.want)
		}
	}
}

// TestCoarseInterfaces: with Coarse, a packet behind those of another interface by less than a Pause
// is not late. The times begin with the first packet.
func TestCoarseInterfaces(t *testing.T) {
	for behind, want := range map[int64]int64{pauseBound - 1: 0, pauseBound: 1} {
		segs := []packet.Segment{{Time: hour}, {Time: hour + 1, Iface: 1}, {Time: hour + sec}, {Time: hour + sec - behind, Iface: 1}}
		w := New(Options{Coarse: true})
		w.Look(segs[:2], 0, false)
		if w.Look(segs[2:], 0, true); w.Late().Count != want || w.Begin() != hour {
			t.Errorf("%d behind: %+v, beginning at %d", behind, w.Late(), w.Begin()-hour)
		}
	}
}
