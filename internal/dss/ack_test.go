package dss

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	"mpanalyze/internal/seq"
)

func run[T seq.Position](from, to T) seq.Range[T] { return seq.Range[T]{Start: from, End: to} }

// drain returns the chunks that are settled; with all set, every chunk.
func (sp *probe) drain(all bool) (out []Chunk) {
	sp.settleInto(all, func(_ *SubflowSpace, run []Chunk) { out = append(out, run...) })
	return out
}

// The times of a chunk: seen, last byte acknowledged or SACKed, DATA_ACKed, in order.
func TestLife(t *testing.T) {
	sp, sub := oneSubflow()
	sp.give(sub, 1, 1, 100, 10)
	sp.give(sub, 101, 101, 100, 11)
	sp.give(sub, 301, 301, 100, 12) // a hole of 100 below
	if got := sp.InOrder(12); len(got) != 2 || sp.RcvNxt() != 201 {
		t.Errorf("%d chunks in order below %d", len(got), sp.RcvNxt())
	}
	sp.Acked(sub, run[seq.SSN](301, 401), 20) // SACK
	sp.Acked(sub, run[seq.SSN](1, 150), 21)   // half of the second chunk
	if sp.SubflowAckedBytes != 100+149 || sp.SubflowAckedSegments != 2 {
		t.Errorf("%d bytes in %d segments are acknowledged and not DATA_ACKed", sp.SubflowAckedBytes, sp.SubflowAckedSegments)
	}
	_, covered := sp.DataAck(150, 22)
	assert.Check(t, len(covered) == 1 && covered[0].Data.End == 101, "a DATA_ACK up to 149 covers %d chunks", len(covered))
	sp.Acked(sub, run[seq.SSN](150, 201), 23)
	sp.give(sub, 201, 201, 100, 24)
	if got := sp.InOrder(24); len(got) != 2 || sp.RcvNxt() != 401 {
		t.Errorf("%d chunks in order below %d once the hole is full", len(got), sp.RcvNxt())
	}
	sp.DataAck(401, 25) // the DATA_ACK comes before the ACK of the third chunk
	if sp.OutstandingBytes != 0 || sp.OutstandingSegments != 0 || sp.SubflowAckedBytes != 0 || sp.SubflowAckedSegments != 0 {
		t.Errorf("after a DATA_ACK of all: %d %d %d %d", sp.OutstandingBytes, sp.OutstandingSegments, sp.SubflowAckedBytes, sp.SubflowAckedSegments)
	}
	if got := sp.drain(false); len(got) != 2 {
		t.Errorf("%d chunks settled before the third is acknowledged, want 2", len(got))
	}
	sp.Acked(sub, run[seq.SSN](201, 301), 26)
	got := append(sp.drain(false), sp.drain(true)...)
	want := []Chunk{
		{Data: run[seq.DSN](201, 301), SSN: 201, Packet: 24, FirstSeen: 24, Acked: 26, DataAcked: 25, InOrder: 24, Segments: 1},
		{Data: run[seq.DSN](301, 401), SSN: 301, Packet: 12, FirstSeen: 12, Acked: 20, DataAcked: 25, InOrder: 24, Segments: 1},
	}
	assert.Check(t, is.DeepEqual(got, want, cmp.AllowUnexported(Chunk{})), "lives")
}

// The acknowledgment of a copy on another subflow counts for the chunk.
func TestAckedThroughCopy(t *testing.T) {
	sp, a, b := twoSubflows()
	sp.give(a, 1, 1, 100, 1)
	sp.give(a, 101, 101, 100, 2)
	sp.give(b, 1, 51, 150, 3) // 51-200 again
	sp.Acked(b, run[seq.SSN](1, 51), 10)
	sp.Acked(a, run[seq.SSN](1, 201), 11)
	var at []int64
	for _, c := range sp.drain(true) {
		at = append(at, c.Acked)
	}
	assert.Check(t, is.DeepEqual(at, []int64{10, 11}), "acknowledged")
}

