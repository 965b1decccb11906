package pair

import (
	"bytes"
	"math"
	"math/rand/v2"
	"net/netip"
	"slices"
	"testing"
	"time"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	"mpanalyze/internal/conn"
	"mpanalyze/internal/pair/clock"
	"mpanalyze/internal/seq"
	"mpanalyze/internal/tracegen"
)

// TestFates gives single packets of 50 a fate, and checks that exactly this is found.
func TestFates(t *testing.T) {
	for _, c := range []struct {
		name   string
		script func(sent []*tracegen.Sent)
		views  func(v *views)
		want   counts

		oneSided int64 // bytes that one capture alone shows, of data that was delivered
		changes  Changes
	}{
		{name: "nothing", want: counts{Sent: 50, Matched: 50}},
		{
			name: "one lost, its copy too",
			script: func(s []*tracegen.Sent) {
				s[7].Lose()
				s[7].Again(200 * msec).Lose()
				s[7].Again(300 * msec)
			},
			want: counts{Sent: 52, Matched: 50, Lost: 2, LostBytes: 2 * size},
		},
		{
			name:   "the last one lost, never sent again",
			script: func(s []*tracegen.Sent) { s[49].Lose() },
			want:   counts{Sent: 50, Matched: 49, Lost: 1, LostBytes: size},
		},
		{
			name: "spurious retransmission",
			script: func(s []*tracegen.Sent) {
				s[7].Late(120 * msec)
				s[7].Again(180 * msec)
			},
			// it leaves at 107 ms and arrives at 237; its copy overtakes it at 190,
			// as 42 packets behind it did before
			want: counts{Sent: 51, Matched: 51, Reordered: 1},
		},
		{
			name:   "doubled on the way",
			script: func(s []*tracegen.Sent) { s[7].Twice(3 * msec) },
			want:   counts{Sent: 50, Matched: 50, Duplicated: 1},
		},
		{
			name:   "overtaken",
			script: func(s []*tracegen.Sent) { s[7].Late(5 * msec) },
			want:   counts{Sent: 50, Matched: 50, Reordered: 1},
		},
		{
			name: "missed by the receiver's capture",
			views: func(v *views) {
				at := slices.IndexFunc(v[AtReceiver], func(p tracegen.Packet) bool { return p.WirePayload() > 0 })
				v[AtReceiver] = slices.Delete(v[AtReceiver], at+4, at+5) // every second packet is an ACK
			},
			want:     counts{Sent: 50, Matched: 49, NotCaptured: 1},
			oneSided: size,
		},
		{
			name: "missed by the sender's capture",
			views: func(v *views) {
				at := slices.IndexFunc(v[AtSender], func(p tracegen.Packet) bool { return p.WirePayload() > 0 })
				v[AtSender] = slices.Delete(v[AtSender], at, at+1)
			},
			want:     counts{Sent: 49, Matched: 49, Unsent: 1},
			oneSided: size,
		},
		{
			name: "options removed",
			views: func(v *views) {
				for i := range v[AtReceiver] {
					if p := &v[AtReceiver][i]; p.WirePayload() > 0 {
						p.Options = p.Options[:12] // timestamps remain
					}
				}
			},
			want: counts{Sent: 50, Matched: 50, Altered: 50},
		},
		{
			name: "options overwritten",
			views: func(v *views) {
				for i := range v[AtReceiver] {
					if p := &v[AtReceiver][i]; p.WirePayload() > 0 {
						o := bytes.Repeat([]byte{1}, len(p.Options)) // NOP
						copy(o, p.Options[:12])
						p.Options = o
					}
				}
			},
			want: counts{Sent: 50, Matched: 50, Altered: 50},
		},
		{
			name:   "addresses of A translated",
			script: func(s []*tracegen.Sent) { s[7].Lose().Again(200 * msec) },
			views: func(v *views) {
				a, public := v[AtSender][0].Src, netip.MustParseAddrPort("192.0.2.7:1234")
				for i := range v[AtReceiver] {
					if p := &v[AtReceiver][i]; p.Src == a {
						p.Src = public
					} else {
						p.Dst = public
					}
				}
			},
			want:    counts{Sent: 51, Matched: 50, Lost: 1, LostBytes: size},
			changes: Changes{Addresses: [2]bool{true, false}},
		},
		{
			name:   "sequence numbers of A changed",
			script: func(s []*tracegen.Sent) { s[7].Lose().Again(200 * msec) },
			views: func(v *views) {
				const by = seq.Wire(0x1234_5678)
				for i := range v[AtReceiver] {
					if p := &v[AtReceiver][i]; p.Src == v[AtSender][0].Src {
						p.Seq += by
					} else {
						p.Ack += by
					}
				}
			},
			want:    counts{Sent: 51, Matched: 50, Lost: 1, LostBytes: size},
			changes: Changes{Sequence: [2]bool{true, false}},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, _, sent := upload(50)
			if c.script != nil {
				c.script(sent)
			}
			v := capture2(s)
			if c.views != nil {
				c.views(&v)
			}
			p := match(t, v, Options{})
			f, d := one(t, p)
			_, conns := p.Results()
			assert.Check(t, is.DeepEqual(d.counts(), c.want))
			assert.Check(t, conns[0].Dirs[conn.A].OneSided == c.oneSided, "%d bytes are shown by one capture alone, want %d", conns[0].Dirs[conn.A].OneSided, c.oneSided)
			assert.Check(t, f.Changes == c.changes, "changes %+v, want %+v", f.Changes, c.changes)
		})
	}
}

