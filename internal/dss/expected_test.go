package dss

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	"mpanalyze/internal/seq"
)

// A transfer sends segments over two subflows, some of them as copies of data of the other
// one, and acknowledges them in ranges.
type hauler struct {
	r     *rand.Rand
	sp    probe
	subs  [2]*SubflowSpace
	nxt   [2]seq.SSN
	acked [2]seq.SSN
	dsn   seq.DSN
	ended []string
}

func newHauler(seed uint64) *hauler {
	h := &hauler{r: rand.New(rand.NewPCG(seed, 8)), nxt: [2]seq.SSN{1, 1}, acked: [2]seq.SSN{1, 1}, dsn: 1}
	h.sp.SetIDSN(0)
	h.subs = [2]*SubflowSpace{h.sp.NewSubflow(0), h.sp.NewSubflow(1)}
	return h
}

// step sends or acknowledges one packet at time now; acked receives what it acknowledges.
func (h *hauler) step(now int64, acked func(*SubflowSpace, seq.Range[seq.SSN])) {
	k := h.r.IntN(2)
	sub := h.subs[k]
	h.sp.Reset()
	switch n := 50 + 50*h.r.IntN(2); h.r.IntN(8) {
	case 0: // a copy of older data
		if h.dsn > 500 {
			h.sp.give(sub, h.nxt[k], h.dsn-seq.DSN(h.r.IntN(400)+n), n, uint64(now))
			h.nxt[k] += seq.SSN(n)
		}
	case 1, 2, 3:
		h.sp.give(sub, h.nxt[k], h.dsn, n, uint64(now))
		h.nxt[k] += seq.SSN(n)
		h.dsn += seq.DSN(n)
	case 4:
		h.sp.DataAck(h.dsn-seq.DSN(h.r.IntN(300)), now)
	default:
		end := min(h.nxt[k], h.acked[k]+seq.SSN(50*h.r.IntN(6)))
		if h.r.IntN(5) == 0 {
			end = min(h.nxt[k], end+seq.SSN(h.r.IntN(50))) // a part of a segment
		}
		if end > h.acked[k] {
			acked(sub, run(h.acked[k], end))
			h.acked[k] = end
			h.sp.SubflowUna(sub, end)
		}
	}
	h.sp.InOrder(now)
	h.settle(false)
}

func (h *hauler) settle(all bool) {
	h.sp.settleInto(all, func(_ *SubflowSpace, run []Chunk) {
		for i := range run {
			h.ended = append(h.ended, fmt.Sprintf("%+v", run[i]))
		}
	})
}

func (h *hauler) sums() [5]int64 {
	s := &h.sp.Space
	return [5]int64{s.OutstandingBytes, s.OutstandingSegments, s.SubflowAckedBytes, s.SubflowAckedSegments, h.subs[0].ReinjectedBytes}
}

// inTwoWays runs transfers with acknowledgments that are taken in two ways. The sums, which data is acknowledged on a
// subflow, and the lives of the chunks are the same.
func inTwoWays(t *testing.T, begin func(b *hauler), first, second func(h *hauler, sub *SubflowSpace, r seq.Range[seq.SSN], now int64), each func(b *hauler)) {
	t.Helper()
	for seed := range uint64(20) {
		a, b := newHauler(seed), newHauler(seed)
		begin(b)
		for now := int64(1); now < 400; now++ {
			a.step(now, func(sub *SubflowSpace, r seq.Range[seq.SSN]) { first(a, sub, r, now) })
			b.step(now, func(sub *SubflowSpace, r seq.Range[seq.SSN]) { second(b, sub, r, now) })
			got, want := fmt.Sprint(b.sums(), b.sp.subflowAcked.Ranges()), fmt.Sprint(a.sums(), a.sp.subflowAcked.Ranges())
			assert.Assert(t, is.Equal(got, want), "seed %d, step %d", seed, now)
			each(b)
		}
		a.settle(true)
		b.settle(true)
		slices.Sort(a.ended) // chunks that end with one packet end subflow by subflow
		slices.Sort(b.ended)
		assert.Assert(t, is.DeepEqual(b.ended, a.ended), "seed %d: lives", seed)
	}
}

func nothing(*hauler) {}

// plainly takes an acknowledgment whose packet has no new DATA_ACK.
func plainly(h *hauler, sub *SubflowSpace, r seq.Range[seq.SSN], now int64) { h.sp.Acked(sub, r, now) }

// Acknowledgments that follow the chunks one by one have the same result as a search for
// their data.
func TestAckedFastAsSlow(t *testing.T) {
	following, all := 0, 0
	slow := func(h *hauler, sub *SubflowSpace, r seq.Range[seq.SSN], now int64) { h.sp.ackedSlow(sub, r, now) }
	inTwoWays(t, nothing, slow, func(h *hauler, sub *SubflowSpace, r seq.Range[seq.SSN], now int64) {
		before := sub.ackedPlace
		h.sp.Acked(sub, r, now)
		if all++; sub.ackedPlace > before {
			following++
		}
	}, nothing)
	assert.Check(t, following >= all/2, "%d of %d acknowledgments followed the chunks", following, all)
}

// It makes no difference whether an acknowledgment is told of the DATA_ACK beside it.
func TestAckedBesideDataAck(t *testing.T) {
	besides := func(told bool) func(h *hauler, sub *SubflowSpace, r seq.Range[seq.SSN], now int64) {
		return func(h *hauler, sub *SubflowSpace, r seq.Range[seq.SSN], now int64) {
			dataAck := max(h.sp.sndUna, h.dsn-seq.DSN(now*37%500))
			if told {
				h.sp.Space.Acked(sub, r, dataAck, now)
			} else {
				h.sp.Acked(sub, r, now)
			}
			h.sp.DataAck(dataAck, now)
		}
	}
	inTwoWays(t, nothing, besides(false), besides(true), nothing)
}

// Chunks that wait for EndPacket change neither sums nor the times of any chunk. No more
// finished chunks wait than the bound allows.
func TestSettleLazily(t *testing.T) {
	waited := 0
	inTwoWays(t, func(b *hauler) { b.sp.SettleLazily() }, plainly, plainly, func(b *hauler) {
		for _, sub := range b.subs {
			n := len(sub.settledRun())
			assert.Assert(t, n <= max(31, sub.chunks.Len()/8), "%d chunks wait whose lives are over", n)
			waited += int(sub.dataAckedChunks)
		}
	})
	assert.Check(t, waited != 0, "nothing was put off")
}

// The bound on chunks that wait for EndPacket grows with the chunks of the subflow, so that
// looking at them has the same cost for each chunk.
func TestSettleLazilyByLength(t *testing.T) {
	var sp probe
	sp.SettleLazily()
	sp.SetIDSN(0)
	sub := sp.NewSubflow(0)
	const n = 2000 // chunks of 10 bytes each
	for i := range n {
		sp.Reset()
		sp.give(sub, seq.SSN(1+10*i), seq.DSN(1+10*i), 10, uint64(i))
		sp.InOrder(1)
	}
	sp.Acked(sub, run[seq.SSN](1, 1+10*n), 2)
	most := 0
	for i := range n {
		sp.Reset()
		sp.DataAck(seq.DSN(11+10*i), 3)
		most = max(most, int(sub.dataAckedChunks))
		if sp.settleDue {
			before := sub.chunks.Len()
			sp.EndPacket()
			took := before - sub.chunks.Len()
			assert.Assert(t, took >= max(32, before/8), "a look at %d chunks took %d", before, took)
		}
	}
	if want := n/8 + 1; most != want {
		t.Errorf("up to %d chunks waited, want %d", most, want)
	}
}