// A copy of data that its subflow has acknowledged, or that is settled, comes second,
// however many copies there are.
func TestCopyOfAcknowledged(t *testing.T) {
	var sp probe
	sp.SetIDSN(0)
	a, b, c := sp.NewSubflow(0), sp.NewSubflow(1), sp.NewSubflow(2)
	trip := 2.0
	a.RTT, b.RTT, c.RTT = &trip, &trip, &trip
	sp.give(a, 1, 1, 100, 1)
	sp.give(a, 101, 101, 100, 2)
	sp.give(a, 201, 201, 100, 3)
	sp.Acked(a, run[seq.SSN](1, 201), 10)
	sp.DataAck(101, 11)
	sp.InOrder(11)
	sp.drain(false) // 1-100
	sp.give(b, 1, 1, 300, 12)
	if got, want := sp.ReinjectionOutcome(), (ReinjectionOutcome{ByOriginal: 200, Undecided: 100}); got != want {
		t.Errorf("%+v, want %+v: 201-300 is open", got, want)
	}
	sp.give(c, 1, 1, 200, 13)
	sp.Acked(c, run[seq.SSN](1, 201), 14)
	sp.Acked(b, run[seq.SSN](1, 301), 15)
	sp.Acked(a, run[seq.SSN](201, 301), 16)
	if got, want := sp.ReinjectionOutcome(), (ReinjectionOutcome{ByOriginal: 300}); got != want {
		t.Errorf("%+v, want %+v: 201-300 left at 3, once", got, want)
	}
}

// Data that the capture missed, or that was sent before it began, no longer delays other
// data once a DATA_ACK shows that the receiver has it.
func TestUnseenDataHoldsNothingUp(t *testing.T) {
	sp, sub := oneSubflow()
	sp.give(sub, 101, 101, 100, 1) // 1-100 not captured
	sp.Acked(sub, run[seq.SSN](1, 201), 2)
	if got := sp.InOrder(2); len(got) != 0 || sp.RcvNxt() != 1 {
		t.Errorf("%d chunks in order though 100 bytes are missing", len(got))
	}
	sp.DataAck(201, 3)
	if got := sp.InOrder(3); len(got) != 0 {
		t.Error("when the missing data arrived is not known: no time to report")
	}
	if got := sp.drain(false); len(got) != 1 || got[0].InOrder != 3 || sp.RcvNxt() != 201 {
		t.Errorf("%d chunks settled, in order below %d", len(got), sp.RcvNxt())
	}
	sp.give(sub, 201, 201, 100, 4)
	if got := sp.InOrder(4); len(got) != 1 {
		t.Errorf("%d chunks in order, want the new one", len(got))
	}
	sp.DataAck(401, 5) // 301-400 not captured
	assert.Check(t, sp.SndNxt() == 401, "end %d, want 401", sp.SndNxt())
}

// Data that is captured after its DATA_ACK counts as bytes and makes no chunk.
func TestSeenAfterDataAck(t *testing.T) {
	sp, sub := oneSubflow()
	sp.DataAck(151, 1)
	sp.give(sub, 1, 1, 100, 2)
	sp.give(sub, 101, 101, 100, 3) // 50 bytes of it above the DATA_ACK
	assert.Check(t, sp.Bytes == 200 && sub.FirstBytes == 200 && sp.OutstandingBytes == 50, "%d bytes, %d wait, want 200, 50", sp.Bytes, sp.OutstandingBytes)
	got := sp.drain(true)
	assert.Check(t, len(got) == 1 && got[0].Data == run[seq.DSN](151, 201) && got[0].SSN == 151, "lives: %+v", got)
}

// The subflow's acknowledgment may pass before the mapping of the data that it
// acknowledges. Such a chunk ends, too.
func TestAcknowledgedBeforeMapped(t *testing.T) {
	sp, sub := oneSubflow()
	sp.Carry(sub, segment(1, 100, 1))
	sp.Acked(sub, run[seq.SSN](1, 101), 2)
	sp.SubflowUna(sub, 101)
	sp.Map(sub, mapping(1, 1, 100), nil)
	sp.InOrder(3)
	sp.DataAck(101, 3)
	got := sp.drain(false)
	assert.Check(t, len(got) == 1 && got[0].Acked == 0 && got[0].FirstSeen == 1, "settled %+v, want the one chunk, seen at 1, its ACK unknown", got)
}

