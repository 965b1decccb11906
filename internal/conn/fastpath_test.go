package conn

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	"mpanalyze/internal/dss"
	"mpanalyze/internal/mptcp"
	"mpanalyze/internal/packet"
	"mpanalyze/internal/subflow"
	"mpanalyze/internal/tracegen"
)

// witness records all calls of an observer.
type witness struct {
	Nop
	told  []string
	quick int  // packets that took the fast path
	fast  bool // the latest packet was said to have taken it
}

func (w *witness) Open(*Conn) Observer { return w }

func (w *witness) Event(e *Event) { w.told = append(w.told, fmt.Sprintf("%s %s", e.Kind, e.Detail)) }

func (w *witness) Packet(p *Packet) {
	w.fast = p.FastPath
	var told strings.Builder
	tcp := p.TCP
	if tcp.Ack.Source == subflow.NoSample { // the sample is of an earlier packet, and not valid
		tcp.Ack.RTT = 0
	}
	if !tcp.Ack.New {
		tcp.Ack.NewestRTT = 0
	}
	told.WriteString(fmt.Sprintf("#%d s%d %v %+v ack %v %d %v %v", p.Seg.Num, p.Sub.ID, p.From, tcp, p.HasDataAck, p.DataAck, p.DataAckAdvanced, p.NewAck))
	if p.Mapping != nil {
		told.WriteString(fmt.Sprintf(" mapping %+v", *p.Mapping))
	}
	for _, list := range [][]dss.Piece{p.Pieces, p.LateMapped} {
		for _, k := range list {
			k.Payload = nil
			told.WriteString(fmt.Sprintf(" piece %+v", k))
		}
	}
	for _, list := range [][]*dss.Chunk{p.InOrder, p.DataAcked} {
		for _, k := range list {
			told.WriteString(fmt.Sprintf(" chunk %+v", *k))
		}
	}
	w.told = append(w.told, told.String())
}

func (w *witness) Settled(_ *Subflow, _ Side, run []dss.Chunk) {
	for i := range run {
		w.told = append(w.told, fmt.Sprintf("settled %+v", run[i]))
	}
}

// eventful is a transfer over two subflows in which some packets are lost, late, sent
// again, close the window or have no options.
func eventful(r *rand.Rand) *tracegen.Session {
	s, f, at := opened(tracegen.Config{Version: 1})
	g, at := joined(s, 1, at)
	paths := []*tracegen.Subflow{f, g}
	offset := int64(0)
	for range 60 {
		f := paths[r.IntN(2)]
		m := f.Map(a2b, offset, 3000)
		for k := range 3 {
			at += time.Duration(r.IntN(3)) * ms
			x := m.Send(at, 1000*k, 1000)
			switch r.IntN(12) {
			case 0:
				x.Lose().Again(at + 50*ms)
			case 1:
				x.Late(15 * ms)
			case 2:
				g.Data(a2b, at+30*ms, offset+500, 700) // a reinjection
			case 3:
				x.Edit(without(mptcp.SubDSS))
			}
		}
		offset += 3000
		for _, f := range paths {
			x := f.Ack(b2a, at+25*ms)
			if r.IntN(15) == 0 {
				x.Edit(func(p *tracegen.Packet) { p.Window = 0 })
			}
		}
	}
	s.Close(at+200*ms, offset, 0)
	return s
}

// A packet has the same result on the fast path and on the slow path. Packets take the slow
// path if a cooked header marks them in another way than the packet before them.
func TestFastPathAsSlowPath(t *testing.T) {
	for seed := range uint64(20) {
		segs := segments(t, eventful(rand.New(rand.NewPCG(seed, 5))).Packets(tracegen.HostA), tracegen.LinkRaw)
		var fast, slow witness
		for _, w := range []*witness{&fast, &slow} {
			table := NewTable(Options{}, w)
			marks := map[packet.Endpoint]packet.Present{}
			for _, s := range segs {
				if s.SetPayload(nil); w == &slow {
					marks[s.Src] ^= packet.Incoming
					s.Have |= marks[s.Src]
					s.SetPayload(make([]byte, s.PayloadLen))
				}
				d := table.cache.lookup(&s)
				quick := d != nil && d.onFastPath(&s)
				if quick {
					w.quick++
				}
				if table.Segment(&s); d != nil && w.fast != quick {
					t.Fatalf("seed %d, packet %d: observers are told that the fast path is %v, want %v", seed, s.Num, !quick, quick)
				}
			}
			table.Finish()
		}
		assert.Assert(t, is.DeepEqual(fast.told, slow.told), "seed %d", seed)
		if fast.quick < 3*len(segs)/4 || slow.quick != 0 {
			t.Errorf("seed %d: %d of %d packets took the fast path; all others took %d", seed, fast.quick, len(segs), slow.quick)
		}
	}
}

// progress records which packets advance the DATA_ACK.
type progress struct {
	Nop
	moved []uint64
}

func (o *progress) Open(*Conn) Observer { return o }

func (o *progress) Packet(p *Packet) {
	if p.DataAckAdvanced {
		o.moved = append(o.moved, p.Seg.Num)
	}
}

// A stray packet changes nothing: its DATA_ACK counts when the next packet repeats it, and
// only then.
func TestStrayBringsDataAck(t *testing.T) {
	s, f, at := opened(tracegen.Config{Version: 1})
	f.Data(a2b, at, 0, 1000)
	f.Ack(b2a, at+50*ms)
	segs := segments(t, s.Packets(tracegen.HostA), tracegen.LinkRaw)
	last := segs[len(segs)-1]
	stray := last
	stray.Seq += 1<<30 + 1000
	var o progress
	table := NewTable(Options{}, &o)
	for i, s := range append(segs[:len(segs)-1:len(segs)-1], stray, last, last) {
		s.Num = uint64(i + 1)
		table.Segment(&s)
	}
	if first := uint64(len(segs)); len(o.moved) == 0 || o.moved[len(o.moved)-1] != first+1 {
		t.Errorf("packets %d move the DATA_ACK; the stray is packet %d", o.moved, first)
	}
	if got := openOf(table)[0].Subflows[0].Senders[B].Strays; got != 1 {
		t.Errorf("%d strays, want 1", got)
	}
}

// Several observers of one connection get the same calls as a single one, one after the
// other.
func TestSeveralObservers(t *testing.T) {
	segs := segments(t, eventful(rand.New(rand.NewPCG(1, 5))).Packets(tracegen.HostA), tracegen.LinkRaw)
	var one, first, second witness
	var three [3]witness
	for _, modules := range [][]Module{{}, {&one}, {&first, &second}, {&three[0], &three[1], &three[2]}} {
		table := NewTable(Options{}, modules...)
		for _, s := range segs {
			table.Segment(&s)
		}
		table.Finish()
	}
	for i, w := range []*witness{&first, &second, &three[0], &three[1], &three[2]} {
		assert.Check(t, len(one.told) >= len(segs) && slices.Equal(one.told, w.told), "observer %d: %d reports, where a single one has %d", i, len(w.told), len(one.told))
	}
}
