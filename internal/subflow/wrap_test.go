package subflow

import (
	"testing"

	"mpanalyze/internal/seq"
)

// The sequence numbers pass 2^32 with the third of these segments.
func TestSequenceNumbersWrap(t *testing.T) {
	p := newPlay(t)
	p.isn[A] = 0xffff_ffff - 2500
	p.give(-40, A, syn, 0, 0, 0, offers(1000))
	p.give(0, B, synAck, 0, 1, 0, offers(1000))
	for i := range 6 {
		p.data(float64(i), seq.SSN(1+1000*i), 1000)
	}
	p.acks(41, 1001, blocks(3001, 4001))
	p.data(42, 2001, 1000)
	a := p.a()
	want(t, "end", a.SndNxt(), 6001)
	want(t, "acknowledged", a.SndUna(), 1001)
	want(t, "SACKed", ranges(a.sacked.Ranges()), []seq.Range[seq.SSN]{span(3001, 4001)})
	want(t, "retransmitted bytes", a.RexmitBytes, 1000)
	p.acks(82, 6001)
	want(t, "in flight", a.InFlight(), 0)
}

// A stream longer than the sequence space: 5 GiB in segments of 1 MiB.
func TestStreamLongerThanTheSequenceSpace(t *testing.T) {
	const mib, n = 1 << 20, 5 << 10
	p := opened(t)
	for i := range seq.SSN(n) {
		p.data(float64(i), 1+i*mib, mib)
		p.acks(float64(i)+0.5, 1+(i+1)*mib)
	}
	a := p.a()
	want(t, "end", a.SndNxt(), 1+n*mib)
	want(t, "bytes", a.Bytes, n*mib)
	want(t, "retransmitted, out of order, strays", []int64{a.RexmitBytes, a.OutOfOrder, a.Strays}, []int64{0, 0, 0})
	want(t, "samples: the SYN's and one each", a.RTT.Samples, n+1)
}

// A capture that begins after the handshake counts positions from its first packet.
func TestMidStream(t *testing.T) {
	t.Run("with data", func(t *testing.T) {
		p := newPlay(t)
		p.give(0, A, ack, 90_000, 3_000, 1000)
		want(t, "range", p.last.Sent.Range, span(1, 1001))
		_, fromSYN := p.a().ISN()
		want(t, "ISN from a SYN", fromSYN, false)
		p.give(40, B, ack, 3_000, 91_000, 0)
		want(t, "round trip, ns", p.last.Ack.RTT, 40*ms)
		want(t, "acknowledged", p.a().SndUna(), 1001)
		_, ok := p.Senders[B].WScale()
		want(t, "window scale known", ok, false)
	})
	t.Run("with an ACK", func(t *testing.T) {
		p := newPlay(t)
		p.give(0, B, ack, 3_000, 90_000, 0)
		want(t, "no round trip", p.last.Ack.Source, NoSample)
		p.give(1, A, ack, 90_000, 3_000, 1000)
		want(t, "parts", parts(&p.last.Sent), []Part{{span(1, 1001), New}})
	})
	t.Run("with a RST: it tells no position", func(t *testing.T) {
		p := newPlay(t)
		p.give(0, A, rst, 90_000, 0, 0)
		p.give(1, A, ack, 50_000, 1, 10)
		want(t, "range", p.last.Sent.Range, span(1, 11))
	})
}

// Rebase moves what is kept when the true origin becomes known.
func TestRebase(t *testing.T) {
	p := newPlay(t)
	p.give(0, A, ack, 50_001, 1, 1000)
	p.give(1, A, ack, 52_001, 1, 1000)
	p.give(2, A, ack, 50_001, 1, 1000)
	p.give(40, B, ack, 1, 50_001, 0, blocks(52_001, 53_001))
	delta := p.a().Rebase(p.isn[A])
	want(t, "moved by", delta, 50_000)
	a := p.a()
	want(t, "end", a.SndNxt(), 53_001)
	want(t, "acknowledged", a.SndUna(), 50_001)
	want(t, "SACKed", ranges(a.sacked.Ranges()), []seq.Range[seq.SSN]{span(52_001, 53_001)})
	want(t, "oldest in flight", a.rtxQueue.list.Front().Range, span(50_001, 51_001))
	p.give(50, A, ack, 51_001, 1, 1000)
	want(t, "the hole moved too", parts(&p.last.Sent), []Part{{span(51_001, 52_001), New}})
	p.give(60, B, ack, 1, 53_001, 0, blocks(50_001, 51_001))
	want(t, "so did the copy that DSACK reports", a.Loss.DSACKed, 1)
	_, fromSYN := a.ISN()
	want(t, "ISN is the true one", fromSYN, true)
}