// A chunk that fills a hole among settled chunks is passed on, and no chunk is passed on
// twice.
func TestSettledOnce(t *testing.T) {
	sp, a, b := twoSubflows()
	sp.give(a, 1, 1, 100, 1)
	sp.give(a, 101, 201, 100, 2)
	sp.Acked(a, run[seq.SSN](1, 201), 3)
	sp.give(b, 1, 101, 100, 3) // fills the hole on another subflow
	sp.Acked(b, run[seq.SSN](1, 101), 4)
	sp.InOrder(4)
	sp.DataAck(251, 5)
	first := sp.drain(false) // 1-100 on a, 101-200 on b
	sp.DataAck(301, 6)
	second := sp.drain(false)
	sp.give(a, 201, 401, 10, 7)
	third := sp.drain(true)
	if len(first) != 2 || len(second) != 1 || len(third) != 1 || third[0].Data.Start != 401 {
		t.Errorf("settled %d, %d, %d chunks, want 2, 1, 1", len(first), len(second), len(third))
	}
	again := sp.drain(true)
	assert.Check(t, len(again) == 0, "%d chunks settled twice", len(again))
}

// In a capture of one direction there are no acknowledgments. Memory stays bounded, and
// every chunk is passed on once.
func TestChunkBound(t *testing.T) {
	sp, sub := oneSubflow()
	const n = 3 * maxChunks
	handed, next := 0, seq.DSN(1)
	sp.OnSettled(func(_ *SubflowSpace, run []Chunk) {
		for _, c := range run {
			assert.Assert(t, c.Data.Start == next, "chunk from %d after one up to %d", c.Data.Start, next)
			next, handed = c.Data.End, handed+1
		}
	})
	for i := range n {
		sp.Reset()
		sp.give(sub, seq.SSN(1+10*i), seq.DSN(1+10*i), 10, uint64(i))
		sp.SubflowUna(sub, seq.SSN(10*i))
		sp.EndPacket()
		kept := sub.chunks.Len()
		assert.Assert(t, kept <= maxChunks+1, "%d chunks kept after %d", kept, i)
	}
	sp.Close()
	assert.Check(t, handed == n, "%d chunks handed over, want %d", handed, n)
	assert.Check(t, sp.OutstandingSegments == 0, "%d segments wait for a DATA_ACK, but no chunk is left to match it", sp.OutstandingSegments)
}

// A space with nothing but holes keeps its newest data, forgets an eighth at once, and its
// sums agree with what it keeps.
func TestSeenBound(t *testing.T) {
	sp, sub := oneSubflow()
	drops, kept := 0, 0
	for i := range 2 * maxRanges {
		sp.Reset()
		sp.give(sub, seq.SSN(1+i), seq.DSN(1+2*i), 1, uint64(i))
		sp.Acked(sub, run(seq.SSN(1+i), seq.SSN(2+i)), 1)
		sp.SubflowUna(sub, seq.SSN(1+i))
		if n := sp.seen.Len(); n < kept {
			drops++
		}
		kept = sp.seen.Len()
		if n := int64(kept); kept > maxRanges || kept < min(i, maxRanges*7/8) || sp.OutstandingBytes != n || sp.SubflowAckedBytes != n || sp.subflowAcked.Len() != kept {
			t.Fatalf("%d: %d runs seen, %d held, %d bytes wait, %d acknowledged", i, kept, sp.subflowAcked.Len(), sp.OutstandingBytes, sp.SubflowAckedBytes)
		}
	}
	assert.Check(t, is.Equal(drops, 8), "some were forgotten: times")
	sp.DataAck(4*maxRanges, 2)
	if sp.OutstandingBytes != 0 || sp.SubflowAckedBytes != 0 {
		t.Errorf("after a DATA_ACK of all: %d bytes wait, %d acknowledged", sp.OutstandingBytes, sp.SubflowAckedBytes)
	}
}
