package pair

import (
	"math"
	"testing"
	"time"

	"mpanalyze/internal/conn"
	"mpanalyze/internal/packet"
	"mpanalyze/internal/tracegen"
)

// long scripts an upload of a packet each 20 ms for a minute.
func long() views {
	s := tracegen.NewSession(tracegen.Config{Version: 1, AckEvery: 1})
	f := s.Subflow(path(1))
	f.Open(0)
	for i := range 3000 {
		f.Data(tracegen.A2B, 100*msec+time.Duration(i)*20*msec, int64(i*size), size)
	}
	return capture2(s)
}

// TestClock shifts the receiver's stamps and demands the shift back, and the
// true delays of 10 ms.
func TestClock(t *testing.T) {
	drift := func(ppm int64) func(time.Duration) time.Duration {
		return func(at time.Duration) time.Duration { return at * time.Duration(ppm) / 1e6 }
	}
	for _, c := range []struct {
		name   string
		lead   func(time.Duration) time.Duration
		mode   Mode
		offset float64 // ms
		drift  float64 // ppm
		step   float64 // ms
		owd    float64 // ms, corrected
	}{
		{"agreed", drift(0), Auto, 0, 0, 0, 10},
		{"agreed within 0.09 ms", func(time.Duration) time.Duration { return 90 * time.Microsecond }, Auto, 0, 0, 0, 10.09},
		{"skewed", func(time.Duration) time.Duration { return 357 * msec }, Auto, 357, 0, 0, 10},
		{"skewed the other way, by hours", func(time.Duration) time.Duration { return -3 * time.Hour }, Auto, -3 * 3600e3, 0, 0, 10},
		{"skewed, trusted", func(time.Duration) time.Duration { return 357 * msec }, None, 0, 0, 0, 367},
		{"drifting", drift(80), Auto, 0, 80, 0, 10},
		{"drifting back", drift(-35), Auto, 0, -35, 0, 10},
		{"drifting, offset only", drift(80), Offset, 2.4, 0, 0, 10}, // 80 ppm of 60 s: the lead is 2.4 ms on average
		{"set by 25 ms", func(at time.Duration) time.Duration {
			if at > 30*time.Second {
				return 25 * msec
			}
			return 0
		}, Auto, 0, 0, 25, 10},
		{"set back by 25 ms", func(at time.Duration) time.Duration {
			if at > 30*time.Second {
				return -25 * msec
			}
			return 0
		}, Auto, 0, 0, -25, 10},
		{"drifting, and set by 5 ms", func(at time.Duration) time.Duration {
			if at > 30*time.Second {
				return at*80/1e6 + 5*msec
			}
			return at * 80 / 1e6
		}, Drift, 0, 80, 5, 10},
	} {
		t.Run(c.name, func(t *testing.T) {
			v := long()
			v.shift(c.lead)
			rough := int64(c.offset) * 1e6
			p := match(t, v, Options{Rough: rough, Drift: true})
			k := p.Clock(c.mode)
			tolerance := 0.01
			if c.mode == Offset {
				tolerance = 0.05 // the least delays stand at the ends of the captures, nearly
			}
			if math.Abs(k.OffsetMS-c.offset) > tolerance || math.Abs(k.DriftPPM-c.drift) > 0.1 || math.Abs(k.StepMS-c.step) > 0.01 {
				t.Errorf("offset %v ms, drift %v ppm, step %v ms; want %v, %v, %v", k.OffsetMS, k.DriftPPM, k.StepMS, c.offset, c.drift, c.step)
			}
			if (k.Warning() != "") != (c.step != 0) {
				t.Errorf("warning %q", k.Warning())
			}
			_, d := one(t, p)
			got, shift := k.Correct(&d.OWD)
			if mean := got.Mean() + shift; math.Abs(mean-c.owd) > tolerance {
				t.Errorf("mean one-way delay %v ms, want %v", mean, c.owd)
			}
		})
	}
}

