package tracegen

import (
	"io"
	"math/rand/v2"
	"net/netip"
	"time"

	"mpanalyze/internal/seq"
)

// transfer plays a long download over two subflows of different delay, in bursts of
// segments, with losses that are repaired on the same or the other subflow, as the sender's
// capture shows it. It calls write with each packet until write returns false.
type transfer struct {
	net      *Network
	rand     *rand.Rand
	session  *Session
	subflows [2]*Subflow
	offset   int64 // offset of the next byte of the stream
	stopped  bool
}

const (
	perMapping = 8 // segments
	segmentLen = 1400
)

func playTransfer(write func(*Packet) bool) {
	x := &transfer{net: NewNetwork(time.Time{}), rand: rand.New(rand.NewPCG(5, 6))}
	x.net.Watch(HostB, func(p *Packet) {
		if !x.stopped {
			x.stopped = !write(p)
		}
	})
	x.session = x.net.Session(Config{Version: 1, AckEvery: 2, HeaderOnly: 1})
	for i := range x.subflows {
		delay := time.Duration(10+15*i) * time.Millisecond
		x.subflows[i] = x.session.Subflow(Path{
			A:     netip.AddrPortFrom(netip.AddrFrom4([4]byte{192, 0, 2, byte(1 + i)}), 20000),
			B:     netip.AddrPortFrom(netip.AddrFrom4([4]byte{198, 51, 100, 1}), 443),
			ISN:   [2]seq.Wire{1, 0xfff00000}, // wraps soon
			Nonce: [2]uint32{3, 4}, ID: [2]uint8{byte(i), 0},
			Delay: [2]time.Duration{delay, delay},
		})
	}
	h := x.subflows[0].Open(0)
	start := h.Established() + time.Millisecond
	x.subflows[0].Map(A2B, 0, 200).OnCapable().Send(start, 0, 200)
	start += 20 * time.Millisecond
	j := x.subflows[1].Open(start)
	for i, at := range []time.Duration{start, j.Established()} {
		x.net.At(at, func() { x.burst(i) })
	}
	x.net.Run()
}

// burst sends segments on subflow i and schedules itself for the next ones.
func (x *transfer) burst(i int) {
	if x.stopped {
		return
	}
	now := x.net.Now()
	f := x.subflows[i]
	m := f.Map(B2A, x.offset, perMapping*segmentLen)
	for k := range perMapping {
		s := m.Send(now+time.Duration(k)*12*time.Microsecond, k*segmentLen, segmentLen)
		if x.rand.IntN(500) == 0 {
			x.repair(s, i, x.offset+int64(k*segmentLen))
		}
	}
	x.offset += perMapping * segmentLen
	x.net.At(now+time.Duration(600+x.rand.IntN(400))*time.Microsecond, func() { x.burst(i) })
}

// repair loses s and sends it again, every fourth time on the other subflow, too.
func (x *transfer) repair(s *Sent, i int, offset int64) {
	path := x.subflows[i].Path()
	again := s.Lose().SentAt() + (path.Delay[0]+path.Delay[1])*11/10
	s.Again(again)
	if x.rand.IntN(4) == 0 {
		x.net.At(again, func() { x.subflows[1-i].Data(B2A, again, offset, segmentLen) })
	}
}

// WriteTransfer plays a long download over two subflows and writes so many of its packets as a
// capture. It calls edit with each packet and its number, counted from 1; edit may change the
// packet, and returns false to leave it out.
func WriteTransfer(w io.Writer, packets int, edit func(n int, p *Packet) bool) error {
	out, err := NewWriter(w, Format{SnapLen: 128})
	if err != nil {
		return err
	}
	n := 0
	playTransfer(func(p *Packet) bool {
		n++
		if edit(n, p) {
			err = out.Write(p)
		}
		return err == nil && n < packets
	})
	if err != nil {
		return err
	}
	return out.Flush()
}
