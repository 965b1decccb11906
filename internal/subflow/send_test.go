package subflow

import (
	"testing"

	"mpanalyze/internal/packet"
	"mpanalyze/internal/seq"
)

// Segments are MSS units: ceil(bytes / (MSS - option bytes)).
func TestSegmentsAreMSSUnits(t *testing.T) {
	tests := []struct {
		name  string
		mss   uint16
		opts  uint8
		bytes uint32
		want  int64
	}{
		{"one byte", 1000, 0, 1, 1},
		{"one full segment", 1000, 0, 1000, 1},
		{"one byte more", 1000, 0, 1001, 2},
		{"a super-segment: 64000 / (1460 - 12) = 44.2", 1460, 12, 64000, 45},
		{"exactly ten: 10 * (1460 - 32)", 1460, 32, 14280, 10},
		{"options change the unit: 1448 / (1460 - 20) = 1.006", 1460, 20, 1448, 2},
		{"no MSS told: 1460 - 0", 0, 0, 1461, 2},
		{"an MSS below the options: one byte each", 10, 20, 3, 3},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p := newPlay(t)
			var mss []option
			if tt.mss > 0 {
				mss = append(mss, offers(tt.mss))
			}
			p.give(0, A, syn, 0, 0, 0)
			p.give(1, B, synAck, 0, 1, 0, mss...)
			p.data(2, 1, tt.bytes, optLen(tt.opts))
			want(t, "segments", p.a().Segments, tt.want)
			want(t, "captured segments", p.a().CapturedSegments, 1)
			want(t, "bytes", p.a().Bytes, int64(tt.bytes))
		})
	}
}

// Each case sends packets and checks the last one. A segment is 1000 bytes.
func TestRetransmission(t *testing.T) {
	type pkt struct {
		start seq.SSN
		n     uint32
	}
	tests := []struct {
		name            string
		before          []pkt
		last            pkt
		parts           []Part
		segments, bytes int64 // retransmitted, by the last packet
		outOfOrder      int64
	}{
		{"whole", []pkt{{1, 1000}, {1001, 1000}}, pkt{1, 1000}, []Part{{span(1, 1001), Retransmit}}, 1, 1000, 0},
		{"a part of one", []pkt{{1, 3000}}, pkt{1001, 500}, []Part{{span(1001, 1501), Retransmit}}, 1, 500, 0},
		{"across two", []pkt{{1, 1000}, {1001, 1000}}, pkt{501, 1000}, []Part{{span(501, 1501), Retransmit}}, 1, 1000, 0},
		{
			"more than was sent: the rest is new",
			[]pkt{{1, 1000}},
			pkt{501, 1500},
			[]Part{{span(501, 1001), Retransmit}, {span(1001, 2001), New}},
			1, 500, 0,
		},
		{"a super-segment again, as one", []pkt{{1, 4500}}, pkt{1, 4500}, []Part{{span(1, 4501), Retransmit}}, 5, 4500, 0},
		{"fills a hole", []pkt{{1, 1000}, {2001, 1000}}, pkt{1001, 1000}, []Part{{span(1001, 2001), New}}, 0, 0, 1},
		{"fills part of a hole", []pkt{{1, 1000}, {4001, 1000}}, pkt{2001, 1000}, []Part{{span(2001, 3001), New}}, 0, 0, 1},
		{
			"fills and repeats",
			[]pkt{{1, 1000}, {2001, 1000}},
			pkt{1001, 2000},
			[]Part{{span(1001, 2001), New}, {span(2001, 3001), Retransmit}},
			1, 1000, 0,
		},
		{
			"repeats, fills and goes on",
			[]pkt{{1, 1000}, {2001, 1000}},
			pkt{501, 3000},
			[]Part{{span(501, 1001), Retransmit}, {span(1001, 2001), New}, {span(2001, 3001), Retransmit}, {span(3001, 3501), New}},
			2, 1500, 0,
		},
		{
			"two holes in one",
			[]pkt{{101, 100}, {301, 100}},
			pkt{1, 400},
			[]Part{{span(1, 101), New}, {span(101, 201), Retransmit}, {span(201, 301), New}, {span(301, 401), Retransmit}},
			1, 200, 0,
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p := opened(t)
			for i, x := range tt.before {
				p.data(float64(i), x.start, x.n)
			}
			want(t, "retransmitted before", p.a().RexmitBytes, 0)
			p.data(5, tt.last.start, tt.last.n)
			want(t, "parts", parts(&p.last.Sent), tt.parts)
			want(t, "range", p.last.Sent.Range, span(tt.last.start, tt.last.start+seq.SSN(tt.last.n)))
			want(t, "retransmitted segments", p.a().RexmitSegments, tt.segments)
			want(t, "retransmitted bytes", p.a().RexmitBytes, tt.bytes)
			want(t, "out of order", p.a().OutOfOrder, tt.outOfOrder)
			byCause := p.a().Loss.ByCause
			want(t, "segments of all causes", byCause[FastRetransmit]+byCause[Timeout]+byCause[TailLossProbe]+byCause[UnknownCause], tt.segments)
		})
	}
}