// TestQueueIsNoClock: the forward path gets slower by 40 ms half way, as a
// queue or another route would make it. No clock was set.
func TestQueueIsNoClock(t *testing.T) {
	s := tracegen.NewSession(tracegen.Config{Version: 1, AckEvery: 1})
	f := s.Subflow(path(1))
	f.Open(0)
	for i := range 3000 {
		x := f.Data(tracegen.A2B, 100*msec+time.Duration(i)*20*msec, int64(i*size), size)
		if i > 1500 {
			x.Late(40 * msec)
		}
	}
	p := match(t, capture2(s), Options{Drift: true})
	if k := p.Clock(Auto); k.OffsetMS != 0 || k.DriftPPM != 0 || k.StepMS != 0 {
		t.Errorf("%+v", k)
	}
}

// TestSamplesAreBounded: the samples that a drift needs are thinned out, and
// their mean stays.
func TestSamplesAreBounded(t *testing.T) {
	b := &budget{left: 1000}
	s := sampler{stride: 1, budget: b}
	for i := range int64(100_000) {
		s.add(i, i, 1)
	}
	if len(s.list) > 1000 || len(s.list) < 250 || b.left != 1000-len(s.list) {
		t.Fatalf("%d samples are kept of 1000 allowed, %d left", len(s.list), b.left)
	}
	b.left = 0 // others took the rest
	late := sampler{stride: 1, budget: b}
	for i := range int64(10) {
		late.add(i, i, 1)
	}
	if len(late.list) != 10 {
		t.Errorf("a short direction keeps %d samples of 10", len(late.list))
	}
	sum := 0.0
	for _, x := range s.list {
		sum += float64(x.delay)
	}
	if mean := sum / float64(len(s.list)); math.Abs(mean-50_000) > 1000 {
		t.Errorf("mean %v, want about 50000", mean)
	}
}

// TestNothingGrows: of a long lossy transfer nothing is kept but what is in
// flight or lost within the horizon.
func TestNothingGrows(t *testing.T) {
	l := newTestLink()
	d := &l.dirs[conn.A]
	most := 0
	for i := range 200_000 {
		now := int64(i) * 1e6
		s := packet.Segment{Time: now, Seq: 1 + 1000*seqWire(i), PayloadLen: size, TSVal: uint32(i), Have: packet.HasTimestamps}
		d.takeSent(&s, size)
		if i%100 != 0 {
			s.Time += 10e6
			d.takeArrived(&s, size)
		}
		l.pair.captures[0].last, l.pair.captures[1].last = now, now
		if i%1000 == 0 {
			d.expire()
		}
		most = max(most, len(d.inFlight.list), d.sentRanges.set.Len()+d.arrivedRanges.set.Len())
	}
	// 1 % of 1000 packets a second for 30 s, and a second between two looks;
	// done runs may be as many as live ones.
	if most > maxHoles {
		t.Errorf("%d entries were kept", most)
	}
	if d.Lost < 1600 || d.Lost > 2000 {
		t.Errorf("%d losses were settled of about 1700", d.Lost)
	}
}

// TestNoAllocation: a packet that is sent and arrives costs no memory.
func TestNoAllocation(t *testing.T) {
	l := newTestLink()
	d, back := &l.dirs[conn.A], &l.dirs[conn.B]
	i := 0
	step := func() {
		s := packet.Segment{Time: int64(i) * 1e6, Seq: 1 + 1000*seqWire(i), PayloadLen: size, TSVal: uint32(i), Have: packet.HasTimestamps, Ack: 1, Flags: packet.ACK}
		d.take(&s, AtSender, size, 0, false)
		s.Time += 10e6
		d.take(&s, AtReceiver, size, 0, false)
		ack := packet.Segment{Time: s.Time, Seq: 1, Ack: s.Seq + 1000, TSVal: uint32(i), Flags: packet.ACK}
		back.take(&ack, AtReceiver, size, 0, true)
		ack.Time += 10e6
		back.take(&ack, AtSender, size, 0, true)
		i++
	}
	for range 20_000 {
		step()
	}
	if n := testing.AllocsPerRun(5000, step); n > 0 {
		t.Errorf("%v allocations for a packet and its ACK", n)
	}
	if d.MatchedPackets != d.Sent || d.Lost != 0 {
		t.Errorf("%+v", d.counts())
	}
}
