package dss

import (
	"fmt"
	"testing"

	"mpanalyze/internal/seq"
)

// Data goes on the quick way only where the lane stands, under its mapping, above
// its chunks, and where nobody carried it; what refuses it changes nothing.
func TestContinue(t *testing.T) {
	const n = 100
	for _, tt := range []struct {
		name  string
		upset func(sp *probe, l, other *Lane)
		ssn   seq.SSN
		n     int64
		want  bool
	}{
		{"as usual", func(*probe, *Lane, *Lane) {}, 101, n, true},
		{"up to the mapping's end", func(*probe, *Lane, *Lane) {}, 101, 900, true},
		{"beyond the mapping", func(*probe, *Lane, *Lane) {}, 101, 901, false},
		{"behind a gap", func(*probe, *Lane, *Lane) {}, 102, n, false},
		{"where another mapping is announced for later", func(sp *probe, l, _ *Lane) {
			sp.Map(l, mapping(1001, 5001, 500), nil)
		}, 101, n, true},
		{"other data of the lane lies above", func(sp *probe, l, _ *Lane) {
			sp.Map(l, mapping(1001, 151, 20), nil)
			sp.Carry(l, segment(1001, 20, 2))
		}, 101, n, false},
		{"another lane carried some of it", func(sp *probe, _, other *Lane) {
			sp.Map(other, mapping(1, 151, 20), nil)
			sp.Carry(other, segment(1, 20, 2))
		}, 101, n, false},
		{"another lane went on in between", func(sp *probe, l, other *Lane) {
			sp.Map(other, mapping(1, 101, 20), nil)
			sp.Carry(other, segment(1, 20, 2))
			sp.Map(l, mapping(1001, 121, 500), nil)
			l.goOn(1001)
		}, 1001, n, true},
		{"there is a gap below it", func(sp *probe, l, _ *Lane) {
			sp.Map(l, mapping(1001, 5001, 500), nil)
			l.goOn(1001)
		}, 1001, n, true},
		{"another lane carried what lies above", func(sp *probe, l, other *Lane) {
			sp.Map(other, mapping(1, 6001, 20), nil)
			sp.Carry(other, segment(1, 20, 2))
			sp.Map(l, mapping(1001, 5001, 500), nil)
			l.goOn(1001)
		}, 1001, n, false},
		{"it was DATA_ACKed unseen", func(sp *probe, _, _ *Lane) { sp.DataAck(150, 2) }, 101, n, false},
		{"the subflow's origin moved", func(_ *probe, l, _ *Lane) { l.Shift(7) }, 101, n, false},
		{"the origin moved, and a segment told where", func(sp *probe, l, _ *Lane) {
			l.Shift(7)
			sp.Carry(l, segment(108, 10, 2))
		}, 118, n, true},
		{"another piece of the packet was found", func(sp *probe, l, _ *Lane) {
			sp.Found.Pieces = append(sp.Found.Pieces, Piece{})
		}, 101, n, false},
	} {
		var sp probe
		sp.SetIDSN(0)
		l, other := sp.NewLane(0), sp.NewLane(1)
		reserve(l, 8)
		sp.Map(l, mapping(1, 1, 1000), nil)
		sp.Carry(l, segment(1, n, 1))
		sp.Space.InOrder(l, 1, &sp.Found)
		sp.Reset()
		tt.upset(&sp, l, other)
		if tt.want {
			sp.Reset()
		}
		bytes, chunks := sp.Bytes, l.chunks.Len()
		got := sp.Continue(l, tt.ssn, tt.n, 1, 3, 3, &sp.Found)
		if got != tt.want {
			t.Errorf("%s: continued %v, want %v", tt.name, got, tt.want)
		}
		if got {
			bytes, chunks = bytes+tt.n, chunks+1
		}
		if sp.Bytes != bytes || l.chunks.Len() != chunks {
			t.Errorf("%s: %d octets in %d chunks, want %d in %d", tt.name, sp.Bytes, l.chunks.Len(), bytes, chunks)
		}
	}
}

// No data goes on the quick way under a mapping whose checksum is to be checked.
func TestContinueBesideChecksum(t *testing.T) {
	var sp probe
	sp.SetIDSN(0)
	l := sp.NewLane(0)
	reserve(l, 8)
	sp.Map(l, mapping(1, 1, 20), &Checksum{DSN: 1, SSN: 1, Length: 20, Value: 1})
	p := segment(1, 10, 1)
	p.Bytes = make([]byte, 10)
	sp.Carry(l, p)
	sp.Reset()
	if sp.Continue(l, 11, 10, 1, 2, 2, &sp.Found) {
		t.Error("went on without the payload")
	}
}

// Two lanes take turns, a few segments each, later ones with a gap before each turn:
// data that lies above all is entered at once, too, and all that is kept is what
// [Space.Carry] and [Space.InOrder] keep.
func TestContinueAboveAll(t *testing.T) {
	const n, turn, turns = 10, 3, 100
	var quick, general probe
	at, tops := [2]seq.SSN{1, 1}, 0
	for _, sp := range []*probe{&quick, &general} {
		sp.SetIDSN(0)
		for i := range 2 {
			reserve(sp.NewLane(i), turn*turns)
		}
	}
	for i := range turn * turns {
		k, now := i/turn%2, int64(i+1)
		ssn, dsn := at[k], seq.DSN(1+n*i+max(0, i/turn-turns/2))
		at[k] += n
		var found [2]string
		for j, sp := range []*probe{&quick, &general} {
			l := sp.lanes[k]
			sp.Reset()
			if i%turn == 0 {
				sp.Map(l, mapping(ssn, dsn, turn*n), nil)
			}
			if sp == &quick && sp.Continue(l, ssn, n, 1, uint64(now), now, &sp.Found) {
				if i%turn == 0 {
					tops++
				}
			} else {
				sp.Carry(l, segment(ssn, n, uint64(now)))
				sp.Space.InOrder(l, now, &sp.Found)
			}
			found[j] = fmt.Sprintf("%+v, in order %d", sp.Found.Pieces, len(sp.Found.InOrder))
		}
		if found[0] != found[1] {
			t.Fatalf("segment %d: %s; want %s", i, found[0], found[1])
		}
	}
	state := func(sp *probe) string {
		return fmt.Sprintln(sp.Bytes, sp.edge, sp.nxt, sp.WaitingUnits, sp.seen.Ranges(), chunksOf(sp.lanes[0]), chunksOf(sp.lanes[1]))
	}
	if got, want := state(&quick), state(&general); got != want {
		t.Errorf("state %s\nwant %s", got, want)
	}
	if tops < turns*9/10 {
		t.Errorf("%d of %d turns began at once", tops, turns)
	}
}
