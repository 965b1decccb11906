package tracegen

import (
	"time"

	"mpanalyze/internal/seq"
)

// ackAttacks are attacks by acknowledgments and by capture times.
var ackAttacks = []Attack{
	{"SACK blocks anywhere", false, func(a *attacker, n int) {
		l := a.open(0)
		for range n {
			l.more(90)
			var blocks [4]block
			for k := range blocks {
				left := uint32(1+l.next) - a.rand.Uint32N(80_000)
				blocks[k] = block{seq.Wire(left), seq.Wire(left + a.rand.Uint32N(60))}
			}
			l.send(Packet{Src: victim, Dst: l.from, Seq: 1, Ack: 1, Flags: ACK, Options: appendSACK(nil, blocks[:]...)})
		}
	}},
	{"DATA_ACKs anywhere", false, func(a *attacker, n int) {
		l := a.open(0)
		for range n {
			l.more(90)
			at := uint64(l.next) + a.rand.Uint64N(1<<19) - a.rand.Uint64N(1<<19)
			l.send(Packet{
				Src: victim, Dst: l.from, Seq: 1, Ack: seq.Wire(1 + l.next), Flags: ACK, Options: l.acked(at), Window: uint16(1 + a.rand.IntN(1<<15)),
			})
		}
	}},
	{"a packet each minute", false, func(a *attacker, n int) {
		a.now = 0
		a.step = time.Minute
		l := a.open(0)
		for range n {
			l.more(90)
			l.answer()
		}
	}},
	{"times anywhere", false, func(a *attacker, n int) {
		l := a.open(0)
		for range n {
			a.now = int64(a.rand.Uint32()) * 1e9
			l.more(90)
			l.answer()
		}
	}},
}
