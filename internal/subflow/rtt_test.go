package subflow

import (
	"testing"

	"mpanalyze/internal/seq"
)

// sample is the expected round-trip sample of an ACK.
type sample struct {
	Source SampleSource
	RTT    float64 // ms
	Newest float64 // ms; 0 = none
}

func (p *play) wantSample(what string, w sample) {
	p.t.Helper()
	a, got := p.last.Ack, sample{}
	if a.New {
		got = sample{a.Source, float64(a.RTT) / 1e6, float64(a.NewestRTT) / 1e6}
	}
	want(p.t, what, got, w)
}

// Rule 1: the handshake is the first sample.
func TestRTTOfHandshake(t *testing.T) {
	t.Run("SYN to SYN/ACK at the initiator", func(t *testing.T) {
		p := newPlay(t)
		p.give(0, A, syn, 0, 0, 0)
		p.give(40, B, synAck, 0, 1, 0)
		p.wantSample("SYN/ACK", sample{Cumulative, 40, 40})
		p.give(40, A, ack, 1, 1, 0)
		p.wantSample("third ACK, at once", sample{Cumulative, 0, 0})
	})
	t.Run("SYN/ACK to third ACK at the responder", func(t *testing.T) {
		p := newPlay(t)
		p.give(0, A, syn, 0, 0, 0)
		p.give(1, B, synAck, 0, 1, 0)
		p.give(41, A, ack, 1, 1, 0)
		p.wantSample("third ACK", sample{Cumulative, 40, 40})
	})
	t.Run("none by sending times if the SYN was repeated", func(t *testing.T) {
		p := newPlay(t)
		p.give(0, A, syn, 0, 0, 0)
		p.give(1000, A, syn, 0, 0, 0)
		p.give(1040, B, synAck, 0, 1, 0)
		p.wantSample("SYN/ACK", sample{})
	})
	t.Run("the echo tells which SYN was answered", func(t *testing.T) {
		p := newPlay(t)
		p.give(0, A, syn, 0, 0, 0, ts(100, 0))
		p.give(1000, A, syn, 0, 0, 0, ts(1100, 0))
		p.give(1040, B, synAck, 0, 1, 0, ts(9, 1100))
		p.wantSample("SYN/ACK", sample{Timestamp, 40, 0})
	})
}

// Rule 2: one sample per ACK, from the oldest segment that it newly covers.
func TestRTTCumulative(t *testing.T) {
	t.Run("a delayed ACK covers two: the older counts, the newer is rtt_newest", func(t *testing.T) {
		p := opened(t)
		p.data(0, 1, 1000)
		p.data(10, 1001, 1000)
		p.acks(50, 2001)
		p.wantSample("ACK", sample{Cumulative, 50, 40})
	})
	t.Run("any of those covered was retransmitted: none", func(t *testing.T) {
		p := opened(t)
		p.data(0, 1, 1000)
		p.data(1, 1001, 1000)
		p.data(2, 2001, 1000)
		p.data(300, 1001, 1000)
		p.acks(340, 3001)
		p.wantSample("ACK", sample{NoSample, 0, 338}) // the third was sent once, at 2
	})
	t.Run("a part of one was retransmitted: none for the ACK that covers it", func(t *testing.T) {
		p := opened(t)
		p.data(0, 1, 1000)
		p.data(300, 501, 100)
		p.acks(340, 501)
		p.wantSample("ACK of the part sent once", sample{Cumulative, 340, 340})
		p.acks(341, 601)
		p.wantSample("ACK of the part sent twice", sample{})
		p.acks(342, 1001)
		p.wantSample("ACK of the rest", sample{Cumulative, 342, 342})
	})
	t.Run("what was SACKed before is not the oldest, but spoils it if sent again", func(t *testing.T) {
		p := opened(t)
		p.data(0, 1, 1000)
		p.data(10, 1001, 1000)
		p.data(20, 2001, 1000)
		p.acks(60, 1, blocks(1001, 2001))
		p.wantSample("SACK", sample{Selective, 50, 50})
		p.acks(70, 3001) // the ACK comes late: 1 was sent at 0, 3 at 20
		p.wantSample("ACK", sample{Cumulative, 70, 50})
	})
	t.Run("a segment acknowledged in part counts for that part", func(t *testing.T) {
		p := opened(t)
		p.data(0, 1, 3000)
		p.acks(40, 1001)
		p.wantSample("first part", sample{Cumulative, 40, 40})
		p.acks(45, 3001)
		p.wantSample("the rest", sample{Cumulative, 45, 45})
	})
	t.Run("FIN takes part like data", func(t *testing.T) {
		p := opened(t)
		p.give(0, A, fin, 1, 1, 0)
		p.acks(40, 2)
		p.wantSample("ACK of the FIN", sample{Cumulative, 40, 40})
	})
	t.Run("a FIN sent twice gives none", func(t *testing.T) {
		p := opened(t)
		p.give(0, A, fin, 1, 1, 0)
		p.give(240, A, fin, 1, 1, 0)
		p.acks(280, 2)
		p.wantSample("ACK of the FIN", sample{})
	})
	t.Run("an ACK of nothing new gives none", func(t *testing.T) {
		p := opened(t)
		p.data(0, 1, 1000)
		p.acks(40, 1)
		p.wantSample("duplicate ACK", sample{})
		p.acks(50, 1001)
		p.acks(60, 1001)
		p.wantSample("repeated ACK", sample{})
	})
}

