package subflow

import (
	"testing"

	"mpanalyze/internal/packet"
	"mpanalyze/internal/seq"
)

// segments sends n segments of 1000 bytes, one each millisecond from 0 on.
func (p *play) segments(n int) {
	for i := range n {
		p.data(float64(i), seq.SSN(1+1000*i), 1000)
	}
}

func TestScoreboard(t *testing.T) {
	type step struct {
		upTo   seq.SSN
		blocks []seq.SSN
		news   []seq.Range[seq.SSN] // covered for the first time
		sacked []seq.Range[seq.SSN]
	}
	type r = []seq.Range[seq.SSN]
	tests := []struct {
		name  string
		steps []step
	}{
		{"grows, and goes with the cumulative ACK", []step{
			{1001, []seq.SSN{2001, 3001}, r{span(1, 1001), span(2001, 3001)}, r{span(2001, 3001)}},
			{1001, []seq.SSN{2001, 4001}, r{span(3001, 4001)}, r{span(2001, 4001)}},
			{1001, []seq.SSN{2001, 4001}, r{}, r{span(2001, 4001)}},
			{3501, nil, r{span(1001, 2001)}, r{span(3501, 4001)}},
			{6001, nil, r{span(4001, 6001)}, r{}},
		}},
		{"several blocks, newest first", []step{
			{
				1,
				[]seq.SSN{5001, 6001, 3001, 4001, 1001, 2001},
				r{span(1001, 2001), span(3001, 4001), span(5001, 6001)},
				r{span(1001, 2001), span(3001, 4001), span(5001, 6001)},
			},
			{1, []seq.SSN{1001, 4001, 5001, 6001}, r{span(2001, 3001)}, r{span(1001, 4001), span(5001, 6001)}},
		}},
		{"blocks that cut segments", []step{
			{1, []seq.SSN{1501, 2501}, r{span(1501, 2501)}, r{span(1501, 2501)}},
			{1751, nil, r{span(1, 1501)}, r{span(1751, 2501)}},
		}},
		{"below and beyond what was sent", []step{
			{3001, []seq.SSN{5001, 7001}, r{span(1, 3001)}, r{}},
			{3001, []seq.SSN{2001, 4001, 5001, 6001}, r{span(3001, 4001), span(5001, 6001)}, r{span(3001, 4001), span(5001, 6001)}},
		}},
		{"empty and reversed blocks", []step{
			{1, []seq.SSN{2001, 2001}, r{}, r{}},
			{1, []seq.SSN{3001, 2001}, r{}, r{}},
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p := opened(t)
			p.segments(6)
			for i, s := range tt.steps {
				p.acks(50+float64(i), s.upTo, blocks(s.blocks...))
				want(t, "newly covered", ranges(p.last.Ack.NewlyAcked), s.news)
				want(t, "scoreboard", ranges(p.a().sacked.Ranges()), s.sacked)
			}
			want(t, "DSACK blocks", p.a().DSACKBlocks, 0)
		})
	}
}

// A SACK may be captured before its data. It then counts, and the later acknowledgment
// covers nothing new.
func TestDataCapturedAfterItsSACK(t *testing.T) {
	p := opened(t)
	p.data(0, 1, 1000)
	p.data(2, 2001, 1000)
	p.acks(41, 1, blocks(1001, 3001))
	p.data(41.1, 1001, 1000)
	p.acks(60, 3001)
	want(t, "covered", ranges(p.last.Ack.NewlyAcked), []seq.Range[seq.SSN]{span(1, 1001)})
	p.wantSample("ACK", sample{Cumulative, 60, 60})
}

