package clockstep

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	"mpanalyze/internal/packet"
	"mpanalyze/internal/tcpclock"
)

// TestFlight: behind a long silence of all interfaces, the first packet that carries on with data in
// flight shows a step; one that sends it again shows a pause; others show nothing.
func TestFlight(t *testing.T) {
	const silence = 2 * sec
	// A sent up to 3000, B acknowledged 2000. The packet in front was at hour.
	data := packet.Segment{Src: hostA, Dst: hostB, Seq: 3000, Ack: 1, Flags: packet.ACK, PayloadLen: 500}
	ack := packet.Segment{Src: hostB, Dst: hostA, Seq: 1, Ack: 2500, Flags: packet.ACK}
	with := func(s packet.Segment, change func(s *packet.Segment)) packet.Segment { change(&s); return s }
	idle := with(ack, func(s *packet.Segment) { s.Ack = 2000; s.Flags = 0 })
	none := func(a, b *tsClock) {}
	for _, c := range []struct {
		name   string
		change func(a, b *tsClock)
		segs   []packet.Segment
		want   kind
	}{
		{"more data", none, []packet.Segment{data}, step},
		{"sent again", none, []packet.Segment{with(data, func(s *packet.Segment) { s.Seq = 2000 })}, nothing},
		{"beyond a gap", none, []packet.Segment{with(data, func(s *packet.Segment) { s.Seq = 3001 })}, nothing},
		{"an answer", none, []packet.Segment{ack}, step},
		{"an answer to all", none, []packet.Segment{with(ack, func(s *packet.Segment) { s.Ack = 3000 })}, step},
		{"an answer to more", none, []packet.Segment{with(ack, func(s *packet.Segment) { s.Ack = 3001 })}, nothing},
		{"the same answer", none, []packet.Segment{with(ack, func(s *packet.Segment) { s.Ack = 2000 })}, nothing},
		{"an answer that is none", none, []packet.Segment{idle, data}, step},
		{"the sender answers first", none, []packet.Segment{with(data, func(s *packet.Segment) { s.PayloadLen, s.Seq = 0, 2999 }), data}, step},
		{"a SYN", none, []packet.Segment{with(data, func(s *packet.Segment) { s.Flags |= packet.SYN; s.Seq = 2000 }), data}, step},
		{"a RST", none, []packet.Segment{with(data, func(s *packet.Segment) { s.Flags |= packet.RST; s.Seq = 2000 }), data}, step},
		{"another connection", none, []packet.Segment{with(data, func(s *packet.Segment) { s.Src = hostC; s.Seq = 2000 }), data}, step},
		{"only other connections", none, []packet.Segment{with(data, func(s *packet.Segment) { s.Src = hostC })}, nothing},
		{"the last of 16 packets", none, append(slices.Repeat([]packet.Segment{idle}, 15), data), step},
		{"behind 16 packets", none, append(slices.Repeat([]packet.Segment{idle}, 16), data), nothing},
		{"another interface", none, []packet.Segment{with(data, func(s *packet.Segment) { s.Iface = 1; s.Seq = 2000 }), data}, step},
		{"its sender is not known", func(a, _ *tsClock) { *a = tsClock{} }, []packet.Segment{data}, nothing},
		{"its receiver is not known", func(_, b *tsClock) { *b = tsClock{} }, []packet.Segment{data}, nothing},
		{"its sender moved", func(a, _ *tsClock) { a.iface = 1 }, []packet.Segment{data}, nothing},
		{"its receiver moved", func(_, b *tsClock) { b.iface = 1 }, []packet.Segment{data}, nothing},
		{"its sender has timestamps", func(a, _ *tsClock) { a.hasTimestamps = true }, []packet.Segment{data}, nothing},
		{"its receiver has timestamps", func(_, b *tsClock) { b.hasTimestamps = true }, []packet.Segment{data}, nothing},
		{"all was answered", func(_, b *tsClock) { b.ack = 3000 }, []packet.Segment{data}, nothing},
		{"no answer is known", func(_, b *tsClock) { b.acking = false }, []packet.Segment{data}, nothing},
		{"no data is known", func(a, _ *tsClock) { a.sent = false }, []packet.Segment{data}, nothing},
	} {
		w := Watch{latest: hour}
		a, b := w.make(&data), w.make(&ack)
		a.sent, a.end, b.acking, b.ack = true, 3000, true, 2000
		c.change(a, b)
		for i := range c.segs {
			c.segs[i].Time = hour + silence
		}
		want := finding{kind: c.want}
		if c.want == step {
			want.size = silence
		}
		if got := w.withoutTimestamps(c.segs, true); got != want {
			t.Errorf("%s: %+v", c.name, got)
		}
		w.latest++
		if got := w.withoutTimestamps(c.segs, true); got.kind != nothing {
			t.Errorf("%s, behind a shorter silence: %+v", c.name, got)
		}
	}
}

