package pair

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mpanalyze/internal/conn"
	"mpanalyze/internal/packet"
	"mpanalyze/internal/seq"
)

// TestUsualArrivals: packets in the order of sending, of which some are lost,
// sent again or overtaken, give the same figures whether the one that is due is
// looked at first or all are searched, and whether packets are handed out.
func TestUsualArrivals(t *testing.T) {
	usual, searched, told := 0, 0, 0
	run := func(search, rows bool) (counts, [5]float64) {
		l := newTestLink()
		l.pair.opt.Packet = func(*Packet) { told++ }
		d := &l.dirs[conn.A]
		d.wantRows = rows
		r := rand.New(rand.NewPCG(1, 2))
		for i := range 20_000 {
			now := int64(i) * 1e6
			s := packet.Segment{Time: now, Seq: 1 + size*seqWire(i), PayloadLen: size, TSVal: uint32(i), Have: packet.HasTimestamps}
			d.takeSent(&s, size)
			if r.IntN(50) == 0 { // sent again, 30 ms later
				s.Time, s.TSVal = now+30e6, s.TSVal+30
				d.takeSent(&s, size)
			}
			if r.IntN(20) == 0 {
				continue
			}
			s.Time += 10e6 + r.Int64N(1e6)
			at := d.streamEnd[AtReceiver]
			if s.Seq == 1+size*seqWire(i) && d.inFlight.expected(d.positions(AtReceiver, &s)) != nil {
				usual++
			} else {
				searched++
			}
			d.streamEnd[AtReceiver] = at
			if search {
				d.inFlight.hint = -1
			}
			d.takeArrived(&s, size)
		}
		d.finish()
		return d.counts(), [5]float64{d.OWD.Raw.Mean(), d.Jitter.Mean(), d.IPDV.Stddev(), d.IPDV.Max(), float64(d.IPDV.N())}
	}
	fast, figures := run(false, false)
	if usual < 15_000 || searched < 300 {
		t.Errorf("%d packets were due, %d were not", usual, searched)
	}
	if told != 0 {
		t.Errorf("%d packets were handed out that nobody asked for", told)
	}
	for name, search := range map[string]bool{"searched": true, "due, and handed out": false} {
		slow, want := run(search, true)
		if diff := cmp.Diff(slow, fast); diff != "" {
			t.Errorf("counts (-%s +due)\n%s", name, diff)
		}
		if diff := cmp.Diff(want, figures); diff != "" {
			t.Errorf("figures (-%s +due)\n%s", name, diff)
		}
	}
}

// TestVariation: neighbours in the order of sending are compared once, whichever
// came first, also across packets that are missing.
func TestVariation(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	var f arrivalOrder
	var d matchedDirection
	delay := map[int64]int64{}
	order := []int64{}
	for i := int64(1); i <= 5000; i++ {
		if r.IntN(10) > 0 {
			order = append(order, i)
		}
	}
	for i := range order { // some change places
		if j := i + r.IntN(20); r.IntN(5) == 0 && j < len(order) {
			order[i], order[j] = order[j], order[i]
		}
	}
	for _, i := range order {
		delay[i] = r.Int64N(1e7)
		f.place(&d, i, delay[i], i*1e6)
	}
	n, sum, most := int64(0), 0.0, math.Inf(-1)
	for i, x := range delay {
		if before, ok := delay[i-1]; ok {
			n++
			sum += ms(x - before)
			most = max(most, ms(x-before))
		}
	}
	if d.IPDV.N() != n || math.Abs(d.IPDV.Mean()-sum/float64(n)) > 1e-9 || d.IPDV.Max() != most {
		t.Errorf("%d differences, mean %v, most %v; want %d, %v, %v", d.IPDV.N(), d.IPDV.Mean(), d.IPDV.Max(), n, sum/float64(n), most)
	}
	highest := int64(0)
	late := int64(0)
	for _, i := range order {
		if i < highest {
			late++
		}
		highest = max(highest, i)
	}
	if d.Reordered != late {
		t.Errorf("%d packets were overtaken, want %d", d.Reordered, late)
	}
}

// TestLevel: what the usual packet does to a voice is what the judge of all
// packets does.
func TestLevel(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	fast, slow := voice{tick: 1e6, margin: 1e6 + stepMargin}, voice{tick: 1e6, margin: 1e6 + stepMargin}
	usual := 0
	for i := range int64(40_000) {
		now := 1e9 + i*2e6 + r.Int64N(1e6)
		w := r.Int64N(1e6) + now/20_000 // a drift of 50 ppm
		if i > 20_000 {
			w -= 7e6 // a step
		}
		if r.IntN(100) == 0 {
			w += r.Int64N(1e8) // a queue
		}
		if r.IntN(5000) == 0 {
			w -= r.Int64N(5e6)
		}
		level := fast
		fast.take(now, w)
		slow.trail.add(now, w)
		slow.judge(now, w)
		if fast.calm.n > level.calm.n {
			usual++
		}
	}
	fast.count()
	fast.calm = calm{}
	if diff := cmp.Diff(slow, fast, cmp.AllowUnexported(voice{}, trail{}, reading{}, run{}, jump{}, calm{})); diff != "" {
		t.Errorf("(-judged +taken)\n%s", diff)
	}
	if usual < 25_000 || len(fast.jumps) == 0 {
		t.Errorf("%d packets were usual, %d jumps", usual, len(fast.jumps))
	}
}