// Rule 3: without a cumulative sample, the newly SACKed segment of lowest
// sequence number that was never retransmitted.
func TestRTTSelective(t *testing.T) {
	six := func(p *play) { // six segments, sent at 0, 1, ... 5 ms
		for i := range 6 {
			p.data(float64(i), seq.SSN(1+1000*i), 1000)
		}
	}
	t.Run("the lowest of several blocks, whose newest stands first", func(t *testing.T) {
		p := opened(t)
		six(p)
		p.acks(45, 1, blocks(5001, 6001, 1001, 2001))
		p.wantSample("SACK", sample{Selective, 44, 40}) // 1001 was sent at 1, 5001 at 5
		want(t, "covered", ranges(p.last.Ack.NewlyAcked), []seq.Range[seq.SSN]{span(1001, 2001), span(5001, 6001)})
	})
	t.Run("only what is new in a growing block", func(t *testing.T) {
		p := opened(t)
		six(p)
		p.acks(41, 1, blocks(1001, 2001))
		p.wantSample("SACK", sample{Selective, 40, 40})
		p.acks(43, 1, blocks(1001, 4001))
		p.wantSample("SACK", sample{Selective, 41, 40}) // 2001 was sent at 2, 3001 at 3
		want(t, "covered", ranges(p.last.Ack.NewlyAcked), []seq.Range[seq.SSN]{span(2001, 4001)})
		p.acks(44, 1, blocks(1001, 4001))
		p.wantSample("the same again", sample{})
	})
	t.Run("retransmitted ones are passed over", func(t *testing.T) {
		p := opened(t)
		six(p)
		p.data(300, 1001, 1000)
		p.acks(340, 1, blocks(1001, 3001))
		p.wantSample("SACK", sample{Selective, 338, 338})
	})
	t.Run("it stands in where the cumulative part gives none", func(t *testing.T) {
		p := opened(t)
		six(p)
		p.data(300, 1, 1000)
		p.acks(340, 1001, blocks(3001, 4001))
		p.wantSample("ACK and SACK", sample{Selective, 337, 337})
	})
	t.Run("a cumulative sample comes first", func(t *testing.T) {
		p := opened(t)
		six(p)
		p.acks(43, 1001, blocks(3001, 4001))
		p.wantSample("ACK and SACK", sample{Cumulative, 43, 40})
	})
	t.Run("a DSACK gives none", func(t *testing.T) {
		p := opened(t)
		six(p)
		p.acks(45, 6001)
		p.data(300, 1, 1000)
		p.acks(340, 6001, blocks(1, 1001))
		p.wantSample("DSACK", sample{})
		want(t, "DSACK blocks", p.a().DSACKBlocks, 1)
	})
}

// Rule 4: the echoed timestamp, where SND.UNA advanced and nothing else gave a
// sample.
func TestRTTTimestamp(t *testing.T) {
	t.Run("the copy's own timestamp", func(t *testing.T) {
		p := opened(t, ts(1, 1))
		p.data(0, 1, 1000, ts(100, 1))
		p.data(300, 1, 1000, ts(400, 1))
		p.acks(340, 1001, ts(7, 400))
		p.wantSample("ACK", sample{Timestamp, 40, 0})
	})
	t.Run("counted from the first packet with that timestamp", func(t *testing.T) {
		p := opened(t, ts(1, 1))
		p.data(0, 1, 1000, ts(100, 1))
		p.data(300, 1, 1000, ts(400, 1))
		p.data(300.5, 1001, 1000, ts(400, 1))
		p.acks(340, 1001, ts(7, 400))
		p.wantSample("ACK", sample{Timestamp, 40, 0})
	})
	t.Run("none if SND.UNA stands", func(t *testing.T) {
		p := opened(t, ts(1, 1))
		p.data(0, 1, 1000, ts(100, 1))
		p.acks(40, 1, ts(7, 100))
		p.wantSample("duplicate ACK", sample{})
	})
	t.Run("none with data that acknowledges nothing new", func(t *testing.T) {
		p := opened(t, ts(1, 1))
		p.data(0, 1, 1000, ts(100, 1))
		p.give(40, B, ack, 1, 1, 500, ts(7, 100))
		p.wantSample("data", sample{})
	})
	t.Run("none if the echoed value was never seen", func(t *testing.T) {
		p := opened(t, ts(1, 1))
		p.data(0, 1, 1000, ts(100, 1))
		p.data(300, 1, 1000, ts(400, 1))
		p.acks(340, 1001, ts(7, 399))
		p.wantSample("ACK", sample{})
	})
	t.Run("across the wrap of the timestamp clock", func(t *testing.T) {
		p := opened(t, ts(0xffff_ff00, 0xffff_ff00))
		p.data(0, 1, 1000, ts(0xffff_fff0, 1))
		p.data(300, 1, 1000, ts(0x0000_0010, 1)) // 32 ticks later
		p.acks(340, 1001, ts(7, 0x10))
		p.wantSample("ACK", sample{Timestamp, 40, 0})
	})
}