// TestDelays: every packet takes 10 ms, except one that takes 15. It is sent at 107 ms and
// arrives at 122, after the packets sent at 108 to 111 ms, the first of which arrives at
// 118: it is 4 ms late. Between neighbours in the order of sending, the delay changes by +5
// and -5 ms once.
func TestDelays(t *testing.T) {
	s, _, sent := upload(50)
	sent[7].Late(5 * msec)
	_, d := one(t, match(t, capture2(s), Options{}))
	if got := d.OWD.Raw; got.Min() != 10 || got.Max() != 15 || math.Abs(got.Mean()-(10+5.0/50)) > 1e-9 || got.N() != 50 {
		t.Errorf("one-way delay %v to %v, mean %v of %v", got.Min(), got.Max(), got.Mean(), got.N())
	}
	assert.Check(t, d.ReorderExtent.N() == 1 && d.ReorderExtent.Max() == 4, "lateness %v of %d, want 4 of 1", d.ReorderExtent.Max(), d.ReorderExtent.N())
	assert.Check(t, d.IPDV.N() == 49 && d.IPDV.Min() == -5 && d.IPDV.Max() == 5 && math.Abs(d.IPDV.Mean()) <= 1e-9,
		"variation %v to %v, mean %v of %d", d.IPDV.Min(), d.IPDV.Max(), d.IPDV.Mean(), d.IPDV.N())
	// Both differences in the order of arrival are of 5 ms: J = 5/16, then
	// J + (5 - J)/16, the largest.
	want := 5.0/16 + (5-5.0/16)/16
	assert.Check(t, math.Abs(d.Jitter.Max()-want) <= 1e-9, "largest jitter %v, want %v", d.Jitter.Max(), want)
}

// merge makes super-segments of k packets each of a view.
func merge(v []tracegen.Packet, k int) (out []tracegen.Packet) {
	n := 0
	for _, p := range v {
		if p.WirePayload() == 0 {
			out = append(out, p)
			continue
		}
		if n++; n%k == 1 {
			p.Payload = slices.Clone(p.Payload)
			out = append(out, p)
			continue
		}
		for i := len(out) - 1; i >= 0; i-- {
			if last := &out[i]; last.WirePayload() > 0 {
				last.Payload = append(last.Payload, p.Payload...)
				break
			}
		}
	}
	return out
}

// TestSuperSegments: captures show packets of several segments where a host or its card divides or merges them. Bursts of segments that
// were merged are sent each ms.
func TestSuperSegments(t *testing.T) {
	for name, c := range map[string]struct {
		burst int
		lost  int    // one of the segments; 0 for none
		merge [2]int // segments in a packet of each capture
		want  counts
	}{
		"divided, and a part lost": {5, 22, [2]int{5, 1}, counts{Sent: 10, Matched: 10, Lost: 1, LostBytes: size, Split: 39}},
		"merged":                   {5, 0, [2]int{1, 5}, counts{Sent: 50, Matched: 50, Merged: 10}},
		// Of six segments, the second packet sent is divided, and both packets that arrive are merged. Only the identifications of their
		// first segments distinguish them from copies.
		"merged otherwise": {6, 0, [2]int{2, 3}, counts{Sent: 24, Matched: 24, Split: 8, Merged: 16}},
	} {
		s, f := opened(true)
		for i := range 50 - 50%c.burst {
			x := f.Data(tracegen.A2B, 100*msec+time.Duration(i/c.burst)*msec, int64(i*size), size)
			if c.lost > 0 && i == c.lost {
				x.Lose()
			}
		}
		v := capture2(s)
		for e, k := range c.merge {
			if k > 1 {
				v[e] = merge(v[e], k)
			}
		}
		_, d := one(t, match(t, v, Options{}))
		assert.Check(t, is.DeepEqual(d.counts(), c.want), "%s", name)
		assert.Check(t, d.OWD.Raw.N() >= 10 && d.OWD.Raw.Min() == 10 && d.OWD.Raw.Max() == 10, "%s: %d delays of %v to %v ms", name, d.OWD.Raw.N(), d.OWD.Raw.Min(), d.OWD.Raw.Max())
	}
}

