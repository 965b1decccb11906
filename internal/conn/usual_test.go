package conn

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"mpanalyze/internal/dss"
	"mpanalyze/internal/mptcp"
	"mpanalyze/internal/packet"
	"mpanalyze/internal/tracegen"
)

// witness writes down all that it is told.
type witness struct {
	Nop
	told  []string
	quick int // packets that went the usual way
}

func (w *witness) Open(*Conn) Observer { return w }

func (w *witness) Event(e *Event) { w.told = append(w.told, fmt.Sprintf("%s %s", e.Kind, e.Detail)) }

func (w *witness) Packet(p *Packet) {
	var told strings.Builder
	told.WriteString(fmt.Sprintf("#%d s%d %v %+v ack %v %d %v %v", p.Seg.Num, p.Sub.ID, p.From, p.TCP, p.DataAck, p.AckAt, p.Advanced, p.Fresh))
	if p.Mapping != nil {
		told.WriteString(fmt.Sprintf(" mapping %+v", *p.Mapping))
	}
	for _, list := range [][]dss.Piece{p.Pieces, p.Late} {
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

func (w *witness) Settled(_ *Subflow, _ Side, c *dss.Chunk) {
	w.told = append(w.told, fmt.Sprintf("settled %+v", *c))
}

// eventful is a transfer over two subflows in which some packets are lost, late,
// sent again, close the window or have no options.
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

// A packet means the same on the usual way and on the general one, which
// packets take whose capture tells their direction, and whose payload is kept.
func TestUsualAsGeneral(t *testing.T) {
	for seed := range uint64(20) {
		segs := segments(t, eventful(rand.New(rand.NewPCG(seed, 5))).Packets(tracegen.HostA), tracegen.LinkRaw)
		var usual, general witness
		for _, w := range []*witness{&usual, &general} {
			table := NewTable(Options{}, w)
			for _, s := range segs {
				if s.Keep(nil); w == &general {
					s.Have |= packet.Incoming
					s.Keep(make([]byte, s.PayloadLen))
				}
				d := table.cache.recent(&s)
				quick := d != nil && d.isUsual(&s)
				if quick {
					w.quick++
				}
				if table.Segment(&s); d != nil && table.pkt.Usual != quick {
					t.Fatalf("seed %d, packet %d: observers are told that usual is %v, want %v", seed, s.Num, !quick, quick)
				}
			}
			table.Finish()
		}
		if diff := cmp.Diff(general.told, usual.told); diff != "" {
			t.Fatalf("seed %d (-general +usual):\n%s", seed, diff)
		}
		if usual.quick < 3*len(segs)/4 || general.quick != 0 {
			t.Errorf("seed %d: %d of %d packets went the usual way; all others took %d", seed, usual.quick, len(segs), general.quick)
		}
	}
}

// progress writes down which packets move the DATA_ACK.
type progress struct {
	Nop
	moved []uint64
}

func (o *progress) Open(*Conn) Observer { return o }

func (o *progress) Packet(p *Packet) {
	if p.Advanced {
		o.moved = append(o.moved, p.Seg.Num)
	}
}

// A stray tells nothing: the DATA_ACK that it brings is news when the next packet
// repeats it, and none any more after that.
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
	if got := table.open[0].Subflows[0].Half[B].Strays; got != 1 {
		t.Errorf("%d strays, want 1", got)
	}
}

// Several observers of one connection are told what a single one is, in turn.
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
		if len(one.told) < len(segs) || !slices.Equal(one.told, w.told) {
			t.Errorf("observer %d: %d reports, where a single one has %d", i, len(w.told), len(one.told))
		}
	}
}

// endpoint returns an address, of IPv4 where head is empty, and a port.
func endpoint(head string, last byte, port uint16) (e packet.Endpoint) {
	e.Port = port
	e.Addr = [16]byte{10: 0xff, 11: 0xff, 12: 10, 15: last}
	if head != "" {
		copy(e.Addr[:12], head)
		e.Addr[10], e.Addr[11] = 0, 0
	}
	return e
}

// The lookup cache tells directions apart that have the same short form: by the
// version of IP, and by the network part of addresses.
func TestLookup(t *testing.T) {
	table := NewTable(Options{})
	var segs []packet.Segment
	for _, head := range []string{"", "one", "other"} {
		s := packet.Segment{Src: endpoint(head, 1, 1000), Dst: endpoint(head, 2, 80), IPv6: head != "", Flags: packet.SYN, Seq: 7, Window: 1}
		back := packet.Segment{Src: s.Dst, Dst: s.Src, IPv6: s.IPv6, Flags: packet.SYN | packet.ACK, Ack: 8, Window: 1}
		segs = append(segs, s, back)
	}
	for i := range segs {
		segs[i].Num, segs[i].Time = uint64(i+1), int64(i+1)
		table.Segment(&segs[i])
	}
	if len(table.open) != 3 {
		t.Fatalf("%d connections, want one for each pair of addresses", len(table.open))
	}
	r := rand.New(rand.NewPCG(6, 7))
	for range 200 {
		i := r.IntN(len(segs))
		s := &segs[i]
		k := key{s.Src, s.Dst}
		d := table.cache.find(table.flows, k, s)
		if d != table.flows[k] || d.Conn != table.open[i/2] || d.From != Side(i%2) {
			t.Fatalf("packet %d: connection %d from %v", i, d.Conn.Seq, d.From)
		}
		if table.cache.recent(s) != d {
			t.Fatalf("packet %d is not in the cache", i)
		}
		for j := i % 2; j < len(segs); j += 2 { // those that have their place there, too
			if got := table.cache.recent(&segs[j]); got != nil && i != j {
				t.Fatalf("the line of packet %d is that of packet %d, too", i, j)
			}
		}
	}
	table.cache.forget(key{segs[0].Src, segs[0].Dst})
	for i := range segs[:2] {
		if table.cache.recent(&segs[i]) != nil {
			t.Errorf("packet %d is still in the cache", i)
		}
	}
}
