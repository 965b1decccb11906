package pair

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	"mpanalyze/internal/conn"
	"mpanalyze/internal/packet"
	"mpanalyze/internal/seq"
	"mpanalyze/internal/subflow"
)

// TestFateOf: what happened to a packet sent at 1 s that is not seen to arrive. The other capture runs from 0.5 to 9 s. A
// packet takes 10 ms, the one with the earliest arrival took 20.
func TestFateOf(t *testing.T) {
	type world struct {
		d     *matchedSubflowDir
		there *captureState
		part  sentPart
	}
	acked := func(w *world) { // up to the end of the part
		flow := &w.d.both.ends[AtSender].sub.Flow
		for _, p := range []struct {
			from conn.Side
			packet.Segment
		}{
			{conn.A, packet.Segment{Flags: packet.SYN}},
			{conn.B, packet.Segment{Flags: packet.SYN | packet.ACK, Ack: 1}},
			{conn.A, packet.Segment{Flags: packet.ACK, Seq: 1, PayloadLen: 3 * size}},
			{conn.B, packet.Segment{Flags: packet.ACK, Seq: 1, Ack: size + 1}},
		} {
			dir := flow.Dir(p.from)
			dir.Packet(&p.Segment, false, new(subflow.Packet))
		}
	}
	for name, c := range map[string]struct {
		change func(w *world)
		want   Fate
	}{
		"in the middle":                                     {func(*world) {}, FateLost},
		"as the capture begins":                             {func(w *world) { w.d.noSYN[AtReceiver], w.there.first = true, 1e9+20e6 }, FateLost},
		"before it begins":                                  {func(w *world) { w.d.noSYN[AtReceiver], w.there.first = true, 1e9+20e6+1 }, FateNotCovered},
		"before it begins with the SYN":                     {func(w *world) { w.there.first = 1e9 + 20e6 + 1 }, FateLost},
		"before it begins, and the capture here has no SYN": {func(w *world) { w.d.noSYN[AtSender], w.there.first = true, 1e9+20e6+1 }, FateLost},
		"as the capture ends":                               {func(w *world) { w.there.last, w.there.stoppedEarly = 1e9+10e6, true }, FateLost},
		"after it ends":                                     {func(w *world) { w.there.last, w.there.stoppedEarly = 1e9+10e6-1, true }, FateNotCovered},
		"after its last packet":                             {func(w *world) { w.there.last = 1e9 + 10e6 - 1 }, FateLost},
		"acknowledged":                                      {acked, FateNotCaptured},
		"acknowledged but for a byte":                       {func(w *world) { acked(w); w.part.End++ }, FateLost},
		"acknowledged, and part of it arrived":              {func(w *world) { acked(w); addRange(&w.d.arrivedRanges, ssnRange{Start: 5, End: 6}) }, FateLost},
		"acknowledged, and sent again": {func(w *world) {
			acked(w)
			w.d.inFlight.add(&sentPart{ssnRange: ssnRange{Start: size, End: 2 * size}, ordinal: 4})
		}, FateLost},
		"acknowledged, and other data sent later": {func(w *world) {
			acked(w)
			w.d.inFlight.add(&sentPart{ssnRange: ssnRange{Start: size + 1, End: 2 * size}, ordinal: 4})
		}, FateNotCaptured},
		"acknowledged, and sent before": {func(w *world) {
			acked(w)
			w.d.inFlight.add(&sentPart{ssnRange: ssnRange{Start: 0, End: size}, ordinal: 2})
		}, FateNotCaptured},
	} {
		l := newTestLink()
		w := world{&l.dirs[conn.A], &l.pair.captures[AtReceiver], sentPart{ssnRange: ssnRange{Start: 1, End: size + 1}, time: 1e9, ordinal: 3, segmentBytes: size}}
		w.there.first, w.there.last, w.d.noSYN = 5e8, 9e9, [2]bool{}
		w.d.noteDelay(20e6, 3e9)
		w.d.noteDelay(10e6, 4e9)
		w.d.inFlight.add(&w.part)
		c.change(&w)
		assert.Check(t, is.Equal(w.d.fateOf(&w.part), c.want), "%s", name)
	}
}

