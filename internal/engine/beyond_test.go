package engine_test

import (
	"math/rand/v2"
	"net/netip"
	"time"

	"mpanalyze/internal/seq"
	"mpanalyze/internal/tracegen"
)

// endedAndJoined plays connections that lose their subflow in another order than that in which they
// began. Then a host joins each of them again. More wait for that than the table holds. Others send
// data meanwhile.
func endedAndJoined(net *tracegen.Network, r *rand.Rand) {
	const n, others = 1150, 40
	for i := range n + others {
		s, f, at := beginning(net, r, i)
		rounds, each := 4, 20 // ms
		if i >= n {
			rounds, each = 30, 100
		}
		for k := range rounds {
			f.Data(tracegen.A2B, at+time.Duration(k*each+r.IntN(20))*time.Millisecond, int64(100*k), 100)
		}
		if i >= n {
			continue
		}
		f.RST(tracegen.B2A, time.Second+time.Duration(n-i)*time.Millisecond)
		again := subflowOf(s, r, 1, i)
		h := again.Open(2500*time.Millisecond + time.Duration(i)*100*time.Microsecond)
		again.Data(tracegen.A2B, h.Established()+time.Millisecond, 400, 500)
	}
}

// synsBetween plays connections whose handshakes take long. Many SYNs that nobody answers come
// meanwhile.
func synsBetween(net *tracegen.Network, r *rand.Rand) {
	for i := range 60 {
		_, f, at := beginning(net, r, i)
		for k := range 40 {
			f.Data(tracegen.A2B, at+time.Duration(k)*time.Millisecond, int64(100*k), 100)
		}
	}
	for i := range 3000 {
		s := net.Session(tracegen.Config{Version: 1, Keys: [2]uint64{r.Uint64(), r.Uint64()}})
		subflowOf(s, r, 2, i).SYN(time.Duration(i) * 20 * time.Microsecond)
	}
}

// mixed plays short and long connections of one or two subflows, whose data comes at any time, and
// SYNs that nobody answers.
func mixed(net *tracegen.Network, r *rand.Rand) {
	for i := range 400 {
		s, f, at := beginning(net, r, i)
		paths := []*tracegen.Subflow{f}
		if i%3 == 0 {
			again := subflowOf(s, r, 1, i)
			paths = append(paths, again)
			h := again.Open(at + time.Millisecond)
			at = h.Established()
		}
		for k := range 5 + r.IntN(60) {
			at += time.Duration(r.IntN(3000)) * time.Microsecond
			paths[k%len(paths)].Data(tracegen.A2B, at, int64(100*k), 100)
		}
	}
	for i := range 1500 {
		s := net.Session(tracegen.Config{Version: 1, Keys: [2]uint64{r.Uint64(), r.Uint64()}})
		subflowOf(s, r, 2, i).SYN(time.Duration(i) * 40 * time.Microsecond)
	}
}

// beginning opens the i-th connection, and returns when it is established.
func beginning(net *tracegen.Network, r *rand.Rand, i int) (*tracegen.Session, *tracegen.Subflow, time.Duration) {
	s := net.Session(tracegen.Config{Version: 1, Keys: [2]uint64{r.Uint64(), r.Uint64()}, AckEvery: 1})
	f := subflowOf(s, r, 0, i)
	h := f.Open(time.Duration(i) * 20 * time.Microsecond)
	return s, f, h.Established() + time.Millisecond
}

// subflowOf returns a subflow of the i-th connection over one of the paths.
func subflowOf(s *tracegen.Session, r *rand.Rand, path, i int) *tracegen.Subflow {
	delay := time.Duration(5+r.IntN(20)) * time.Millisecond
	return s.Subflow(tracegen.Path{
		A:     netip.AddrPortFrom(netip.AddrFrom4([4]byte{10, byte(path), byte(i >> 8), byte(i)}), uint16(1024+i)),
		B:     netip.MustParseAddrPort("198.51.100.1:443"),
		ISN:   [2]seq.Wire{seq.Wire(r.Uint32()), seq.Wire(r.Uint32())},
		Nonce: [2]uint32{r.Uint32(), r.Uint32()}, ID: [2]uint8{uint8(path), 0},
		Delay: [2]time.Duration{delay, delay},
	})
}
