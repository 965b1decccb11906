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
			want: counts{Sent: 50, Matched: 49, NotCaptured: 1},
		},
		{
			name: "missed by the sender's capture",
			views: func(v *views) {
				at := slices.IndexFunc(v[AtSender], func(p tracegen.Packet) bool { return p.WirePayload() > 0 })
				v[AtSender] = slices.Delete(v[AtSender], at, at+1)
			},
			want: counts{Sent: 49, Matched: 49, Unsent: 1},
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
			_, d := one(t, match(t, v, Options{}))
			assert.Check(t, is.DeepEqual(d.counts(), c.want))
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
	if d.ReorderExtent.N() != 1 || d.ReorderExtent.Max() != 4 {
		t.Errorf("lateness %v of %d, want 4 of 1", d.ReorderExtent.Max(), d.ReorderExtent.N())
	}
	if d.IPDV.N() != 49 || d.IPDV.Min() != -5 || d.IPDV.Max() != 5 || math.Abs(d.IPDV.Mean()) > 1e-9 {
		t.Errorf("variation %v to %v, mean %v of %d", d.IPDV.Min(), d.IPDV.Max(), d.IPDV.Mean(), d.IPDV.N())
	}
	// Both differences in the order of arrival are of 5 ms: J = 5/16, then
	// J + (5 - J)/16, the largest.
	if want := 5.0/16 + (5-5.0/16)/16; math.Abs(d.Jitter.Max()-want) > 1e-9 {
		t.Errorf("largest jitter %v, want %v", d.Jitter.Max(), want)
	}
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

// TestSuperSegments: the sender's capture shows ten packets of 5 segments, the
// receiver's 49 parts of them: one was lost.
func TestSuperSegments(t *testing.T) {
	s := tracegen.NewSession(tracegen.Config{Version: 1, AckEvery: 1})
	f := s.Subflow(path(1))
	f.Open(0)
	for i := range 50 {
		x := f.Data(tracegen.A2B, 100*msec+time.Duration(i/5)*msec, int64(i*size), size)
		if i == 22 {
			x.Lose()
		}
	}
	v := capture2(s)
	v[AtSender] = merge(v[AtSender], 5)
	_, d := one(t, match(t, v, Options{}))
	want := counts{Sent: 10, Matched: 10, Lost: 1, LostBytes: size, Split: 39}
	assert.Check(t, is.DeepEqual(d.counts(), want))
	if d.OWD.Raw.N() != 49 || d.OWD.Raw.Min() != 10 || d.OWD.Raw.Max() != 10 {
		t.Errorf("delays %v to %v of %d", d.OWD.Raw.Min(), d.OWD.Raw.Max(), d.OWD.Raw.N())
	}
}

// TestMerged: the receiver's capture shows super-segments of five.
func TestMerged(t *testing.T) {
	s := tracegen.NewSession(tracegen.Config{Version: 1, AckEvery: 1})
	f := s.Subflow(path(1))
	f.Open(0)
	for i := range 50 {
		f.Data(tracegen.A2B, 100*msec+time.Duration(i/5)*msec, int64(i*size), size)
	}
	v := capture2(s)
	v[AtReceiver] = merge(v[AtReceiver], 5)
	_, d := one(t, match(t, v, Options{}))
	want := counts{Sent: 50, Matched: 50, Merged: 10}
	assert.Check(t, is.DeepEqual(d.counts(), want))
}

// TestMergedOtherwise: super-segments of two are sent, of three arrive, and only the
// identifications of their first segments distinguish them from copies. Of six segments,
// the second packet sent is divided, and both packets that arrive are merged.
func TestMergedOtherwise(t *testing.T) {
	s := tracegen.NewSession(tracegen.Config{Version: 1, AckEvery: 1, NoTimestamps: true})
	f := s.Subflow(path(1))
	f.Open(0)
	for i := range 60 {
		f.Data(tracegen.A2B, 100*msec+time.Duration(i/6)*msec, int64(i*size), size)
	}
	v := capture2(s)
	v[AtSender], v[AtReceiver] = merge(v[AtSender], 2), merge(v[AtReceiver], 3)
	_, d := one(t, match(t, v, Options{}))
	want := counts{Sent: 30, Matched: 30, Split: 10, Merged: 20}
	assert.Check(t, is.DeepEqual(d.counts(), want))
}

// TestTranslated: a translator changes address and port of A, and a firewall changes
// sequence numbers. Matching works with either.
func TestTranslated(t *testing.T) {
	for _, c := range []struct {
		name string
		edit func(p *tracegen.Packet, fromA bool)
		want Changes
	}{
		{
			"addresses",
			func(p *tracegen.Packet, fromA bool) {
				if end := netip.MustParseAddrPort("192.0.2.7:1234"); fromA {
					p.Src = end
				} else {
					p.Dst = end
				}
			},
			Changes{Addresses: [2]bool{true, false}},
		},
		{
			"sequence numbers",
			func(p *tracegen.Packet, fromA bool) {
				const by = seq.Wire(0x1234_5678)
				if fromA {
					p.Seq += by
				} else {
					p.Ack += by
				}
			},
			Changes{Sequence: [2]bool{true, false}},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, _, sent := upload(50)
			sent[7].Lose()
			sent[7].Again(200 * msec)
			v := capture2(s)
			a := v[AtSender][0].Src
			for i := range v[AtReceiver] {
				p := &v[AtReceiver][i]
				c.edit(p, p.Src == a)
			}
			f, d := one(t, match(t, v, Options{}))
			want := counts{Sent: 51, Matched: 50, Lost: 1, LostBytes: size}
			assert.Check(t, is.DeepEqual(d.counts(), want))
			assert.Check(t, f.Changes == c.want, "changes %+v, want %+v", f.Changes, c.want)
		})
	}
}

