package dss

import (
	"testing"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	"mpanalyze/internal/seq"
)

// sees is a piece without the fields that the tests of kinds ignore.
type sees struct {
	Start, End seq.DSN
	SSN        seq.SSN
	Kind       PieceKind
}

func pieces(sp *probe) (out []sees) {
	for _, p := range sp.Pieces() {
		out = append(out, sees{p.Data.Start, p.Data.End, p.SSN, p.Kind})
	}
	return out
}

// give maps n bytes from dsn on to subflow l at ssn, and carries them.
func (sp *probe) give(sub *SubflowSpace, ssn seq.SSN, dsn seq.DSN, n int, packet uint64) {
	sp.Map(sub, mapping(ssn, dsn, n), nil)
	sp.place(sub, segment(ssn, n, packet))
}

// place uses the fast path for payload if possible.
func (sp *probe) place(sub *SubflowSpace, p *Payload) (covered, quick bool) {
	if p.New && p.Bytes == nil && sp.AddExpected(sub, p.Start, p.Len(), segments(p.Len(), p.SegmentBytes), p.Packet, p.Time, &sp.Result) {
		return true, true
	}
	return sp.Carry(sub, p), false
}

// Reinjections are segmented differently from the data that they repeat: kinds are
// properties of bytes.
func TestKindsUnderReslicing(t *testing.T) {
	sp, a, b := twoSubflows()
	sp.give(a, 1, 1, 100, 1)     // 1-100 on a
	sp.give(b, 1, 201, 100, 2)   // 201-300 on b
	sp.give(a, 101, 301, 100, 3) // 301-400 on a
	for _, tt := range []struct {
		name  string
		sub   *SubflowSpace
		ssn   seq.SSN
		dsn   seq.DSN
		n     int
		want  []sees
		again int64 // bytes reinjected on the subflow by now
		same  int64
	}{
		{"across the hole between two runs", b, 101, 51, 200, []sees{
			{51, 101, 101, Reinjection}, {101, 201, 151, First}, {201, 251, 251, ReinjectedSame},
		}, 100, 50},
		{"same subflow", a, 201, 1, 50, []sees{{1, 51, 201, ReinjectedSame}}, 50, 50},
		{"same subflow, but a part went over the other since", a, 251, 1, 100, []sees{{1, 51, 251, ReinjectedSame}, {51, 101, 301, Reinjection}}, 150, 100},
		{"new data behind old", a, 351, 391, 30, []sees{{391, 401, 351, ReinjectedSame}, {401, 421, 361, First}}, 160, 110},
	} {
		sp.Reset()
		sp.give(tt.sub, tt.ssn, tt.dsn, tt.n, uint64(tt.ssn)+1000)
		assert.Check(t, is.DeepEqual(pieces(sp), tt.want), "%s", tt.name)
		if sub := tt.sub; sub.ReinjectedBytes != tt.again || sub.ReinjectedSame != tt.same {
			t.Errorf("%s: %d bytes reinjected, %d of them on the same subflow; want %d, %d", tt.name, sub.ReinjectedBytes, sub.ReinjectedSame, tt.again, tt.same)
		}
	}
	// 1-100, 201-300, 301-400, then 101-200 on b and 401-420 on a.
	assert.Check(t, a.FirstBytes == 100+100+20 && b.FirstBytes == 100+100 && sp.Bytes == 420, "first bytes %d and %d of %d", a.FirstBytes, b.FirstBytes, sp.Bytes)
}

// A segment counts once, wherever its reinjected bytes are; a super-segment counts as many
// times as its bytes fill segments.
func TestReinjectedSegments(t *testing.T) {
	for _, tt := range []struct {
		name string
		had  [][2]int // runs of data sent before on the other subflow: start, length
		n    int      // bytes sent again from 1 on, in units of 1000
		want int64
	}{
		{"two parts of a segment", [][2]int{{1, 100}, {501, 100}}, 1000, 1},
		{"a segment and a bit", [][2]int{{1, 1100}}, 2000, 2},
		{"parts of a super-segment", [][2]int{{1, 700}, {1001, 700}, {2001, 700}}, 3000, 3}, // 2100 bytes
		{"nothing", nil, 1000, 0},
	} {
		sp, a, b := twoSubflows()
		ssn := seq.SSN(1)
		for i, h := range tt.had {
			sp.give(a, ssn, seq.DSN(h[0]), h[1], uint64(i+1))
			ssn += seq.SSN(h[1])
		}
		sp.give(b, 1, 1, tt.n, 99)
		assert.Check(t, b.ReinjectedSegments == tt.want, "%s: %d segments reinjected, want %d", tt.name, b.ReinjectedSegments, tt.want)
	}
}

func TestRetransmissionIsNoReinjection(t *testing.T) {
	sp, sub := oneSubflow()
	sp.give(sub, 1, 1, 100, 1)
	sp.Reset()
	again := segment(51, 50, 2)
	again.New = false
	sp.Carry(sub, again)
	assert.Check(t, is.DeepEqual(pieces(sp), []sees{{51, 101, 51, Retransmission}}))
	if sub.MappedBytes() != 150 || sub.MappedUnique() != 100 || sub.ReinjectedBytes != 0 || sp.Bytes != 100 {
		t.Errorf("mapped %d, unique %d, reinjected %d, bytes %d", sub.MappedBytes(), sub.MappedUnique(), sub.ReinjectedBytes, sp.Bytes)
	}
}

// The payload of a piece is its part of the packet's payload, as far as it was captured.
func TestPiecePayload(t *testing.T) {
	sp, a, b := twoSubflows()
	sp.give(a, 1, 4, 3, 1) // data 4-6
	sp.Reset()
	sp.Map(b, mapping(1, 1, 9), nil)
	p := segment(1, 9, 2)
	p.Bytes = []byte("abcdefg") // the capture holds 7 bytes of 9
	sp.Carry(b, p)
	want := []string{"abc", "def", "g"}
	for i, piece := range sp.Pieces() {
		assert.Check(t, string(piece.Payload) == want[i] && piece.Payload != nil, "piece %d of %v holds %q, want %q", i, piece.Data, piece.Payload, want[i])
	}
	// Payload that waits for its mapping is copied, even if it is empty.
	sp.Reset()
	p = segment(10, 4, 3)
	p.Bytes = []byte("hi")
	sp.Carry(b, p)
	p.Bytes[0] = 'X'
	sp.Map(b, mapping(12, 12, 2), nil)
	sp.Map(b, mapping(10, 10, 2), nil)
	got := sp.Pieces()
	assert.Check(t, len(got) == 2 && got[0].Payload != nil && len(got[0].Payload) == 0 && string(got[1].Payload) == "hi", "pieces of a late mapping: %+v", got)
}
