package tracegen

import (
	"io"
	"math"
	"math/rand/v2"
	"net/netip"
	"time"

	"mpanalyze/internal/seq"
)

// The shape of the load. Each long subflow sends a burst of segments at a
// time, as segmentation offload makes hosts do.
const (
	segment   = 1400                  // bytes of payload
	burst     = 8                     // segments
	spacing   = 12 * time.Microsecond // between the segments of a burst: 1 Gbit/s
	every     = 800 * time.Microsecond
	loss      = 0.002 // of the segments of a long connection
	reinject  = 0.25  // of the lost ones are sent on the other subflow too
	perSecond = 60_000
	request   = 200 // bytes, of a short connection
	response  = 18_000
)

// Load is the traffic of one capture: long transfers over two paths, and short connections
// beside them.
type Load struct {
	Packets int // that the client sees, at least
	Long    int // connections
	Short   int
	Seed    uint64
	Keep    int           // bytes kept of a payload
	Delay   time.Duration // one way, of the second path
	Only    int           // path of which packets are shown; 0 for both
	Wrap    bool          // the sequence numbers of the server wrap after 1 MB

	net     *Network
	rand    *rand.Rand
	written int
	client  int // addresses given out
}

// Play calls client with each packet that the client sees, and server with each that the
// server sees; either may be nil.
func (l *Load) Play(client, server func(*Packet)) {
	l.rand = rand.New(rand.NewPCG(l.Seed, 0))
	l.net = NewNetwork(time.Time{})
	l.net.Watch(HostA, func(p *Packet) {
		if l.written++; client != nil && l.shows(p) {
			client(p)
		}
	})
	if server != nil {
		l.net.Watch(HostB, func(p *Packet) {
			if l.shows(p) {
				server(p)
			}
		})
	}
	for i := range l.Long {
		if i%2 == 0 {
			l.transfer(B2A, Config{Version: 1})
		} else {
			l.transfer(A2B, Config{Version: 1, DataAck4: true})
		}
	}
	gap := time.Duration(float64(l.Packets) / perSecond / float64(l.Short+1) * float64(time.Second))
	for i := range l.Short {
		at := gap * time.Duration(i+1)
		l.net.At(at, func() { l.brief(i%2 == 1) })
	}
	l.net.Run()
}

// shows reports whether a packet is of a path that is captured.
func (l *Load) shows(p *Packet) bool {
	if l.Only == 0 {
		return true
	}
	end := pathEnd(byte(l.Only - 1))
	return p.Src.Addr() == end || p.Dst.Addr() == end
}

// pathEnd returns the address of the client on a path.
func pathEnd(i byte) netip.Addr { return netip.AddrFrom4([4]byte{192, 0, 2, 1 + i}) }

// session adds a session with keys of its own.
func (l *Load) session(cfg Config) *Session {
	cfg.Keys = [2]uint64{l.rand.Uint64(), l.rand.Uint64()}
	cfg.AckEvery = 2
	cfg.HeaderOnly = l.Keep
	l.client++
	return l.net.Session(cfg)
}

// path returns one of two paths between the client and its server.
func (l *Load) path(i byte, delay time.Duration) Path {
	port := uint16(20000 + l.client)
	isn := [2]seq.Wire{seq.Wire(l.rand.Uint32()), seq.Wire(l.rand.Uint32())}
	if l.Wrap {
		isn[1] = 0xfff00000
	}
	return Path{
		A:     netip.AddrPortFrom(pathEnd(i), port),
		B:     netip.AddrPortFrom(netip.AddrFrom4([4]byte{198, 51, 100, 1}), 443),
		ISN:   isn,
		Nonce: [2]uint32{l.rand.Uint32(), l.rand.Uint32()},
		ID:    [2]uint8{i, 0},
		Delay: [2]time.Duration{delay, delay},
	}
}

// bulk is a long transfer in one direction.
type bulk struct {
	*Load
	session  *Session
	dir      Dir
	subflows [2]*Subflow
	offset   int64 // of the next byte to send
	ended    int   // subflows that send no more
}

