package subflow

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"gotest.tools/v3/assert"

	"mpanalyze/internal/packet"
	"mpanalyze/internal/seq"
)

// snapshot is the state of a direction, without what serves only one packet, and without
// hints, which are checked before use.
func (snd *Sender) snapshot() string {
	c := *snd
	c.tally, c.reorderWait, c.lastTimestamps = tally{}, 0, 0
	c.rtxQueue, c.sacked, c.holes = rtxQueue{}, seq.Set[seq.SSN]{}, holes{droppedBytes: snd.holes.droppedBytes}
	var holes []hole
	for x := range snd.holes.list.All() {
		holes = append(holes, *x)
	}
	return fmt.Sprintf("%+v in flight %+v SACKed %v holes %+v", c, snd.flying(), snd.sacked.Ranges(), holes)
}

func (f *Flow) snapshot() string {
	c := *f
	c.Senders = [2]Sender{}
	return fmt.Sprintf("%s\n%s\n%+v", f.Senders[A].snapshot(), f.Senders[B].snapshot(), c)
}

// A twin is a flow twice: one uses the fast path where it can, the other processes all
// packets on the slow path.
type twin struct {
	flow, plain Flow
	fast        int // packets that took the fast path
}

// give passes a packet to both and compares their results.
func (w *twin) give(t *testing.T, s *packet.Segment, from Side, news bool) {
	t.Helper()
	var p, q Packet
	if w.flow.packet(s, from, news, &p) {
		w.fast++
		q := p.Sent
		assert.Assert(t, !q.Stray && !q.WindowClosed && !q.NewFIN && !q.probe && len(q.Parts) <= 0, "fast path, and %+v", q)
	}
	w.plain.slowPath(s, from, news, &q)
	if !p.Ack.New {
		p.Ack.RTT, p.Ack.NewestRTT = q.Ack.RTT, q.Ack.NewestRTT // without a sample they are not valid
	}
	got, wanted := fmt.Sprintf("%+v", p), fmt.Sprintf("%+v", q)
	assert.Assert(t, got == wanted, "%+v from %v:\ngeneral %s\nusual   %s", s, from, wanted, got)
}

func (w *twin) compare(t *testing.T) {
	t.Helper()
	got, wanted := w.flow.snapshot(), w.plain.snapshot()
	assert.Assert(t, got == wanted, "state\ngeneral %s\nusual   %s", wanted, got)
}

// A talker makes packets as two hosts and a network with losses would send them.
type talker struct {
	r     *rand.Rand
	isn   [2]seq.Wire
	now   int64
	nxt   [2]seq.SSN // next position of each direction
	una   [2]seq.SSN
	stamp [2]uint32
}

func newTalker(r *rand.Rand) *talker {
	return &talker{
		r: r, isn: [2]seq.Wire{0xffff_f000, 7}, now: epoch,
		nxt: [2]seq.SSN{1, 1}, una: [2]seq.SSN{1, 1}, stamp: [2]uint32{50, 0xffff_fff0},
	}
}

// next is a packet. Most continue their direction, acknowledge a little more than the one
// before, or carry a block.
func (k *talker) next() (s packet.Segment, from Side) {
	from = Side(k.r.IntN(2))
	to := from.Other()
	k.now += k.r.Int64N(2 * ms)
	k.stamp[from] += k.r.Uint32N(2)
	s = packet.Segment{
		Time: k.now, Flags: ack, Window: 500, OptLen: 12, Have: packet.HasTimestamps,
		TSVal: k.stamp[from], TSEcr: k.stamp[to] - k.r.Uint32N(2),
	}
	at := k.nxt[from]
	if k.r.IntN(2) == 0 {
		s.PayloadLen = 1 + k.r.Uint32N(300)
	}
	k.rare(&s, &at)
	if s.PayloadLen > 0 {
		k.nxt[from] = max(k.nxt[from], at+seq.SSN(s.PayloadLen))
	}
	if k.r.IntN(3) == 0 {
		k.una[to] += seq.SSN(k.r.Int64N(int64(k.nxt[to]-k.una[to]) + 1))
	}
	s.Seq, s.Ack = k.isn[from]+seq.Wire(at), k.isn[to]+seq.Wire(k.una[to])
	for n := k.r.IntN(8); n < 3 && k.una[to]+10 < k.nxt[to]; n++ {
		left := k.una[to] + 1 + seq.SSN(k.r.Int64N(int64(k.nxt[to]-k.una[to])))
		s.SACK[s.NSACK] = packet.SACKBlock{
			Left: k.isn[to] + seq.Wire(left), Right: k.isn[to] + seq.Wire(min(k.nxt[to], left+400)),
		}
		s.NSACK++
	}
	return s, from
}

