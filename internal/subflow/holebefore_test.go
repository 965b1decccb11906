package subflow

import (
	"testing"

	"gotest.tools/v3/assert"

	"mpanalyze/internal/packet"
	"mpanalyze/internal/seq"
)

// TestHoleBeforeSegment: of the segments of one packet only the first opened the hole below it.
func TestHoleBeforeSegment(t *testing.T) {
	p := opened(t)
	numbered := func(_ *play, _ Side, s *packet.Segment) { s.Num = 5 }
	p.data(1, 1, 100)
	for i, opens := range []bool{true, false} {
		start := seq.SSN(201 + 100*i)
		p.data(2, start, 100, numbered)
		_, ok := p.a().HoleBefore(&packet.Segment{Num: 5, Seq: p.isn[A] + seq.Wire(start)})
		assert.Check(t, ok == opens, "segment %d opened a hole: %v, want %v", i, ok, opens)
	}
}
