package engine_test

import (
	"io"
	"math/rand/v2"
	"net/netip"
	"testing"
	"time"

	"mpanalyze/internal/seq"
	"mpanalyze/internal/tracegen"
)

// transfer plays a long download over two subflows of different delay, in bursts of
// segments, with losses that are repaired on the same or the other subflow, as the sender's
// capture shows it. It calls write with each packet until write returns false.
type transfer struct {
	net      *tracegen.Network
	rand     *rand.Rand
	session  *tracegen.Session
	subflows [2]*tracegen.Subflow
	offset   int64 // offset of the next byte of the stream
	stopped  bool
}

const (
	perMapping = 8 // segments
	segmentLen = 1400
)

// The client's addresses.
var (
	first  = netip.AddrFrom4([4]byte{192, 0, 2, 1})
	second = netip.AddrFrom4([4]byte{192, 0, 2, 2})
)

func playTransfer(write func(*tracegen.Packet) bool) {
	x := &transfer{net: tracegen.NewNetwork(time.Time{}), rand: rand.New(rand.NewPCG(5, 6))}
	x.net.Watch(tracegen.HostB, func(p *tracegen.Packet) {
		if !x.stopped {
			x.stopped = !write(p)
		}
	})
	x.session = x.net.Session(tracegen.Config{Version: 1, AckEvery: 2, HeaderOnly: 1})
	for i := range x.subflows {
		delay := time.Duration(10+15*i) * time.Millisecond
		x.subflows[i] = x.session.Subflow(tracegen.Path{
			A:     netip.AddrPortFrom([...]netip.Addr{first, second}[i], 20000),
			B:     netip.AddrPortFrom(netip.AddrFrom4([4]byte{198, 51, 100, 1}), 443),
			ISN:   [2]seq.Wire{1, 0xfff00000}, // wraps soon
			Nonce: [2]uint32{3, 4}, ID: [2]uint8{byte(i), 0},
			Delay: [2]time.Duration{delay, delay},
		})
	}
	h := x.subflows[0].Open(0)
	start := h.Established() + time.Millisecond
	x.subflows[0].Map(tracegen.A2B, 0, 200).OnCapable().Send(start, 0, 200)
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
	m := f.Map(tracegen.B2A, x.offset, perMapping*segmentLen)
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
func (x *transfer) repair(s *tracegen.Sent, i int, offset int64) {
	path := x.subflows[i].Path()
	again := s.Lose().SentAt() + (path.Delay[0]+path.Delay[1])*11/10
	s.Again(again)
	if x.rand.IntN(4) == 0 {
		x.net.At(again, func() { x.subflows[1-i].Data(tracegen.B2A, again, offset, segmentLen) })
	}
}

// writeTransfer writes a transfer of so many packets as a capture and calls at
// with the number of each packet before it is written.
func writeTransfer(t testing.TB, w io.Writer, packets int, at func(n int)) {
	writeEdited(t, w, packets, func(n int, _ *tracegen.Packet) bool { at(n); return true })
}

// writeEdited is writeTransfer of what edit returns true for, after it could
// change it.
func writeEdited(t testing.TB, w io.Writer, packets int, edit func(n int, p *tracegen.Packet) bool) {
	out, err := tracegen.NewWriter(w, tracegen.Format{SnapLen: 128})
	if err != nil {
		t.Error(err)
		return
	}
	n := 0
	playTransfer(func(p *tracegen.Packet) bool {
		n++
		if edit(n, p) {
			if err := out.Write(p); err != nil {
				t.Error(err)
				return false
			}
		}
		return n < packets
	})
	if err := out.Flush(); err != nil {
		t.Error(err)
	}
}
