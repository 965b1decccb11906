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
	p.run("0 segments 6; 41 ack 1001 sack 3001-4001; 42 data 2001+1000; nxt 6001; una 1001; sacked 3001-4001; again 1 1000; 82 ack 6001; inflight 0")
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

// A capture that begins after the handshake counts positions from its first packet. The scripts count from A's 1000.
func TestMidStream(t *testing.T) {
	scripts(t, [][2]string{
		{"with data", "0 A ack 90000 3000 1000; range 1-1001; origin false; 40 B ack 3000 91000 0; sample cumulative 40 40; una 1001"},
		{"with an ACK: no round trip", "0 B ack 3000 90000 0; sample none; 1 A ack 90000 3000 1000; parts new 1-1001"},
		{"with a RST: it tells no position", "0 A rst 90000 0 0; 1 A ack 50000 1 10; range 1-11"},
		{"with the numbers of a SYN", "0 A syn 0 0 0; origin true"},
	})
	p := newPlay(t)
	p.run("0 A ack 90000 3000 1000; 40 B ack 3000 91000 0")
	_, ok := p.Senders[B].WScale()
	want(t, "window scale known", ok, false)
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