// TestNote: what is kept of a direction. A SYN begins it anew, a RST says nothing.
func TestNote(t *testing.T) {
	data := packet.Segment{Time: hour, Iface: 3, Src: hostA, Dst: hostB, Seq: 0xffff_ff00, Ack: 0xffff_fff0, Flags: packet.ACK, PayloadLen: 0x180}
	with := func(change func(s *packet.Segment)) packet.Segment { s := data; change(&s); return s }
	flight := tsClock{src: hostA, dst: hostB, known: true, iface: 3, last: hour, sent: true, end: 0x80, acking: true, ack: 0xffff_fff0}
	becomes := func(change func(c *tsClock)) tsClock { c := flight; change(&c); return c }
	for _, c := range []struct {
		name string
		s    packet.Segment // behind data
		want tsClock
	}{
		{"more of both", with(func(s *packet.Segment) { s.Time, s.Iface, s.Seq, s.Ack = hour+1, 4, 0, 0x10 }), becomes(func(c *tsClock) { c.last, c.iface, c.end, c.ack = hour+1, 4, 0x180, 0x10 })},
		{"older ones", with(func(s *packet.Segment) { s.Seq, s.Ack = s.Seq-1, s.Ack-1 }), flight},
		{"no payload", with(func(s *packet.Segment) { s.Seq, s.PayloadLen = 0x90, 0 }), flight},
		{"no acknowledgment", with(func(s *packet.Segment) { s.Ack, s.Flags = 0x10, 0 }), flight},
		{"timestamps", with(func(s *packet.Segment) { s.Have = packet.HasTimestamps }), becomes(func(c *tsClock) { c.hasTimestamps = true })},
		{"a RST", with(func(s *packet.Segment) { s.Seq, s.Time, s.Flags = 0x100, hour+1, packet.RST }), flight},
		{"a SYN", with(func(s *packet.Segment) { s.Seq, s.Time, s.Iface, s.Flags, s.PayloadLen = 5, hour+1, 4, packet.SYN, 0 }), tsClock{src: hostA, dst: hostB, known: true, iface: 4, last: hour + 1, sent: true, end: 6}},
	} {
		var w Watch
		w.note(&data)
		w.note(&c.s)
		got := w.find(&hostA, &hostB)
		assert.Check(t, is.DeepEqual(*got, c.want, cmp.AllowUnexported(tsClock{}), cmpopts.IgnoreTypes(tcpclock.Reader{})), "%s", c.name)
	}
	var w Watch
	*w.make(&data) = *known(hostA, hostB, ms)
	w.note(&data)
	if got := w.find(&hostA, &hostB); got.sent || got.acking {
		t.Error("data in flight is noted although the unit of the timestamps is known")
	}
}

// TestObserve: the jitter starts as the unit, and follows what offsets have above the least one by a
// sixteenth. The least offset is that of two windows.
func TestObserve(t *testing.T) {
	c := known(hostA, hostB, ms)
	c.jitter, c.since, c.n = 2*ms, hour, 20
	at := func(passed, offset int64) { c.observe(hour+passed+offset, uint32(100_000+passed/ms)) }
	for _, x := range []struct {
		name                          string
		passed, offset, jitter, least int64
		n                             int
	}{
		{"above the least", 10 * ms, 10 * ms, 2*ms + 8*ms/16, 0, 21},
		{"below it", 20 * ms, -5 * ms, 2500*ms/1000 - 2500*ms/1000/16, -5 * ms, 22},
	} {
		if at(x.passed, x.offset); c.jitter != x.jitter || c.leastOffset() != x.least || c.n != x.n {
			t.Errorf("%s: jitter %d, least %d, %d packets", x.name, c.jitter, c.leastOffset(), c.n)
		}
	}
	for i, least := range []int64{-5 * ms, 3 * ms} { // the second window is full: the first one is forgotten
		c.n = 33
		if at(int64(i+2)*2*sec, 3*ms); c.leastOffset() != least || c.n != 1 || c.since != hour+int64(i+2)*2*sec+3*ms {
			t.Errorf("window %d: least %d, %d packets", i, c.leastOffset(), c.n)
		}
	}
	var first tsClock
	for i := range int64(9) {
		first.observe(hour+i*20*4*ms, uint32(i*20))
	}
	assert.Check(t, first.jitter == 4*ms && first.n == 1 && first.since == hour+8*80*ms, "the unit is known: %+v", first)
}

// TestFullSet: in a full set, a new direction replaces the one that was silent longest.
func TestFullSet(t *testing.T) {
	var w Watch
	var all []packet.Segment
	for port := uint16(1); len(all) < 5; port++ {
		s := packet.Segment{Src: hostA, Dst: hostB}
		if port%2 == 0 {
			s.Src.Port += port / 2
		} else {
			s.Dst.Port += port / 2
		}
		if hash(&s.Src, &s.Dst) == hash(&hostA, &hostB) {
			all = append(all, s)
		}
	}
	for i, last := range []int64{40, 30, 10, 20} {
		w.make(&all[i]).last = last
	}
	w.make(&all[4]).last = 50
	for i := range all {
		c := w.find(&all[i].Src, &all[i].Dst)
		if (c == nil) != (i == 2) || c != nil && (c.src != all[i].Src || c.dst != all[i].Dst || c.last != []int64{40, 30, 10, 20, 50}[i]) {
			t.Errorf("direction %d: %+v", i, c)
		}
	}
}

// TestHash: the directions of many clients of one server are spread over all sets.
func TestHash(t *testing.T) {
	sets := map[uint64]int{}
	for i := range 4096 {
		src := hostA
		src.Port += uint16(i)
		sets[hash(&src, &hostB)]++
	}
	for set, n := range sets {
		assert.Check(t, set < 128 && n <= 4*4096/128, "set %d has %d directions", set, n)
	}
	assert.Check(t, len(sets) == 128, "%d sets are used", len(sets))
}