// The three forms of a DSACK (RFC 2883, Section 4), and blocks that only look like one.
// Where a block is alone, the ACK has no room for a second one.
func TestDuplicateReports(t *testing.T) {
	type acked struct {
		upTo   seq.SSN
		blocks []seq.SSN
	}
	tests := []struct {
		name   string
		before []acked
		last   acked
		dsack  bool
	}{
		{"below the cumulative ACK (RFC 2883, Section 4)", []acked{{3001, nil}}, acked{3001, []seq.SSN{1, 1001}}, true},
		{"on an ACK that advances", nil, acked{3001, []seq.SSN{1, 1001}}, true},
		{"up to the cumulative ACK", nil, acked{3001, []seq.SSN{2001, 3001}}, true},
		{"inside the second block (Section 4.1.1)", nil, acked{1, []seq.SSN{2001, 3001, 1001, 4001}}, true},
		{"the second block itself", nil, acked{1, []seq.SSN{2001, 3001, 2001, 3001}}, true},
		{"alone, inside what was SACKed", []acked{{1, []seq.SSN{1001, 4001}}}, acked{1, []seq.SSN{2001, 3001}}, true},
		{
			"alone, all that was SACKed, after another block",
			[]acked{{1, []seq.SSN{1001, 2001}}, {1, []seq.SSN{4001, 5001}}},
			acked{1, []seq.SSN{1001, 2001}},
			true,
		},

		{"a mere repetition of the last block", []acked{{1, []seq.SSN{1001, 4001}}}, acked{1, []seq.SSN{1001, 4001}}, false},
		{"alone, and new in part", []acked{{1, []seq.SSN{1001, 2001}}}, acked{1, []seq.SSN{1001, 3001}}, false},
		{
			"alone, inside what was SACKed, on an ACK that advances",
			[]acked{{1, []seq.SSN{2001, 5001}}},
			acked{1001, []seq.SSN{3001, 4001}},
			false,
		},
		{"the first of several ordinary blocks", nil, acked{1, []seq.SSN{4001, 5001, 1001, 2001}}, false},
		{"that starts below the cumulative ACK and ends above", []acked{{2001, nil}}, acked{2001, []seq.SSN{1001, 3001}}, false},
		{"an empty one", []acked{{3001, nil}}, acked{3001, []seq.SSN{1001, 1001}}, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p := opened(t)
			p.segments(6)
			for i, b := range tt.before {
				p.acks(50+float64(i), b.upTo, blocks(b.blocks...))
			}
			want(t, "DSACK blocks before", p.a().DSACKBlocks, 0)
			p.acks(60, tt.last.upTo, blocks(tt.last.blocks...), optLen(36))
			n := int64(0)
			if tt.dsack {
				n = 1
			}
			want(t, "DSACK blocks", p.a().DSACKBlocks, n)
			want(t, "nothing was sent again: segments that the network doubled", p.a().Loss.NetDuplicate, n)
			want(t, "SACK blocks that B sent", p.Senders[B].SACKBlocks > 0, true)
		})
	}
}

// At the bound the oldest ranges are forgotten: figures become less accurate, and memory
// does not grow.
func TestScoreboardIsBounded(t *testing.T) {
	p := opened(t)
	const n = 2 * maxSACKed
	for i := range seq.SSN(n) {
		p.data(0, 1+2*i, 2)
	}
	for i := range seq.SSN(n) {
		p.acks(40, 1, blocks(2+2*i, 3+2*i)) // every second byte
	}
	if got := p.a().sacked.Len(); got > maxSACKed || got < maxSACKed*7/8 {
		t.Errorf("%d ranges, want at most %d and little less", got, maxSACKed)
	}
	p.acks(41, 1, blocks(2, 3)) // forgotten as a range, but still marked on the data in flight
	want(t, "covered", ranges(p.last.Ack.NewlyAcked), []seq.Range[seq.SSN]{})
}

// The segments in flight have a bound, too. Only splitting within one packet may exceed it.
func TestFlightsAreBounded(t *testing.T) {
	p := opened(t)
	s := packet.Segment{Time: epoch, Flags: ack, Ack: p.isn[B] + 1, PayloadLen: 1, Window: 1}
	for i := range seq.SSN(maxRtxQueue + 100) {
		s.Seq = p.isn[A] + 1 + seq.Wire(i)
		p.Flow.packet(&s, A, false, &p.last)
	}
	q := &p.a().rtxQueue
	want(t, "pieces", q.list.Len(), maxRtxQueue)
	want(t, "the oldest are gone", q.list.Front().Start, 101)
	p.data(1, maxRtxQueue+101, 100)
	p.acks(40, 1, blocks(maxRtxQueue+110, maxRtxQueue+120))
	want(t, "pieces after a split in three", q.list.Len(), maxRtxQueue)
}