// TestCoverage: packets that were sent while the other capture was not running are not
// lost. It begins 20 packets late, or ends 20 early; A's last packets are answered, so B
// was running.
func TestCoverage(t *testing.T) {
	s, _, sent := upload(200)
	sent[100].Lose()
	sent[100].Again(400 * msec)
	whole := capture2(s)
	for _, c := range []struct {
		name string
		from time.Duration
		to   time.Duration
		want counts
	}{
		{"begins late", 130 * msec, time.Hour, counts{Sent: 201, Matched: 180, Lost: 1, LostBytes: size, NotCovered: 20}},
		{"ends early", 0, 290 * msec, counts{Sent: 201, Matched: 179, Lost: 1, LostBytes: size, NotCovered: 21}},
	} {
		t.Run(c.name, func(t *testing.T) {
			v := whole
			zero := v[AtSender][0].Time
			v[AtReceiver] = slices.DeleteFunc(slices.Clone(v[AtReceiver]), func(p tracegen.Packet) bool {
				at := time.Duration(p.Time - zero)
				return at < c.from || at >= c.to
			})
			_, d := one(t, match(t, v, Options{}))
			assert.Check(t, is.DeepEqual(d.counts(), c.want))
		})
	}
}

// TestRandomLosses gives hundreds of packets random fates, and repeats lost ones until they
// arrive. Losses and duplicates must be counted exactly, with and without the fields that
// distinguish copies, whatever the clocks show.
func TestRandomLosses(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for run := range 20 {
		cfg := tracegen.Config{Version: 1, AckEvery: 1, NoTimestamps: run%2 == 1}
		s := tracegen.NewSession(cfg)
		f := s.Subflow(path(1))
		f.Open(0)
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
		_, d := one(t, match(t, v, Options{}))
		got := d.counts()
		got.Reordered = 0
		assert.Check(t, is.DeepEqual(got, want), "run %d, receiver's clock %v ahead", run, skew)
	}
}

// TestManyConnections pairs 200 connections that are open at once, behind a
// translator that gives them all one address.
func TestManyConnections(t *testing.T) {
	net := tracegen.NewNetwork(time.Time{})
	for i := range 200 {
		s := net.Session(tracegen.Config{Version: 1, AckEvery: 1, Keys: [2]uint64{uint64(2*i + 1), uint64(2*i + 2)}})
		first := path(i)
		first.A = netip.AddrPortFrom(first.A.Addr(), uint16(20000+i))
		f := s.Subflow(first)
		f.Open(time.Duration(i) * time.Microsecond)
		for j := range 5 {
			f.Data(tracegen.A2B, 100*msec+time.Duration(5*i+j)*time.Microsecond, int64(j*size), size)
		}
	}
	net.Run()
	v := views{slices.Clone(net.Packets(tracegen.HostA)), slices.Clone(net.Packets(tracegen.HostB))}
	for i := range v[AtReceiver] {
		p := &v[AtReceiver][i]
		public := netip.MustParseAddr("192.0.2.7")
		if p.Src.Port() != 5001 {
			p.Src = netip.AddrPortFrom(public, p.Src.Port()+7000)
		} else {
			p.Dst = netip.AddrPortFrom(public, p.Dst.Port()+7000)
		}
	}
	flows, _ := match(t, v, Options{}).Results()
	assert.Assert(t, len(flows) == 200, "%d connections were paired, want 200", len(flows))
	for _, f := range flows {
		if f.ID[AtSender].Ends[conn.A].Port+7000 != f.ID[AtReceiver].Ends[conn.A].Port {
			t.Errorf("port %d was paired with %d", f.ID[AtSender].Ends[conn.A].Port, f.ID[AtReceiver].Ends[conn.A].Port)
		}
		if d := f.Dirs[conn.A]; d.MatchedPackets != 5 || d.Lost != 0 {
			t.Errorf("port %d: %+v", f.ID[AtSender].Ends[conn.A].Port, d.counts())
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
	if math.Abs(got.Mean()-sum/100) > 1e-9 || got.Max() != 40 || got.Min() != 10 {
		t.Errorf("delay %v to %v, mean %v; want mean %v", got.Min(), got.Max(), got.Mean(), sum/100)
	}
}

// TestOneSided: every byte has delays from both ends, except those of a packet that one
// capture misses. Data that is sent and never delivered has none.
func TestOneSided(t *testing.T) {
	missed := func(e End) func(v *views) {
		return func(v *views) {
			at := slices.IndexFunc(v[e], func(p tracegen.Packet) bool { return p.WirePayload() > 0 })
			v[e] = slices.Delete(v[e], at, at+1)
		}
	}
	for _, c := range []struct {
		name string
		edit func(v *views)
		lost bool
		want int64
	}{
		{"nothing missed", func(*views) {}, false, 0},
		{"the last one never arrives", func(*views) {}, true, 0},
		{"the sender's capture misses one", missed(AtSender), false, size},
		{"the receiver's capture misses one", missed(AtReceiver), false, size},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, _, sent := upload(50)
			if c.lost {
				sent[49].Lose()
			}
			v := capture2(s)
			c.edit(&v)
			_, conns := match(t, v, Options{}).Results()
			if got := conns[0].Dirs[conn.A].OneSided; got != c.want {
				t.Errorf("%d bytes are shown by one capture alone, want %d", got, c.want)
			}
		})
	}
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
	if d.ReinjectionFirst != size || d.OriginalFirst != size {
		t.Errorf("%d bytes were worth it, %d wasted; want %d each", d.ReinjectionFirst, d.OriginalFirst, size)
	}
	if d.Lead.Max() != 40 { // 260 - 220 ms
		t.Errorf("the copy came %v ms before, want 40", d.Lead.Max())
	}
}