// transfer adds one over two subflows that ends when enough is written.
func (l *Load) transfer(d Dir, cfg Config) {
	b := &bulk{Load: l, session: l.session(cfg), dir: d}
	b.subflows[0] = b.session.Subflow(l.path(0, 10*time.Millisecond))
	b.subflows[1] = b.session.Subflow(l.path(1, l.Delay))
	h := b.subflows[0].Open(0)
	start := h.Established() + time.Millisecond
	if d == B2A {
		b.subflows[0].Map(A2B, 0, request).OnCapable().Send(start, 0, request)
		start += 20 * time.Millisecond
	}
	j := b.subflows[1].Open(start)
	for i, at := range []time.Duration{start, j.Established()} {
		l.net.At(at, func() { b.send(i) })
	}
}

// send sends a burst on one subflow and comes again for the next.
func (b *bulk) send(i int) {
	now := b.net.Now()
	if b.written >= b.Packets {
		b.ended++
		if b.ended == len(b.subflows) {
			b.close(now + 500*time.Millisecond)
		}
		return
	}
	f := b.subflows[i]
	m := f.Map(b.dir, b.offset, burst*segment)
	for k := range burst {
		x := m.Send(now+time.Duration(k)*spacing, k*segment, segment)
		if b.rand.Float64() < loss {
			b.lose(x, i, b.offset+int64(k*segment))
		}
	}
	b.offset += burst * segment
	jitter := time.Duration(b.rand.Int64N(int64(every) / 2))
	b.net.At(now+3*every/4+jitter, func() { b.send(i) })
}

// lose drops a segment and repairs the loss as a sender would that learns of
// it from SACK blocks.
func (b *bulk) lose(x *Sent, i int, offset int64) {
	p := b.subflows[i].Path()
	again := x.Lose().SentAt() + (p.Delay[0]+p.Delay[1])*11/10
	x.Again(again)
	if b.rand.Float64() < reinject {
		other := b.subflows[1-i]
		b.net.At(again, func() { other.Data(b.dir, again, offset, segment) })
	}
}

func (b *bulk) close(at time.Duration) {
	if b.dir == A2B {
		b.session.Close(at, b.offset, 0)
		return
	}
	b.session.Close(at, request, b.offset)
}

// brief plays a request and its answer, on a second subflow too if asked.
func (l *Load) brief(two bool) {
	s := l.session(Config{Version: 1, DataAck4: l.client%2 == 0})
	first := s.Subflow(l.path(0, 10*time.Millisecond))
	h := first.Open(l.net.Now())
	at := h.Established()
	x := first.Map(A2B, 0, request).OnCapable().Send(at, 0, request)
	at = x.ArrivesAt() + time.Millisecond
	subflows := []*Subflow{first}
	if two {
		second := s.Subflow(l.path(1, l.Delay))
		j := second.Open(at)
		subflows = append(subflows, second)
		at = j.Established()
	}
	for offset := int64(0); offset < response; offset += segment {
		n := int(min(segment, response-offset))
		subflows[int(offset/segment)%len(subflows)].Data(B2A, at, offset, n)
		at += spacing
	}
	s.Close(at+100*time.Millisecond, request, response)
}

// WriteTransfer plays a long download over two subflows and writes so many of its packets, as
// the server sees them, as a capture. It calls edit with each packet and its number, counted from
// 1; edit may change the packet, and returns false to leave it out.
func WriteTransfer(w io.Writer, packets int, edit func(n int, p *Packet) bool) error {
	out, err := NewWriter(w, Format{SnapLen: 128})
	if err != nil {
		return err
	}
	l := Load{Packets: math.MaxInt, Long: 1, Keep: 1, Delay: 25 * time.Millisecond, Wrap: true} // Packets is 0 from the last one on
	n := 0
	l.Play(nil, func(p *Packet) {
		if l.Packets == 0 {
			return // the rest of the transfer, which ends
		}
		n++
		if edit(n, p) {
			err = out.Write(p)
		}
		if n >= packets || err != nil {
			l.Packets = 0
		}
	})
	if err != nil {
		return err
	}
	return out.Flush()
}
