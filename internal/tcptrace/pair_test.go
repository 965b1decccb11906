package tcptrace

import (
	"testing"

	"mpanalyze/internal/seq"
)

// Segments whose acknowledgments are missing in the capture do not accumulate.
func TestBound(t *testing.T) {
	var s seqSpace
	const n = 3 * maxSegments
	for i := range uint32(n) {
		s.add(seq.Wire(2*i), 1, int64(i), func(*segment) {})
	}
	if got := len(s.quadrants[0]); got > maxSegments {
		t.Errorf("%d pieces, want at most %d", got, maxSegments)
	}
	again := s.add(2*n-2, 1, n, func(*segment) {})
	if again.resentBytes != 1 {
		t.Error("the latest piece is forgotten")
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
