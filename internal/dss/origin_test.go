package dss

import (
	"testing"

	"gotest.tools/v3/assert"

	"mpanalyze/internal/seq"
)

// The origin is known if the options leave only one possibility: the payload is inside the
// mapping in its packet.
func TestGuessOrigin(t *testing.T) {
	type step struct {
		ssn     uint32 // of the mapping
		length  int64
		r       seq.Range[seq.SSN] // of the payload, by the guessed origin
		origin  int64              // true position of the guessed origin
		certain bool
	}
	for _, tt := range []struct {
		name  string
		steps []step
	}{
		{"a mapping of one segment", []step{{5001, 100, run[seq.SSN](1, 101), 5000, true}}},
		{"the first and the last segment of a mapping", []step{
			{5001, 300, run[seq.SSN](1, 101), 0, false}, {5001, 300, run[seq.SSN](201, 301), 5000, true},
		}},
		{"the end of one mapping and the start of the next", []step{
			{4901, 200, run[seq.SSN](1, 101), 0, false}, {5101, 300, run[seq.SSN](101, 201), 5000, true},
		}},
		{"an option beside payload that it does not cover", []step{{5001, 50, run[seq.SSN](1, 101), 0, false}}},
		{"a pure ACK", []step{{5001, 50, run[seq.SSN](1, 1), 0, false}}},
		{"a first option that was wrong", []step{
			{9, 200, run[seq.SSN](1, 101), 0, false}, {5101, 100, run[seq.SSN](101, 201), 5000, true},
		}},
		{"known already", []step{{5001, 100, run[seq.SSN](1, 101), 5000, true}, {7001, 100, run[seq.SSN](1, 101), 0, false}}},
	} {
		sub := new(SubflowSpace)
		for i, s := range tt.steps {
			origin, certain := sub.GuessOrigin(s.ssn, s.length, s.r)
			if certain != s.certain || certain && origin != s.origin {
				t.Errorf("%s, step %d: origin %d, certain %v, want %d, %v", tt.name, i, origin, certain, s.origin, s.certain)
			}
		}
	}
}

// Shift moves everything that a subflow keeps by position.
func TestShift(t *testing.T) {
	sp, sub := oneSubflow()
	sp.give(sub, 1, 1, 100, 1)
	sp.Map(sub, Mapping{SSN: seq.Range[seq.SSN]{Start: 201, End: NoEnd}, DSN: 201}, nil)
	sp.Carry(sub, segment(101, 50, 2)) // waits
	sp.SubflowUna(sub, 101)
	sub.Shift(1000)
	n, first := sub.FirstUnmapped()
	assert.Check(t, n == 1 && first.Range == run[seq.SSN](1101, 1151), "%d runs wait, the first at %v", n, first.Range)
	at, ok := sub.InfiniteAt(1301)
	assert.Check(t, ok && at == 301, "SSN 1301 carries %d, %v, want 301", at, ok)
	sp.Reset()
	sp.Carry(sub, segment(1001, 10, 3))
	p := sp.Pieces()
	assert.Check(t, len(p) == 1 && p[0].Data == run[seq.DSN](1, 11), "SSN 1001 carries %+v", p)
	sp.InOrder(3)
	sp.DataAck(101, 4)
	got := sp.drain(false)
	assert.Check(t, len(got) == 1 && got[0].SSN == 1001, "settled %+v, want the acknowledged chunk at SSN 1001", got)
}
