package subflow

import (
	"math/rand/v2"
	"slices"
	"testing"

	"gotest.tools/v3/assert"

	"mpanalyze/internal/packet"
	"mpanalyze/internal/seq"
	"mpanalyze/internal/testrun"
)

// clone returns a copy of h that shares no memory with it.
func (snd *Sender) clone() *Sender {
	c := *snd
	c.rtxQueue.list = seq.List[rtxEntry]{}
	for f := range snd.rtxQueue.list.All() {
		*c.rtxQueue.list.Push() = *f
	}
	c.Loss.rexmits = slices.Clone(snd.Loss.rexmits)
	c.sacked = seq.Set[seq.SSN]{}
	for _, r := range snd.sacked.Ranges() {
		c.sacked.Add(r)
	}
	return &c
}

// An ACK with one growing block has the same result on the fast path as on the slow one.
func TestGrowsAsBlocks(t *testing.T) {
	seeds := testrun.Cases(60)
	grown, covered := 0, 0
	for seed := range uint64(seeds) {
		r := rand.New(rand.NewPCG(seed, 4))
		p := opened(t)
		p.data(0, 1, 1000)
		for i := range seq.SSN(99) {
			p.data(float64(i)/10, 1001+i*1000, 1000)
		}
		snd := p.a()
		for range 60 {
			start := seq.SSN(1 + r.IntN(99_000))
			s := packet.Segment{Time: epoch + 50*ms, Flags: ack, NSACK: 1, OptLen: 40, IPID: uint16(r.IntN(3))}
			s.SACK[0] = packet.SACKBlock{Left: snd.isn + seq.Wire(start), Right: snd.isn + seq.Wire(start+seq.SSN(r.IntN(4000)))}
			v, w := ackWalk{Ack: new(Ack)}, ackWalk{Ack: new(Ack)}
			c := snd.clone()
			fresh, ok := snd.sackOneRange(&s, 1)
			if !ok {
				assert.Assert(t, c.snapshot() == snd.snapshot(), "block %+v: changed, and refused", s.SACK[0])
				covered++
				snd.processBlocks(&s, 1, &v)
				continue
			}
			grown++
			snd.markSACKed(fresh, &v)
			c.processBlocks(&s, 1, &w)
			got, wanted := snd.snapshot(), c.snapshot()
			assert.Assert(t, got == wanted, "block %+v\ngeneral %s\nquick   %s", s.SACK[0], wanted, got)
			want(t, "candidates for a sample", [3]int64{v.oldestSent, v.sackedSent, v.newestSent}, [3]int64{w.oldestSent, w.sackedSent, w.newestSent})
			want(t, "covered", v.NewlyAcked, w.NewlyAcked)
		}
	}
	want(t, "both kinds were tried", grown > 10*seeds && covered > 10*seeds, true)
}

// An ACK of whole segments that nothing happened to has the same result on both paths.
func TestAdvancesAsAcknowledged(t *testing.T) {
	quickly, other := 0, 0
	for seed := range uint64(40) {
		r := rand.New(rand.NewPCG(seed, 7))
		p := opened(t)
		snd := p.a()
		for at := 1.0; at < 60; at++ {
			for range r.IntN(4) {
				gap := seq.SSN(0)
				if r.IntN(20) == 0 {
					gap = 100 // the capture missed the data between
				}
				p.data(at, snd.sndNxt+gap, 1000)
			}
			flying := snd.flying()
			if len(flying) == 0 {
				continue
			}
			last := flying[r.IntN(len(flying))]
			upTo := last.End
			switch r.IntN(10) {
			case 0:
				upTo -= 300 // a part of a piece
			case 1:
				p.data(at, last.Start, 1000) // sent again
			case 2:
				p.acks(at, snd.sndUna, blocks(last.Start, last.End))
			}
			s := packet.Segment{
				Time: epoch + int64(at)*ms + ms/2, Flags: ack, Ack: snd.isn + seq.Wire(upTo),
				Have: packet.HasTimestamps, TSEcr: r.Uint32N(3),
			}
			c := snd.clone()
			quick, general := Ack{NewlyAcked: make([]seq.Range[seq.SSN], 0, 1)}, Ack{NewlyAcked: []seq.Range[seq.SSN]{}}
			before := snd.snapshot()
			c.ackSlow(&s, upTo, &general)
			if !snd.ackFast(&s, upTo, &quick) {
				other++
				want(t, "a refusal changes nothing", snd.snapshot(), before)
				snd.ackSlow(&s, upTo, &quick)
			} else {
				quickly++
			}
			want(t, "what the ACK says", quick, general)
			got, wanted := snd.snapshot(), c.snapshot()
			assert.Assert(t, got == wanted, "up to %d\ngeneral %s\nquick   %s", upTo, wanted, got)
		}
	}
	want(t, "both kinds were tried", quickly > 400 && other > 400, true)
}
