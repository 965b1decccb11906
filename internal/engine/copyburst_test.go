package engine

import (
	"testing"

	"gotest.tools/v3/assert"

	"mpanalyze/internal/packet"
)

// TestBurstBeforeItsCopies: a path begins with its handshake, each frame followed by its
// copy. Then a burst of 10 segments passes completely before the first copy of them. The
// rest of the capture has a copy of each frame.
func TestBurstBeforeItsCopies(t *testing.T) {
	var segs []packet.Segment
	add := func(path, n int, copied bool) {
		for range n {
			s := packet.Segment{Src: packet.Endpoint{Addr: [16]byte{15: byte(path)}, Port: 80}, Dst: packet.Endpoint{Addr: [16]byte{15: 9}, Port: 4000}}
			s.Num = uint64(len(segs) + 1)
			if copied {
				s.Have |= packet.SeenTwice
			}
			segs = append(segs, s)
		}
	}
	for range 300 { // the first path
		add(1, 1, false)
		add(1, 1, true)
	}
	want := 300
	for range 3 { // SYN/ACK, ACK, request
		add(2, 1, false)
		add(2, 1, true)
	}
	add(2, 10, false)
	add(2, 10, true)
	want += 3 + 10
	c, left := copies{}, 0
	for from := 0; from < len(segs); from += 16 {
		left += c.drop(segs[from:min(from+16, len(segs))], []skips{{}})
	}
	assert.Check(t, left == want, "%d packets are left of %d, want %d", left, len(segs), want)
}

// TestFirstCopiesOfOneDirection: only frames of one direction are captured twice, which are
// less than half of all. The second copy shows it.
func TestFirstCopiesOfOneDirection(t *testing.T) {
	c, left := copies{begun: true}, 0
	for i := range 50 {
		at := packet.Endpoint{Addr: [16]byte{15: 1}, Port: 80}
		back := packet.Endpoint{Addr: [16]byte{15: 2}, Port: 4000}
		segs := []packet.Segment{{Src: at, Dst: back}, {Src: back, Dst: at}, {Src: back, Dst: at}, {Src: at, Dst: back, Have: packet.SeenTwice}}
		for k := range segs {
			segs[k].Num = uint64(4*i + k + 1)
		}
		left += c.drop(segs, []skips{{}})
	}
	assert.Check(t, left == 151, "%d packets are left of 200, want 150 and the first copy", left)
}