// TestRandomLosses gives hundreds of packets random fates, and repeats lost ones until they
// arrive. Losses and duplicates must be counted exactly, with and without the fields that
// distinguish copies, whatever the clocks show, and handed out on request.
func TestRandomLosses(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for run := range 20 {
		s, f := opened(run%2 == 1)
		want := counts{}
		for i := range 300 {
			at := 100*msec + time.Duration(i)*msec
			x := f.Data(tracegen.A2B, at, int64(i*size), size)
			want.Sent++
			for random.IntN(8) == 0 {
				x.Lose()
				want.Lost++
				at += time.Duration(100+random.IntN(100)) * msec
				x = x.Again(at)
				want.Sent++
			}
			if random.IntN(20) == 0 {
				x.Twice(time.Duration(random.IntN(2000)) * time.Microsecond)
				want.Duplicated++
			}
		}
		want.Matched, want.LostBytes = 300, want.Lost*size
		v := capture2(s)
		skew := time.Duration(run-10) * 7 * msec
		v.shift(func(time.Duration) time.Duration { return skew })
		var o Options
		fates := map[Fate]int64{}
		if run%4 > 1 {
			o.Packet = func(p *Packet) { fates[p.Fate]++ }
		}
		_, d := one(t, match(t, v, o))
		got := d.counts()
		got.Reordered = 0
		assert.Check(t, is.DeepEqual(got, want), "run %d, receiver's clock %v ahead", run, skew)
		if o.Packet != nil {
			assert.Check(t, is.DeepEqual(fates, map[Fate]int64{FateArrived: 300, FateLost: want.Lost, FateDuplicate: want.Duplicated}), "run %d", run)
		}
	}
}

// TestDelivery: packet 7 is lost and sent again 30 ms later. It takes 40 ms. Of the 29
// packets behind it the i-th waits for it and takes 40 - i ms; all others take 10.
func TestDelivery(t *testing.T) {
	s, _, sent := upload(100)
	sent[7].Lose()
	sent[7].Again(sent[7].SentAt() + 30*msec)
	_, conns := match(t, capture2(s), Options{}).Results()
	assert.Assert(t, len(conns) == 1, "%d connections, want 1", len(conns))
	sum := 0.0
	for i := range 100 {
		d := 10.0
		if n := i - 7; n >= 0 && n < 30 {
			d = 40 - float64(n)
		}
		sum += d
	}
	got := conns[0].Dirs[conn.A].Delivery.Raw
	assert.Check(t, math.Abs(got.Mean()-sum/100) <= 1e-9 && got.Max() == 40 && got.Min() == 10, "delay %v to %v, mean %v; want mean %v", got.Min(), got.Max(), got.Mean(), sum/100)
}

// TestReinjections: data that is 50 ms late on one subflow is sent on the other 10 ms
// after, and arrives there 40 ms earlier. Another copy is useless.
func TestReinjections(t *testing.T) {
	s := tracegen.NewSession(tracegen.Config{Version: 1, AckEvery: 1})
	f, g := s.Subflow(path(1)), s.Subflow(path(2))
	f.Open(0)
	g.Open(50 * msec)
	f.Data(tracegen.A2B, 150*msec, 0, size)
	f.Data(tracegen.A2B, 200*msec, size, size).Late(50 * msec)
	g.Data(tracegen.A2B, 210*msec, size, size)
	f.Data(tracegen.A2B, 400*msec, 2*size, size)
	g.Data(tracegen.A2B, 405*msec, 2*size, size)
	_, conns := match(t, capture2(s), Options{}).Results()
	d := conns[0].Dirs[conn.A]
	assert.Check(t, d.ReinjectionFirst == size && d.OriginalFirst == size, "%d bytes were worth it, %d wasted; want %d each", d.ReinjectionFirst, d.OriginalFirst, size)
	assert.Check(t, is.Equal(d.Lead.Max(), 40.0), "the copy came 260 - 220 ms before")
}

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
		assert.Check(t, d.Unmatched == c.want && d.OneSided == c.want,
			"%s: %d bytes without a delay, %d shown by one capture alone, want %d", c.name, d.Unmatched, d.OneSided, c.want)
		trusted := p.Clock(clock.None)
		dist, shift := trusted.Correct(&d.Delivery)
		assert.Check(t, is.Equal(shift+dist.Min(), c.least), "%s: the least delay, ms", c.name)
	}
}