// The acknowledgment of a RST says what arrived; nothing else of it counts.
func TestRSTAcknowledges(t *testing.T) {
	p := opened(t)
	p.data(0, 1, 1000)
	p.data(1, 1001, 1000)
	p.acks(41, 1, blocks(1001, 2001))
	p.give(50, B, rst|ack, 1, 1501, 0)
	want(t, "covered: what no SACK had", ranges(p.last.Ack.NewlyAcked), []seq.Range[seq.SSN]{span(1, 1001)})
	p.wantSample("RST", sample{})
	want(t, "SND.UNA", p.a().SndUna(), 1)
	want(t, "unresolved: the first segment", p.a().UnresolvedSegments(), 1)
}

// The far part of the round trip: from B's packet to A's first payload that echoes its
// timestamp.
func TestFarHalf(t *testing.T) {
	const isn = 50 // A's timestamps in the handshake
	p := opened(t, ts(isn, isn))
	p.give(0, B, ack, 1, 1, 0, ts(60, isn))
	p.give(1, A, ack, 1, 1, 1000, ts(61, isn)) // before it could echo 60
	p.give(29, A, ack, 1001, 1, 1000, ts(89, isn))
	p.give(30, A, ack, 2001, 1, 1000, ts(90, 60))
	want(t, "30 ms after B's packet, 1 ms after the one before", p.last.FarHalfRTT, 30*ms)
	p.give(31, A, ack, 3001, 1, 1000, ts(91, 60))
	want(t, "the same echo again", p.last.FarHalfRTT, 0)

	// A pause of half of the far part is no pause yet.
	for i, pause := range []float64{15, 15.1} {
		at := 40 + 100*float64(i)
		echoed, start := uint32(100+i), seq.SSN(4001+2000*i)
		p.give(at, B, ack, 1, start, 0, ts(echoed, 91))
		p.give(at+30-pause, A, ack, start, 1, 1000, ts(uint32(at), 60))
		p.give(at+30, A, ack, start+1000, 1, 1000, ts(uint32(at)+1, echoed))
		want(t, "30 ms after B's packet, and after a pause", p.last.FarHalfRTT, []int64{30 * ms, 0}[i])
	}
}

// TestPositions: what a direction shows of a stream with holes.
func TestPositions(t *testing.T) {
	for _, c := range []struct {
		what    string
		play    func(p *play)
		inOrder seq.SSN
		holed   bool
		sacks   bool
	}{
		{"nothing", func(*play) {}, 1, false, false},
		{"in order", func(p *play) { p.data(0, 1, 1000) }, 1001, false, false},
		{"a hole", func(p *play) { p.data(0, 1, 1000); p.data(1, 2001, 1000) }, 1001, true, false},
		{"an ACK below the hole", func(p *play) { p.data(0, 1, 1000); p.data(1, 2001, 1000); p.acks(40, 501) }, 1001, true, false},
		{"an ACK up to the end of the hole", func(p *play) { p.data(0, 1, 1000); p.data(1, 2001, 1000); p.acks(40, 2001) }, 2001, false, false},
		{"a SACK above a hole", func(p *play) {
			p.data(0, 1, 1000)
			p.data(1, 1001, 1000)
			p.acks(40, 1, blocks(1001, 2001))
		}, 2001, false, true},
	} {
		p := opened(t)
		c.play(p)
		want(t, c.what+": in order", p.a().InOrder(), c.inOrder)
		want(t, c.what+": holed", p.a().Holed(), c.holed)
		want(t, c.what+": SACKs", p.a().SACKsHole(), c.sacks)
	}
}