// A small packet cannot hold more retransmitted segments than segments.
func TestSegmentCountsOnce(t *testing.T) {
	p := opened(t)
	p.data(0, 101, 100)
	p.data(1, 301, 100)
	p.data(2, 501, 100)
	p.data(3, 1, 700) // repeats three pieces of 100 bytes, in one segment
	want(t, "segments", p.a().Segments, 4)
	want(t, "retransmitted segments", p.a().RexmitSegments, 1)
	want(t, "retransmitted bytes", p.a().RexmitBytes, 300)
}

// An ACK may be captured before the data that it acknowledges. That data is new when it
// comes; it is neither out of order nor a copy.
func TestDataCapturedAfterItsACK(t *testing.T) {
	p := opened(t)
	p.data(0, 1, 1000)
	p.acks(1, 2001)
	p.data(1.1, 1001, 2000)
	want(t, "parts", parts(&p.last.Sent), []Part{{span(1001, 3001), New}})
	a := p.a()
	want(t, "retransmitted, out of order, hole fills", []int64{a.RexmitBytes, a.OutOfOrder, a.HoleFills}, []int64{0, 0, 0})
	want(t, "in flight", a.InFlight(), 1000)
	p.acks(41.1, 3001)
	want(t, "round trip of what was acknowledged after it, ns", p.last.Ack.RTT, 40*ms)
	p.data(50, 1001, 1000)
	want(t, "a second copy is one", a.RexmitBytes, 1000)
}

func TestFIN(t *testing.T) {
	p := opened(t)
	a := p.a()
	p.give(0, A, fin, 1, 1, 1000)
	want(t, "new", p.last.Sent.NewFIN, true)
	at, ok := a.FIN()
	want(t, "position", at, 1001)
	want(t, "seen", ok, true)
	want(t, "end", a.SndNxt(), 1002)
	want(t, "segments: the FIN is none", a.Segments, 1)
	p.acks(40, 1001)
	want(t, "acknowledged", a.FINAcked(), false)

	p.give(300, A, fin, 1001, 1, 0)
	want(t, "new when repeated", p.last.Sent.NewFIN, false)
	want(t, "FINs", a.FINs, 2)
	want(t, "retransmitted segments: no data was repeated", a.RexmitSegments, 0)
	p.give(301, A, fin, 1, 1, 1000)
	want(t, "with data again", a.RexmitSegments, 1)
	want(t, "causes count data only", a.Loss.ByCause[FastRetransmit]+a.Loss.ByCause[Timeout]+a.Loss.ByCause[TailLossProbe]+a.Loss.ByCause[UnknownCause], 1)
	p.acks(341, 1002)
	want(t, "acknowledged", a.FINAcked(), true)

	t.Run("before the data below it", func(t *testing.T) {
		p := opened(t)
		p.give(0, A, fin, 1001, 1, 0)
		p.data(1, 1, 1000)
		want(t, "parts", parts(&p.last.Sent), []Part{{span(1, 1001), New}})
		want(t, "end", p.a().SndNxt(), 1002)
	})
}

func TestPureAndDuplicateACKs(t *testing.T) {
	p := opened(t)
	b := &p.Senders[B]
	p.acks(1, 1)
	want(t, "nothing is outstanding: no duplicate", b.DupACKs, 0)
	p.data(2, 1, 3000)
	p.acks(3, 1)
	p.acks(4, 1)
	want(t, "two duplicates", b.DupACKs, 2)
	p.acks(5, 1, window(400))
	want(t, "a window update is none", b.DupACKs, 2)
	p.give(6, B, ack, 1, 1, 10, window(400))
	want(t, "data is none", b.DupACKs, 2)
	p.acks(7, 1001, window(400))
	want(t, "progress is none", b.DupACKs, 2)
	p.acks(8, 1001, window(400), func(_ *play, _ Side, s *packet.Segment) { s.OtherLen = 8 })
	want(t, "one that signals an address is none", b.DupACKs, 2)
	news := packet.Segment{Time: epoch + 9*ms, Flags: ack, Seq: p.isn[B] + 11, Ack: p.isn[A] + 1001, Window: 400}
	p.Flow.packet(&news, B, true, &p.last)
	want(t, "one that moves the DATA_ACK is none", b.DupACKs, 2)
	p.give(10, B, rst|ack, 11, 1001, 0, window(400))
	p.give(11, B, fin, 11, 1001, 0, window(400))
	want(t, "RST and FIN are none", b.DupACKs, 2)
	want(t, "pure ACKs: all but data, RST, FIN and the SYN/ACK", b.PureACKs, 7)
	want(t, "packets", b.Packets, 11)
}

