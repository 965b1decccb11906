package subflow

import (
	"testing"

	"gotest.tools/v3/assert"

	"mpanalyze/internal/packet"
	"mpanalyze/internal/seq"
)

// traffic is a shape of bulk transfer: the packets of one round.
type traffic struct {
	name string
	// round sends a window of packets and acknowledges it. It returns the number of
	// packets.
	round func(l *load) int
}

// load feeds a flow without allocating anything itself.
type load struct {
	flow Flow
	pkt  Packet
	seg  packet.Segment
	now  int64
	nxt  seq.Wire
}

const (
	loadISN  = seq.Wire(1 << 31)
	loadUnit = 1400
	window64 = 64 // packets in flight
)

func newLoad() *load {
	l := &load{now: epoch, nxt: loadISN + 1}
	l.give(A, packet.Segment{Flags: syn, Seq: loadISN, MSS: 1440, Have: packet.HasMSS})
	l.give(B, packet.Segment{Flags: synAck, Seq: 1, Ack: loadISN + 1, MSS: 1440, Have: packet.HasMSS})
	return l
}

func (l *load) give(from Side, s packet.Segment) {
	l.seg = s
	l.now += 20_000
	l.seg.Time, l.seg.Window, l.seg.OptLen = l.now, 500, 12
	stamp := uint32(l.now / ms)
	l.seg.TSVal, l.seg.TSEcr = stamp, stamp-1
	l.seg.Have |= packet.HasTimestamps
	l.flow.packet(&l.seg, from, false, &l.pkt)
}

func (l *load) send(at seq.Wire) {
	l.give(A, packet.Segment{Flags: ack, Seq: at, Ack: 2, PayloadLen: loadUnit})
}

func (l *load) sendWindow() (first seq.Wire) {
	first = l.nxt
	for range window64 {
		l.send(l.nxt)
		l.nxt += loadUnit
	}
	return first
}

func (l *load) acks(upTo seq.Wire, list ...packet.SACKBlock) {
	s := packet.Segment{Flags: ack, Seq: 2, Ack: upTo, NSACK: uint8(len(list))}
	copy(s.SACK[:], list)
	l.give(B, s)
}

var traffics = []traffic{
	{"data and ACK", func(l *load) int {
		first := l.sendWindow()
		for i := seq.Wire(2); i <= window64; i += 2 {
			l.acks(first + i*loadUnit)
		}
		return window64 + window64/2
	}},
	{"one loss, SACK", func(l *load) int {
		first := l.sendWindow()
		for i := seq.Wire(2); i <= window64; i++ {
			l.acks(first, packet.SACKBlock{Left: first + loadUnit, Right: first + i*loadUnit})
		}
		l.send(first)
		l.acks(l.nxt)
		return 2*window64 + 1
	}},
	{"every eighth lost, SACK", func(l *load) int {
		first := l.sendWindow()
		for i := seq.Wire(0); i < window64; i += 8 {
			at := first + i*loadUnit
			l.acks(first, packet.SACKBlock{Left: at + loadUnit, Right: at + 8*loadUnit})
		}
		for i := seq.Wire(0); i < window64; i += 8 {
			l.send(first + i*loadUnit)
		}
		l.acks(l.nxt)
		return window64 + 8 + 8 + 1
	}},
	{"holes at the receiver", func(l *load) int {
		first := l.nxt
		for i := range seq.Wire(window64) {
			if i%8 != 0 {
				l.send(first + i*loadUnit)
			}
		}
		for i := seq.Wire(0); i < window64; i += 8 {
			l.send(first + i*loadUnit)
		}
		l.nxt = first + window64*loadUnit
		l.acks(l.nxt)
		return window64 + 1
	}},
}

// Once the buffers are as large as the window, a packet allocates nothing.
func TestNoAllocations(t *testing.T) {
	for _, tr := range traffics {
		t.Run(tr.name, func(t *testing.T) {
			l := newLoad()
			for range maxRexmits + 100 {
				tr.round(l)
			}
			n := testing.AllocsPerRun(200, func() { tr.round(l) })
			assert.Check(t, n == 0, "%v allocations a round", n)
			a := &l.flow.Senders[A]
			assert.Check(t, a.Strays == 0 && a.InFlight() == 0, "the load is no stream: %+v", a.Counters)
		})
	}
}

// The buffers stay as large as the window needs, however long the stream is.
func TestMemoryFollowsTheWindow(t *testing.T) {
	l := newLoad()
	for range 5000 {
		traffics[0].round(l)
	}
	a := &l.flow.Senders[A]
	want(t, "timestamps of a window of 2 ms fit 64", cap(a.timestamps.buf) <= 64, true)

	l.sendWindow()
	slide := func() { // a window that slides and is never empty
		for range 1000 {
			l.send(l.nxt)
			l.nxt += loadUnit
			l.acks(l.nxt - window64*loadUnit)
		}
	}
	want(t, "allocations", testing.AllocsPerRun(100, slide), 0.)
	want(t, "in flight", a.InFlight(), window64*loadUnit)
}

func BenchmarkPacket(b *testing.B) {
	for _, tr := range traffics {
		b.Run(tr.name, func(b *testing.B) {
			l := newLoad()
			packets := 0
			b.ReportAllocs()
			for b.Loop() {
				packets += tr.round(l)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(packets), "ns/packet")
			b.ReportMetric(0, "ns/op")
		})
	}
}

// A large window: the cost of a packet must not grow with it.
func BenchmarkLargeWindow(b *testing.B) {
	for _, n := range []seq.Wire{100, 1000, 10_000} {
		b.Run(map[seq.Wire]string{100: "100", 1000: "1000", 10_000: "10000"}[n], func(b *testing.B) {
			l := newLoad()
			for range n {
				l.send(l.nxt)
				l.nxt += loadUnit
			}
			for b.Loop() {
				l.send(l.nxt)
				l.nxt += loadUnit
				l.acks(l.nxt - n*loadUnit)
			}
		})
	}
}
