package subflow

import (
	"testing"

	"gotest.tools/v3/assert"

	"mpanalyze/internal/packet"
	"mpanalyze/internal/seq"
)

// What an ACK covers for the first time, and the scoreboard after it. Six segments are in flight.
func TestScoreboard(t *testing.T) {
	scripts(t, [][2]string{
		{
			"grows, and goes with the cumulative ACK",
			"opened; 0 segments 6; 50 ack 1001 sack 2001-3001; covered 1-1001,2001-3001; sacked 2001-3001; 51 ack 1001 sack 2001-4001; covered 3001-4001; sacked 2001-4001; " +
				"52 ack 1001 sack 2001-4001; covered ; sacked 2001-4001; 53 ack 3501; covered 1001-2001; sacked 3501-4001; 54 ack 6001; covered 4001-6001; sacked ; dsacks 0",
		},
		{
			"several blocks, newest first",
			"opened; 0 segments 6; 50 ack 1 sack 5001-6001,3001-4001,1001-2001; covered 1001-2001,3001-4001,5001-6001; sacked 1001-2001,3001-4001,5001-6001; " +
				"51 ack 1 sack 1001-4001,5001-6001; covered 2001-3001; sacked 1001-4001,5001-6001; dsacks 0",
		},
		{"blocks that cut segments", "opened; 0 segments 6; 50 ack 1 sack 1501-2501; covered 1501-2501; sacked 1501-2501; 51 ack 1751; covered 1-1501; sacked 1751-2501; dsacks 0"},
		{
			"below and beyond what was sent",
			"opened; 0 segments 6; 50 ack 3001 sack 5001-7001; covered 1-3001; sacked ; 51 ack 3001 sack 2001-4001,5001-6001; covered 3001-4001,5001-6001; sacked 3001-4001,5001-6001; dsacks 0",
		},
		{"empty and reversed blocks", "opened; 0 segments 6; 50 ack 1 sack 2001-2001; covered ; sacked ; 51 ack 1 sack 3001-2001; covered ; sacked ; dsacks 0"},
	})
}

// The three forms of a DSACK (RFC 2883, Section 4), and blocks that only look like one. Where a block is alone,
// the ACK has no room for a second one. Nothing was sent again: the network doubled what is reported.
func TestDuplicateReports(t *testing.T) {
	for _, tt := range []struct {
		name         string
		before, last string
		dsacks       int64
	}{
		{"below the cumulative ACK (RFC 2883, Section 4)", "50 ack 3001", "60 ack 3001 sack 1-1001 optlen 36", 1},
		{"on an ACK that advances", "", "60 ack 3001 sack 1-1001 optlen 36", 1},
		{"up to the cumulative ACK", "", "60 ack 3001 sack 2001-3001 optlen 36", 1},
		{"inside the second block (Section 4.1.1)", "", "60 ack 1 sack 2001-3001,1001-4001 optlen 36", 1},
		{"the second block itself", "", "60 ack 1 sack 2001-3001,2001-3001 optlen 36", 1},
		{"alone, inside what was SACKed", "50 ack 1 sack 1001-4001", "60 ack 1 sack 2001-3001 optlen 36", 1},
		{"alone, all that was SACKed, after another block", "50 ack 1 sack 1001-2001; 51 ack 1 sack 4001-5001", "60 ack 1 sack 1001-2001 optlen 36", 1},

		{"a mere repetition of the last block", "50 ack 1 sack 1001-4001", "60 ack 1 sack 1001-4001 optlen 36", 0},
		{"alone, and new in part", "50 ack 1 sack 1001-2001", "60 ack 1 sack 1001-3001 optlen 36", 0},
		{"alone, inside what was SACKed, on an ACK that advances", "50 ack 1 sack 2001-5001", "60 ack 1001 sack 3001-4001 optlen 36", 0},
		{"the first of several ordinary blocks", "", "60 ack 1 sack 4001-5001,1001-2001 optlen 36", 0},
		{"that starts below the cumulative ACK and ends above", "50 ack 2001", "60 ack 2001 sack 1001-3001 optlen 36", 0},
		{"an empty one", "50 ack 3001", "60 ack 3001 sack 1001-1001 optlen 36", 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := opened(t)
			p.run("0 segments 6; " + tt.before + "; dsacks 0; " + tt.last)
			want(t, "DSACK blocks", p.a().DSACKBlocks, tt.dsacks)
			want(t, "segments that the network doubled", p.a().Loss.NetDuplicate, tt.dsacks)
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
	got := p.a().sacked.Len()
	assert.Check(t, got <= maxSACKed && got >= maxSACKed*7/8, "%d ranges, want at most %d and little less", got, maxSACKed)
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