func TestZeroWindows(t *testing.T) {
	p := opened(t)
	for i, w := range []uint16{100, 0, 0, 50, 0, 10} {
		p.acks(float64(i), 1, window(w))
	}
	want(t, "times that the window closed", p.Senders[B].ZeroWindows, 2)
	p.give(10, B, rst, 1, 0, 0, window(0))
	want(t, "a RST has no window", p.Senders[B].ZeroWindows, 2)
}

func TestKeepAlives(t *testing.T) {
	tests := []struct {
		name   string
		at     float64
		start  seq.SSN
		n      uint32
		probes int64
		rexmit int64 // segments
	}{
		{"without bytes", 2000, 1000, 0, 1, 0},
		{"without bytes, at once: a window probe", 50, 1000, 0, 1, 0},
		{"with a byte after a silence of a second", 1000, 1000, 1, 1, 0},
		{"a byte before that is sent again", 999.999, 1000, 1, 0, 1},
		{"two bytes are sent again", 2000, 999, 2, 0, 1},
		{"at the right edge it is an ACK", 2000, 1001, 0, 0, 0},
		{"the next byte is data", 2000, 1001, 1, 0, 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p := opened(t)
			p.data(0, 1, 1000)
			p.acks(40, 1001)
			p.data(tt.at, tt.start, tt.n)
			want(t, "probes", p.a().KeepAlives, tt.probes)
			want(t, "retransmitted segments", p.a().RexmitSegments, tt.rexmit)
			if tt.probes > 0 {
				want(t, "bytes: a probe has none", p.a().Bytes, 1000)
				want(t, "parts", len(p.last.Sent.Parts), 0)
			}
		})
	}
	t.Run("not while something is outstanding", func(t *testing.T) {
		p := opened(t)
		p.data(0, 1, 1000)
		p.data(2000, 1000, 1)
		want(t, "probes", p.a().KeepAlives, 0)
		want(t, "retransmitted bytes", p.a().RexmitBytes, 1)
	})
	t.Run("no duplicate ACK", func(t *testing.T) {
		p := opened(t)
		p.give(0, B, ack, 1, 1, 10)
		p.data(2000, 0, 0)
		want(t, "probes", p.a().KeepAlives, 1)
		want(t, "duplicate ACKs", p.a().DupACKs, 0)
	})
}

func TestStrays(t *testing.T) {
	p := opened(t)
	p.data(0, 1, 1000)
	before := p.a().Counters
	p.data(1, 1+maxWindow+1001, 1000, ts(5, 5), window(0))
	want(t, "stray", p.last.Sent.Stray, true)
	p.give(2, A, rst, -maxWindow, 0, 0)
	want(t, "stray RST", p.last.Sent.Stray, true)
	before.Strays = 2
	want(t, "counters", p.a().Counters, before)
	want(t, "state", p.State, Open)

	p.acks(3, 1001+maxWindow+1)
	want(t, "an ACK of what no window holds moves nothing", p.a().SndUna(), 1)
	p.acks(40, 1001)
	want(t, "the true one does", p.a().SndUna(), 1001)
}

func TestIdle(t *testing.T) {
	p := newPlay(t)
	for _, at := range []float64{0, 10, 250, 260} {
		p.give(at, A, ack, 1, 1, 0)
	}
	p.give(9000, B, ack, 1, 1, 0)
	want(t, "longest gap of A, ns", p.a().MaxIdle, 240*ms)
	want(t, "longest gap of B, ns", p.Senders[B].MaxIdle, 0)
}

// Bytes of a RST are an explanation (RFC 9293, Section 3.5.3) and not data.
func TestRSTWithPayload(t *testing.T) {
	p := opened(t)
	p.give(0, A, rst|ack, 1, 1, 20)
	want(t, "bytes", p.a().Bytes, 0)
	want(t, "segments", p.a().Segments, 0)
	want(t, "end", p.a().SndNxt(), 1)
	want(t, "resets", p.a().Resets, 1)
}
