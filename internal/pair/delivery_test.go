package pair

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"gotest.tools/v3/assert"

	"mpanalyze/internal/conn"
	"mpanalyze/internal/dss"
	"mpanalyze/internal/pair/clock"
	"mpanalyze/internal/seq"
	"mpanalyze/internal/stats"
	"mpanalyze/internal/tracegen"
)

// TestFirstTransmissionMissed: the sender's capture misses the first transmission of packet
// 30, which is sent at 130 ms and arrives at 140. It has a copy, on the other subflow or on
// the same. A copy sent at 160 ms would have taken -20 ms, one at 136 ms 4 ms, and no
// packet takes less than 10: then the delay is not known. A copy at 130 ms can be what
// arrived.
func TestFirstTransmissionMissed(t *testing.T) {
	for _, c := range []struct {
		name  string
		copy  time.Duration
		same  bool
		lead  time.Duration // of the receiver's clock
		want  int64
		least float64
	}{
		{"reinjection when it has arrived", 160 * msec, false, 0, size, 10},
		{"retransmission when it has arrived", 160 * msec, true, 0, size, 10},
		{"reinjection on its heels", 136 * msec, false, 0, size, 10},
		{"reinjection at once", 130 * msec, false, 0, 0, 10},
		{"clocks apart", 160 * msec, false, 500 * msec, size, 510},
		{"clocks apart the other way", 160 * msec, false, -500 * msec, size, -490},
	} {
		s, f, sent := upload(50)
		g := s.Subflow(path(2))
		g.Open(50 * msec)
		if c.same {
			sent[30].Again(c.copy)
		} else {
			g.Data(tracegen.A2B, c.copy, 30*size, size)
		}
		v := capture2(s)
		zero, port := v[AtSender][0].Time, f.Path().A.Port()
		v[AtSender] = slices.DeleteFunc(v[AtSender], func(p tracegen.Packet) bool {
			return p.WirePayload() > 0 && time.Duration(p.Time-zero) == 130*msec && p.Src.Port() == port
		})
		v.shift(func(time.Duration) time.Duration { return c.lead })
		p := match(t, v, Options{})
		_, conns := p.Results()
		d := conns[0].Dirs[conn.A]
		if d.Unmatched != c.want || d.OneSided != c.want {
			t.Errorf("%s: %d bytes without a delay, %d shown by one capture alone, want %d", c.name, d.Unmatched, d.OneSided, c.want)
		}
		trusted := p.Clock(clock.None)
		dist, shift := trusted.Correct(&d.Delivery)
		if got := shift + dist.Min(); got != c.least {
			t.Errorf("%s: the least delay is %v ms, want %v", c.name, got, c.least)
		}
	}
}

// TestDataDelays plays 5000 parts of data, each 20 to 21 ms from its first transmission
// until it is in order. Every tenth is divided on its path; some arrive after others and
// become in order with them. The capture has every hundredth only 50 ms late, so no packet
// in it can have brought that data: its delay is not known.
func TestDataDelays(t *testing.T) {
	l := newTestLink()
	l.pair.clocks = clock.New(0, true)
	on := &l.dirs[conn.A]
	on.hasDelay, on.leastDelay = true, 10e6
	w := l.ends[AtReceiver].endConn
	w.dirs = []endSubflowDir{{matched: on}, {}}
	d := &matchedDataDir{pair: l.pair, from: AtSender, sender: l.ends[AtSender].endConn, receiver: w, receiverSide: conn.A, aligned: true, shift: 100}
	d.Delivery = l.pair.clocks.NewDelays(AtSender, 0, true)
	r := rand.New(rand.NewPCG(9, 10))
	var held []*dss.Chunk
	var left []int64 // when the data that is held was first sent
	var want []float64
	unmatched, n := int64(0), 0
	for i := range int64(5000) {
		sent, now := i*1e6, i*1e6+20e6+r.Int64N(1e6)
		if r.IntN(100) == 0 {
			sent += 50e6
			unmatched += 10
		}
		data := dsnRange{Start: 10 * seq.DSN(i), End: 10 * seq.DSN(i+1)}
		d.sent.insert(sentData(dsnRange{Start: data.Start + d.shift, End: data.End + d.shift}, sent))
		parts := []dsnRange{data}
		if r.IntN(10) == 0 {
			parts = []dsnRange{{Start: data.Start, End: data.Start + 5}, {Start: data.Start + 5, End: data.End}}
		}
		for _, part := range parts {
			held = append(held, &dss.Chunk{Data: part, FirstSeen: now})
			left = append(left, sent)
		}
		if i < 4999 && r.IntN(4) == 0 { // a hole
			continue
		}
		for i, c := range held {
			if c.FirstSeen-left[i] >= on.leastDelay {
				n++
				for range c.Data.Len() {
					want = append(want, ms(now-left[i]))
				}
			}
			d.takeInOrder([]*dss.Chunk{c}, now)
		}
		held, left = held[:0], left[:0]
	}
	d.decideDelays()
	slices.Sort(want)
	if d.Unmatched != unmatched || d.OneSided != unmatched || unmatched == 0 {
		t.Errorf("%d bytes have no delay, %d are in one capture alone, want %d", d.Unmatched, d.OneSided, unmatched)
	}
	assert.Check(t, d.sent.Len()+d.delivered.Len() <= 0, "%d and %d parts wait", d.sent.Len(), d.delivered.Len())
	for name, k := range map[string]clock.Estimate{"all": {}, "samples": {DriftPPM: 1e-9}} {
		got := described(&k, &d.Delivery)
		sum := 0.0
		for _, x := range want {
			sum += x
		}
		mean := sum / float64(len(want))
		if got.N != int64(n) || math.Abs(got.Mean-mean) > 1e-6 || math.Abs(got.Min-want[0]) > 1e-6 || math.Abs(got.Max-want[len(want)-1]) > 1e-6 {
			t.Errorf("%s: %d parts of %v to %v ms, mean %v, want %d of %v to %v, mean %v", name, got.N, got.Min, got.Max, got.Mean, n, want[0], want[len(want)-1], mean)
		}
	}
}

// described returns the figures of delays, corrected for the clocks.
func described(k *clock.Estimate, d *clock.Delays) stats.Description {
	dist, shift := k.Correct(d)
	x := dist.Describe()
	for _, v := range []*float64{&x.Mean, &x.Min, &x.Max, &x.P50, &x.P95, &x.P99} {
		*v += shift
	}
	return x
}
