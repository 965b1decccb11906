package dss

import (
	"testing"

	"github.com/google/go-cmp/cmp/cmpopts"
	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	"mpanalyze/internal/seq"
)

// TestJoin: pieces of segments that continue each other, also in memory, become one. The joined
// result stays as it is when the memory of a segment's is used again.
func TestJoin(t *testing.T) {
	payload := []byte("abcdefgh")
	piece := func(from, to seq.DSN, kind PieceKind) Piece {
		return Piece{Data: seq.Range[seq.DSN]{Start: from, End: to}, SSN: seq.SSN(from), Kind: kind, Payload: payload[from-1 : to-1]}
	}
	chunk := &Chunk{Segments: 1}
	var f Result
	f.Join(&Result{Pieces: []Piece{piece(1, 3, First)}, InOrder: []*Chunk{chunk}, Checks: []Check{{ID: 1}}})
	f.Join(&Result{Pieces: []Piece{piece(3, 5, First), piece(5, 6, Reinjection)}})
	apart := piece(6, 7, Reinjection)
	apart.Payload = []byte("f")
	f.Join(&Result{Pieces: []Piece{apart}})
	chunk.Segments = 2
	want := Result{
		Pieces: []Piece{piece(1, 5, First), piece(5, 6, Reinjection), apart}, Checks: []Check{{ID: 1}}, InOrder: []*Chunk{{Segments: 1}},
	}
	assert.Check(t, is.DeepEqual(f, want, cmpopts.IgnoreUnexported(Chunk{})))
}
