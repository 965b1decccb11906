package engine

import (
	"testing"

	"gotest.tools/v3/assert"

	"mpanalyze/internal/packet"
)

// TestCopiesOfOneDirection: a mirror port may show only what one host sends twice.
func TestCopiesOfOneDirection(t *testing.T) {
	a, b := packet.Endpoint{Addr: [16]byte{15: 1}}, packet.Endpoint{Addr: [16]byte{15: 2}}
	var segs []packet.Segment
	for i := range 200 {
		for range 3 {
			segs = append(segs, packet.Segment{Num: uint64(len(segs) + 1), Src: b, Dst: a})
		}
		if i == 50 { // the network duplicated this one
			segs = append(segs, packet.Segment{Num: uint64(len(segs) + 1), Src: b, Dst: a, Have: packet.SeenTwice})
		}
		for _, have := range []packet.Present{0, packet.SeenTwice} {
			segs = append(segs, packet.Segment{Num: uint64(len(segs) + 1), Src: a, Dst: b, Have: have})
		}
	}
	var c copies
	skipped := make([]skips, 1)
	left := c.drop(segs[:120], skipped)
	for i := 120; i < len(segs); i += 32 {
		left += c.drop(segs[i:min(i+32, len(segs))], skipped)
	}
	assert.Check(t, left == 200*4+1 && c.count == 200 && skipped[0][5] == 200, "%d packets are left, %d were dropped", left, c.count)
}

// TestSoonCopies: one in twenty packets that comes again sooner than a host sends again is dropped.
func TestSoonCopies(t *testing.T) {
	const us = 1000
	for _, c := range []struct {
		name    string
		each    int
		later   int64
		packet  packet.Segment
		dropped bool
	}{
		{"one in 20", 20, us, packet.Segment{IPID: 7}, true},
		{"one in 21", 21, us, packet.Segment{IPID: 7}, false},
		{"data without identification", 20, 20 * us, packet.Segment{PayloadLen: 1}, true},
		{"data without identification, as late as a repetition", 20, 20*us + 1, packet.Segment{PayloadLen: 1}, false},
		{"one more acknowledgment", 20, us, packet.Segment{Flags: packet.ACK}, false},
		{"with the same identification", 20, 1000 * us, packet.Segment{IPID: 7}, true},
		{"with the same identification, much later", 20, 1000*us + 1, packet.Segment{IPID: 7}, false},
		{"one more answer to a stray segment", 20, us, packet.Segment{IPID: 7, Flags: packet.RST}, false},
	} {
		var segs []packet.Segment
		twice := int64(0)
		for i := 1; i <= 420; i++ {
			s := c.packet
			s.Num = uint64(len(segs) + 1)
			if segs = append(segs, s); i%c.each == 0 {
				s.Have, s.ClockSet = packet.SeenTwice, c.later
				segs, twice = append(segs, s), twice+1
			}
		}
		var x copies
		x.drop(segs, make([]skips, 1))
		if want := twice * map[bool]int64{true: 1}[c.dropped]; x.count != want || x.kept != twice-want {
			t.Errorf("%s: %d of %d copies were dropped, want %d", c.name, x.count, twice, want)
		}
	}
}
