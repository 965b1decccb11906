package tcptrace

import (
	"testing"

	"mpanalyze/internal/seq"
)

// TestBound: where acknowledgments are missing in the capture, the lower half of too many segments becomes one that counts
// as acknowledged, and the latest are still known.
func TestBound(t *testing.T) {
	var s seqSpace
	send := func(from, to uint32) {
		for i := from; i < to; i++ {
			s.add(seq.Wire(2*i), 1, int64(i), func(*segment) {})
		}
	}
	q := &s.quadrants[0]
	if send(0, maxSegments); len(*q) != maxSegments {
		t.Errorf("%d segments, want %d", len(*q), maxSegments)
	}
	const half = maxSegments / 2
	if send(maxSegments, maxSegments+1); len(*q) != half+2 || (*q)[0] != (segment{first: 0, last: 2*half - 2, sent: half - 1, acked: 1}) {
		t.Errorf("%d segments from %+v on", len(*q), (*q)[0])
	}
	if again := s.add(2*maxSegments, 1, 0, func(*segment) {}); again.resentBytes != 1 {
		t.Error("the latest segment is forgotten")
	}
}

// TestShrink: a connection that is over keeps what later packets need: a segment for each quadrant.
func TestShrink(t *testing.T) {
	for n, want := range map[uint32]int{4: 4, 5: 0} {
		var s seqSpace
		for i := range n {
			s.add(seq.Wire(2*i), 1, 0, func(*segment) {})
		}
		if s.shrink(); len(s.quadrants[0]) != want {
			t.Errorf("of %d segments %d are kept, want %d", n, len(s.quadrants[0]), want)
		}
	}
}

func TestTakeAllocatesNothing(t *testing.T) {
	p := play(t, handshake)
	next := script(t, "30 a A 1001+100 ack=5001 win=1000\n30 b A 5001 win=1000")
	d, r := &next[0].Segment, &next[1].Segment
	round := func() {
		p.add(d, 0)
		d.Seq += 100
		r.Ack = d.Seq
		p.add(r, 1)
	}
	for range 10 {
		round()
	}
	if n := testing.AllocsPerRun(1000, round); n != 0 {
		t.Errorf("%v allocations for two packets, want 0", n)
	}
}
