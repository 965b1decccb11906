package symptoms

import (
	"net/netip"
	"testing"
	"time"

	"mpanalyze/internal/conn"
	"mpanalyze/internal/conn/conntest"
	"mpanalyze/internal/packet"
	"mpanalyze/internal/seq"
	"mpanalyze/internal/tracegen"
)

const msec = time.Millisecond

// owner passes the packets of a connection to a [Connection], as its owner in the program does.
type owner struct {
	conn.Nop
	Connection
	subs   []*Subflow
	events []conn.Event
	edge   [2]seq.DSN // right edge of the window for the data of a side
	placed bool
	first  time.Duration               // when the first packet passes
	refs   map[time.Duration]PacketRef // of the packets, by their time since the session's start
}

func (o *owner) Open(c *conn.Conn) conn.Observer {
	o.Init(c, true)
	return o
}

func (o *owner) Subflow(s *conn.Subflow) {
	o.subs = append(o.subs, &Subflow{Sub: s})
	o.AddSubflow(o.subs[s.ID])
}

func (o *owner) Packet(p *conn.Packet) {
	s, sub := p.Seg, o.subs[p.Sub.ID]
	o.refs[o.first+time.Duration(s.Time-p.Conn.Start)] = refTo(p)
	if !o.placed && s.PayloadLen > 0 {
		v, _ := p.Conn.Vantage()
		o.Follow(conn.A).Place(v == conn.AtA, v == conn.AtB)
		o.Follow(conn.B).Place(v == conn.AtB, v == conn.AtA)
		o.placed = true
	}
	out, back := o.Follow(p.From), o.Follow(p.From.Other())
	o.Follow(conn.A).Tick(p)
	o.Follow(conn.B).Tick(p)
	o.Rare(sub, p)
	out.Follow(sub).SRTT, back.Follow(sub).SRTT = 20e6, 20e6 // those of the paths
	if p.NewAck {
		back.Follow(sub).Ack(p)
	}
	if s.PayloadLen > 0 {
		out.Follow(sub).Payload(p, int64(o.edge[p.From]-out.space.SndNxt()))
	}
	if shift, ok := p.Sub.WindowShift(p.From); ok && p.HasDataAck && s.Flags&packet.SYN == 0 {
		edge, window := &o.edge[p.From.Other()], int64(s.Window)<<shift
		*edge = max(*edge, p.DataAck+seq.DSN(window))
		back.DataAck(p, int64(*edge-back.space.SndNxt()), window)
	}
	if s.Window == 0 {
		back.ZeroWindow(p)
	}
}

func (o *owner) Event(e *conn.Event) {
	o.Connection.Event(e)
	if e.Kind == EventHandover {
		o.events = append(o.events, *e)
	}
}

func (o *owner) Close(at int64) {
	o.Dir(conn.A).Close(at)
	o.Dir(conn.B).Close(at)
}

// at returns the packet that passed at a time.
func (o *owner) at(t time.Duration) PacketRef { return o.refs[t] }

// play plays what a view of a session saw, without some packets, which are not the first. The first
// packet leaves A at 0, for a path of 10 ms.
func play(t *testing.T, s *tracegen.Session, v tracegen.View, missed ...int) *owner {
	t.Helper()
	first := [...]time.Duration{tracegen.HostA: 0, tracegen.Middle: 5 * msec, tracegen.HostB: 10 * msec}
	o := &owner{first: first[v], refs: map[time.Duration]PacketRef{}}
	conntest.Play(t, s, v, o, missed...)
	return o
}

// twoPaths is a session over two paths of 10 ms each way, established at 30 and 140 ms.
func twoPaths(cfg tracegen.Config, second tracegen.Path) (s *tracegen.Session, paths [2]*tracegen.Subflow) {
	s = tracegen.NewSession(cfg)
	paths[0] = s.Subflow(tracegen.Path{A: netip.MustParseAddrPort("10.0.0.1:40000"), B: netip.MustParseAddrPort("10.0.1.1:80")})
	second.A, second.B, second.Nonce = netip.MustParseAddrPort("10.0.2.1:40001"), netip.MustParseAddrPort("10.0.1.1:80"), [2]uint32{1, 2}
	paths[1] = s.Subflow(second)
	paths[0].Open(0)
	paths[1].Open(100 * msec)
	return s, paths
}

// acked sends 1000 bytes of the stream from A to B, which acknowledges them 3 ms after they came:
// the acknowledgment is at A after 23 ms.
func acked(f *tracegen.Subflow, at time.Duration, offset int64) *tracegen.Sent {
	x := f.Data(tracegen.A2B, at, offset, 1000)
	f.Ack(tracegen.B2A, x.ArrivesAt()+3*msec)
	return x
}
