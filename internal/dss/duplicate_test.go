package dss

import (
	"testing"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	"mpanalyze/internal/seq"
)

// Subflow a has a round trip of 40, subflow b one of 20. Bytes 1 to 100 leave on a at
// 100; the copy leaves on b at 125 and arrives, by estimate, at 135.
func TestReinjectionOutcome(t *testing.T) {
	all := run[seq.SSN](1, 101)
	for _, tt := range []struct {
		name string
		play func(sp *probe, a, b *SubflowSpace)
		want ReinjectionOutcome
	}{
		{"acknowledged at 155: arrived at 135", func(sp *probe, a, _ *SubflowSpace) { sp.Acked(a, all, 155) }, ReinjectionOutcome{ByOriginal: 100}},
		{"acknowledged at 156: arrived at 136", func(sp *probe, a, _ *SubflowSpace) { sp.Acked(a, all, 156) }, ReinjectionOutcome{ByReinjection: 100}},
		{"acknowledged at 161, after more than 1.5 round trips: it had arrived at 120", func(sp *probe, a, _ *SubflowSpace) {
			sp.Acked(a, all, 161)
		}, ReinjectionOutcome{ByOriginal: 100}},
		{"likewise, but sent again on a", func(sp *probe, a, _ *SubflowSpace) {
			sp.again(a, 1, 100, 130)
			sp.Acked(a, all, 170)
		}, ReinjectionOutcome{ByReinjection: 100}},
		{"in two parts", func(sp *probe, a, _ *SubflowSpace) {
			sp.Acked(a, run[seq.SSN](31, 61), 150)
			sp.Acked(a, all, 158)
		}, ReinjectionOutcome{ByOriginal: 30, ByReinjection: 70}},
		{"only the copy is acknowledged", func(sp *probe, _, b *SubflowSpace) { sp.Acked(b, all, 145) }, ReinjectionOutcome{Undecided: 100}},
		{"a DATA_ACK before the copy can arrive", func(sp *probe, _, _ *SubflowSpace) { sp.DataAck(101, 134) }, ReinjectionOutcome{ByOriginal: 100}},
		{"a DATA_ACK that the copy may have caused", func(sp *probe, _, _ *SubflowSpace) { sp.DataAck(101, 135) }, ReinjectionOutcome{Undecided: 100}},
		{"no round trip of a", func(sp *probe, a, _ *SubflowSpace) {
			*a.RTT = 0
			sp.Acked(a, all, 150)
		}, ReinjectionOutcome{NoRTT: 100}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			sp, a, b := twoSubflows()
			trips := [2]float64{40, 20}
			a.RTT, b.RTT = &trips[0], &trips[1]
			sp.give(a, 1, 1, 100, 100)
			sp.give(b, 1, 1, 100, 125)
			tt.play(sp, a, b)
			assert.Check(t, is.Equal(sp.ReinjectionOutcome(), tt.want))
		})
	}
}

// A copy of acknowledged data came second, whether round trips are known or not.
func TestReinjectionOutcomeOfLateCopy(t *testing.T) {
	sp, a, b := twoSubflows()
	sp.give(a, 1, 1, 100, 100)
	sp.Acked(a, run[seq.SSN](1, 101), 140)
	sp.give(b, 1, 1, 100, 141)
	assert.Check(t, is.Equal(sp.ReinjectionOutcome(), (ReinjectionOutcome{ByOriginal: 100})))
}

// At the bound the oldest copies are no longer decided; no byte counts twice.
func TestDuplicatesAreBounded(t *testing.T) {
	sp, a, b := twoSubflows()
	const n = 2 * maxDuplicates
	for i := range seq.SSN(n) {
		sp.give(a, 1+10*i, seq.DSN(1+10*i), 10, 1)
		sp.give(b, 1+10*i, seq.DSN(1+10*i), 10, 2)
		assert.Assert(t, len(a.duplicates) <= maxDuplicates, "%d duplicates", len(a.duplicates))
	}
	got := sp.ReinjectionOutcome()
	assert.Check(t, got.Undecided == 10*n, "%+v, want %d undecided", got, 10*n)
}

// Only a part of a piece was sent on another subflow before. Only that part is a
// reinjection onto another subflow.
func TestReinjectionInParts(t *testing.T) {
	sp, a, b := twoSubflows()
	sp.give(a, 1, 1, 100, 1)   // 1-100
	sp.give(b, 1, 101, 100, 2) // 101-200
	sp.give(b, 101, 51, 100, 3)
	want := []sees{{51, 101, 101, Reinjection}, {101, 151, 151, ReinjectedSame}}
	assert.Check(t, is.DeepEqual(pieces(sp)[2:], want), "pieces")
	if b.ReinjectedBytes != 100 || b.ReinjectedSame != 50 {
		t.Errorf("%d bytes reinjected, %d on the same subflow; want 100 and 50", b.ReinjectedBytes, b.ReinjectedSame)
	}
}

// again sends n bytes of subflow l at position ssn another time.
func (sp *probe) again(sub *SubflowSpace, ssn seq.SSN, n int, at uint64) {
	sp.Result.Reset()
	sp.Carry(sub, &Payload{Range: run(ssn, ssn+seq.SSN(n)), SegmentBytes: 100, Packet: at, Time: int64(at)})
}