// rare makes packets that must not take the fast path.
func (k *talker) rare(s *packet.Segment, at *seq.SSN) {
	switch k.r.IntN(40) {
	case 0:
		*at += 500 // the data before was lost on its way to the capture
	case 1:
		*at = max(1, *at-seq.SSN(k.r.Int64N(600)))
	case 2:
		s.Window = 0
	case 3:
		s.Window = 400
	case 4:
		s.Have, s.TSVal, s.TSEcr = 0, 0, 0
	case 5:
		s.OtherLen = 4
	case 6:
		*at-- // a probe, if nothing is in flight
	case 7:
		s.Flags |= packet.PSH | packet.URG
	case 8:
		*at += 3 * maxWindow
		s.PayloadLen = 0
	}
}

// The fast path and the slow path agree for each packet, in results and in the state that
// they leave.
func TestFastPathAsSlowPath(t *testing.T) {
	fast, all := 0, 0
	for seed := range uint64(30) {
		r := rand.New(rand.NewPCG(seed, 3))
		k, w := newTalker(r), &twin{}
		if seed%3 > 0 { // otherwise the capture begins after the handshake
			w.give(t, &packet.Segment{Time: k.now, Flags: syn, Seq: k.isn[A], Window: 500}, A, false)
			w.give(t, &packet.Segment{Time: k.now, Flags: synAck, Seq: k.isn[B], Ack: k.isn[A] + 1, Window: 500}, B, false)
		}
		for i := range 400 {
			s, from := k.next()
			w.give(t, &s, from, r.IntN(2) == 0)
			if i%50 == 0 {
				w.compare(t)
			}
		}
		for _, from := range []Side{A, B, A} { // both ends close
			s := packet.Segment{Time: k.now, Flags: fin, Window: 500, Seq: k.isn[from] + seq.Wire(k.nxt[from])}
			s.Ack = k.isn[from.Other()] + seq.Wire(k.nxt[from.Other()])
			if from == B || w.flow.Senders[B].finSeen {
				s.Ack++
			}
			w.give(t, &s, from, false)
		}
		w.compare(t)
		fast, all = fast+w.fast, all+403
	}
	want(t, "more than two thirds went the fast path", 3*fast > 2*all, true)
}

// Each case changes one property of a packet that takes the fast path.
func TestIsExpected(t *testing.T) {
	tests := []struct {
		name   string
		change func(*packet.Segment)
		want   bool
	}{
		{"data", func(s *packet.Segment) { s.PayloadLen = 1000 }, true},
		{"an ACK", func(*packet.Segment) {}, true},
		{"an ACK with a block", func(s *packet.Segment) { s.NSACK = 1 }, true},
		{"PSH, ECE", func(s *packet.Segment) { s.Flags |= packet.PSH | packet.ECE }, true},
		{"no ACK", func(s *packet.Segment) { s.Flags = packet.PSH }, false},
		{"SYN", func(s *packet.Segment) { s.Flags |= packet.SYN }, false},
		{"FIN", func(s *packet.Segment) { s.Flags |= packet.FIN }, false},
		{"RST", func(s *packet.Segment) { s.Flags |= packet.RST }, false},
		{"a closed window", func(s *packet.Segment) { s.Window = 0 }, false},
		{"options that the capture cut", func(s *packet.Segment) { s.Have |= packet.OptionsCut }, false},
		{"below the end of the stream", func(s *packet.Segment) { s.Seq-- }, false},
		{"beyond it", func(s *packet.Segment) { s.Seq++ }, false},
	}
	p := opened(t)
	d := p.Dir(A)
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := packet.Segment{Flags: ack, Window: 500, Seq: p.isn[A] + 1, Ack: p.isn[B] + 1}
			tt.change(&s)
			want(t, "fast path", d.onFastPath(&s), tt.want)
		})
	}
	t.Run("while the handshake lasts", func(t *testing.T) {
		p := newPlay(t)
		p.give(0, A, syn, 0, 0, 0)
		p.give(1, B, synAck, 0, 1, 0)
		d := p.Dir(A)
		s := packet.Segment{Flags: ack, Window: 500, Seq: p.isn[A] + 1, Ack: p.isn[B] + 1}
		want(t, "fast path", d.onFastPath(&s), false)
	})
}