// TestLeast: a series holds the least delay of each span of time, and where two
// are equal the earlier, as if every delay were looked up.
func TestLeast(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	c := clock{rough: 3e9}
	s := series{lead: 3e9}
	type one struct{ t, d int64 }
	var all []one
	for i := range int64(30_000) {
		x := one{i*1e5 + r.Int64N(3e5), 1e6 + r.Int64N(1e3)*1e3}
		if i == 0 {
			x.t = 0 // the origin
		}
		all = append(all, x)
		s.add(&c, 5e9+3e9+x.t, x.d)
	}
	var want [nBins]least
	for _, x := range all {
		b := &want[x.t/s.width]
		if !b.ok || x.d < b.d {
			*b = least{x.t, x.d, true}
		}
	}
	for i := range want { // of equal ones a wider span keeps that of its earlier half
		if got := s.bins[i]; got.ok != want[i].ok || got.d != want[i].d {
			t.Errorf("span %d: %+v, want %+v", i, got, want[i])
		}
	}
	if c.origin != 5e9 {
		t.Errorf("origin %d", c.origin)
	}
}

// TestSampleStride: every so many-th delay is kept, counted from the first.
func TestSampleStride(t *testing.T) {
	const stride = 4
	s := sampler{stride: stride, budget: &budget{left: maxSamples}}
	for i := range int64(5 * maxPerLane * stride) {
		s.add(i, i, 1)
	}
	if s.stride != 8*stride || len(s.list) != 5*maxPerLane/8 {
		t.Fatalf("%d samples, every %dth", len(s.list), s.stride)
	}
	for i, x := range s.list {
		if x.time != int64(i)*s.stride {
			t.Fatalf("sample %d is delay %d", i, x.time)
		}
	}
	none := sampler{stride: 1}
	for i := range int64(10) {
		none.add(i, i, 1)
	}
	if len(none.list) != 0 {
		t.Errorf("%d samples that nobody wants", len(none.list))
	}
}

// TestMiniKey: equal packets look alike in captures that count from other
// numbers, and each field of the header tells two apart.
func TestMiniKey(t *testing.T) {
	l := newTestLink()
	d := &l.dirs[conn.A]
	d.origin, d.reverse.origin[AtReceiver] = [2]seq.Wire{100, 5000}, 77
	seg := packet.Segment{Seq: 200, Ack: 300, SACK: [4]packet.SACKBlock{{Left: 400}}, TSVal: 5, TSEcr: 6, Have: packet.HasTimestamps, Window: 8, Flags: packet.ACK}
	other := seg
	other.Seq, other.Ack, other.SACK[0].Left = 5100, 377, 477
	here, there := d.ackKey(&seg, AtSender, 7), d.ackKey(&other, AtReceiver, 7)
	if here != there {
		t.Errorf("%x in one capture, %x in the other", here, there)
	}
	seen := map[ackKey]string{here: "the packet"}
	for name, change := range map[string]func(s *packet.Segment, data *uint32){
		"seq": func(s *packet.Segment, _ *uint32) { s.Seq++ }, "ack": func(s *packet.Segment, _ *uint32) { s.Ack++ }, "sack": func(s *packet.Segment, _ *uint32) { s.SACK[0].Left++ },
		"tsval": func(s *packet.Segment, _ *uint32) { s.TSVal++ }, "tsecr": func(s *packet.Segment, _ *uint32) { s.TSEcr++ }, "data": func(_ *packet.Segment, data *uint32) { *data++ },
		"window": func(s *packet.Segment, _ *uint32) { s.Window++ }, "flags": func(s *packet.Segment, _ *uint32) { s.Flags |= packet.FIN },
		"no timestamps": func(s *packet.Segment, _ *uint32) { s.Have = 0 }, "no sack": func(s *packet.Segment, _ *uint32) { s.SACK[0].Left = 0 },
	} {
		s := seg
		data := uint32(7)
		change(&s, &data)
		if other, ok := seen[d.ackKey(&s, AtSender, data)]; ok {
			t.Errorf("%s looks like %s", name, other)
		}
		seen[d.ackKey(&s, AtSender, data)] = name
	}
}