// TestDecide: what counts of parts that never arrived, and of arrivals that were never sent. 1001 bytes are two segments.
func TestDecide(t *testing.T) {
	const n = size + 1
	for name, c := range map[string]struct {
		change   func(d *matchedSubflowDir, there *captureState)
		overflow bool
		want     counts
	}{
		"lost":                             {func(*matchedSubflowDir, *captureState) {}, false, counts{Lost: 2, LostBytes: n}},
		"lost, no room":                    {func(*matchedSubflowDir, *captureState) {}, true, counts{Lost: 2, LostBytes: n}},
		"lost, the other one has ended":    {func(_ *matchedSubflowDir, there *captureState) { there.ended = true }, false, counts{Lost: 2, LostBytes: n}},
		"no room, the other one has ended": {func(_ *matchedSubflowDir, there *captureState) { there.ended = true }, true, counts{NotCovered: 2}},
	} {
		l := newTestLink()
		d := &l.dirs[conn.A]
		d.inFlight.add(&sentPart{ssnRange: ssnRange{Start: 1, End: n + 1}, segmentBytes: size})
		c.change(d, &l.pair.captures[AtReceiver])
		d.decide(d.inFlight.First(), c.overflow)
		diff := cmp.Diff(c.want, d.counts())
		assert.Check(t, diff == "" && d.inFlight.Len() == 0, "%s (-want +got)\n%s", name, diff)
	}
	var d matchedSubflowDir
	d.both = newTestLink()
	addRange(&d.sentRanges, ssnRange{Start: 1, End: n + 1})
	d.decideArrival(&arrivedPart{ssnRange: ssnRange{Start: 1, End: n + 1}, segmentBytes: size})
	d.decideArrival(&arrivedPart{ssnRange: ssnRange{Start: 1, End: n + 2}, segmentBytes: 500})
	assert.Check(t, is.DeepEqual(d.counts(), counts{Duplicated: 2, Unsent: 3}), "arrivals")
}

// TestExpire: a packet waits 30 s for its arrival, which is 10 ms after it was sent, and an arrival as long for its packet. The
// packet before in the queue does not end the search.
func TestExpire(t *testing.T) {
	l := newTestLink()
	d := &l.dirs[conn.A]
	d.noteDelay(10e6, 1e9)
	for i, at := range []int64{2e9, 1e9, 1e9 - 1} {
		d.inFlight.add(&sentPart{ssnRange: ssnRange{Start: 10 * seq.SSN(i), End: 10*seq.SSN(i) + 10}, time: at})
		d.unmatched = append(d.unmatched, arrivedPart{ssnRange: ssnRange{Start: 100, End: 110}, time: at + 10e6})
	}
	l.pair.captures[AtSender].last, l.pair.captures[AtReceiver].last = 31e9, 31e9+10e6
	d.expire()
	assert.Check(t, d.Lost == 1 && d.inFlight.Len() == 2 && d.Unsent == 1 && len(d.unmatched) == 2,
		"%d lost, %d wait; %d not sent, %d wait; want 1 and 2 of each", d.Lost, d.inFlight.Len(), d.Unsent, len(d.unmatched))
}

// TestEarlyStop: the capture at the sending host had its last packet at 1 s. What arrives later than the latest and the
// largest delay after that, 10 and 25 ms, left after the capture had ended.
func TestEarlyStop(t *testing.T) {
	for _, c := range []struct {
		delays  [2]int64 // largest, latest
		data    int64
		ack     int64
		stopped bool
	}{
		{[2]int64{25e6, 10e6}, 1e9 + 25e6, 1e9 + 25e6, false},
		{[2]int64{25e6, 10e6}, 1e9 + 25e6 + 1, 0, true},
		{[2]int64{25e6, 10e6}, 0, 1e9 + 25e6 + 1, true},
		{[2]int64{10e6, 25e6}, 1e9 + 25e6, 0, false},
	} {
		l := newTestLink()
		d := &l.dirs[conn.A]
		d.noteDelay(c.delays[0], 1)
		d.noteDelay(c.delays[1], 2)
		near := &l.pair.captures[AtSender]
		near.last = 1e9
		d.unmatched = []arrivedPart{{time: c.data}, {time: 1}}
		d.pureAcks.arrived.push(pureAck{time: c.ack})
		d.checkEarlyStop()
		assert.Check(t, is.Equal(near.stoppedEarly, c.stopped), "stopped early: %+v", c)
	}
}

// TestAfter: while no delay is known, a packet takes the rough lead of the receiver's clock, or less by as much on the way back.
func TestAfter(t *testing.T) {
	l := newTestLink()
	l.pair.opt.RoughLead = 300
	for side, want := range [2]int64{1300, 700} {
		d := &l.dirs[side]
		assert.Check(t, is.Equal(d.arrival(1000), want), "side %d: when arrives what is sent at 1000", side)
		d.noteDelay(20, 1)
		d.noteDelay(50, 2)
		assert.Check(t, is.Equal([2]int64{d.arrival(1000), d.after(1000, d.firstDelay)}, [2]int64{1050, 1020}), "side %d: when it arrives, by the latest and the first delay", side)
	}
}
