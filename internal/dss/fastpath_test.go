package dss

import (
	"fmt"
	"testing"

	"gotest.tools/v3/assert"

	"mpanalyze/internal/seq"
)

// Data takes the fast path only if it continues its subflow, under its mapping, above its
// chunks, and if no subflow carried it before. Data that is refused changes nothing.
func TestAddExpected(t *testing.T) {
	const n = 100
	for _, tt := range []struct {
		name  string
		upset func(sp *probe, sub, other *SubflowSpace)
		ssn   seq.SSN
		n     int64
		want  bool
	}{
		{"as usual", func(*probe, *SubflowSpace, *SubflowSpace) {}, 101, n, true},
		{"up to the mapping's end", func(*probe, *SubflowSpace, *SubflowSpace) {}, 101, 900, true},
		{"beyond the mapping", func(*probe, *SubflowSpace, *SubflowSpace) {}, 101, 901, false},
		{"behind a gap", func(*probe, *SubflowSpace, *SubflowSpace) {}, 102, n, false},
		{"where another mapping is announced for later", func(sp *probe, sub, _ *SubflowSpace) {
			sp.Map(sub, mapping(1001, 5001, 500), nil)
		}, 101, n, true},
		{"other data of the subflow lies above", func(sp *probe, sub, _ *SubflowSpace) {
			sp.Map(sub, mapping(1001, 151, 20), nil)
			sp.Carry(sub, segment(1001, 20, 2))
		}, 101, n, false},
		{"another subflow carried some of it", func(sp *probe, _, other *SubflowSpace) {
			sp.Map(other, mapping(1, 151, 20), nil)
			sp.Carry(other, segment(1, 20, 2))
		}, 101, n, false},
		{"another subflow went on in between", func(sp *probe, sub, other *SubflowSpace) {
			sp.Map(other, mapping(1, 101, 20), nil)
			sp.Carry(other, segment(1, 20, 2))
			sp.Map(sub, mapping(1001, 121, 500), nil)
			sub.setExpected(1001)
		}, 1001, n, true},
		{"there is a gap below it", func(sp *probe, sub, _ *SubflowSpace) {
			sp.Map(sub, mapping(1001, 5001, 500), nil)
			sub.setExpected(1001)
		}, 1001, n, true},
		{"another subflow carried what lies above", func(sp *probe, sub, other *SubflowSpace) {
			sp.Map(other, mapping(1, 6001, 20), nil)
			sp.Carry(other, segment(1, 20, 2))
			sp.Map(sub, mapping(1001, 5001, 500), nil)
			sub.setExpected(1001)
		}, 1001, n, false},
		{"it was DATA_ACKed unseen", func(sp *probe, _, _ *SubflowSpace) { sp.DataAck(150, 2) }, 101, n, false},
		{"the subflow's origin moved", func(_ *probe, sub, _ *SubflowSpace) { sub.Shift(7) }, 101, n, false},
		{"the origin moved, and a segment told where", func(sp *probe, sub, _ *SubflowSpace) {
			sub.Shift(7)
			sp.Carry(sub, segment(108, 10, 2))
		}, 118, n, true},
		{"another piece of the packet was found", func(sp *probe, sub, _ *SubflowSpace) {
			sp.Result.Pieces = append(sp.Result.Pieces, Piece{})
		}, 101, n, false},
	} {
		sp, sub, other := twoSubflows()
		reserve(sub, 8)
		sp.Map(sub, mapping(1, 1, 1000), nil)
		sp.Carry(sub, segment(1, n, 1))
		sp.Space.InOrder(1, &sp.Result)
		sp.Reset()
		tt.upset(sp, sub, other)
		if tt.want {
			sp.Reset()
		}
		bytes, chunks := sp.Bytes, sub.chunks.Len()
		got := sp.AddExpected(sub, tt.ssn, tt.n, 1, 3, 3, &sp.Result)
		assert.Check(t, got == tt.want, "%s: continued %v, want %v", tt.name, got, tt.want)
		if got {
			bytes, chunks = bytes+tt.n, chunks+1
		}
		assert.Check(t, sp.Bytes == bytes && sub.chunks.Len() == chunks, "%s: %d bytes in %d chunks, want %d in %d", tt.name, sp.Bytes, sub.chunks.Len(), bytes, chunks)
	}
}

// No data takes the fast path under a mapping whose checksum has to be verified.
func TestAddExpectedBesideChecksum(t *testing.T) {
	sp, sub := oneSubflow()
	reserve(sub, 8)
	sp.Map(sub, mapping(1, 1, 20), &Checksum{DSN: 1, SSN: 1, Length: 20, Value: 1})
	p := segment(1, 10, 1)
	p.Bytes = make([]byte, 10)
	sp.Carry(sub, p)
	sp.Reset()
	assert.Check(t, !sp.AddExpected(sub, 11, 10, 1, 2, 2, &sp.Result), "went on without the payload")
}

// Two subflows take turns with a few segments each; later turns begin with a gap. Data
// above all other data takes the fast path, too, and the state equals that of
// [Space.AddPayload] and [Space.InOrder].
func TestAddExpectedAboveAll(t *testing.T) {
	const n, turn, turns = 10, 3, 100
	var quick, general probe
	at, tops := [2]seq.SSN{1, 1}, 0
	for _, sp := range []*probe{&quick, &general} {
		sp.SetIDSN(0)
		for i := range 2 {
			reserve(sp.NewSubflow(i), turn*turns)
		}
	}
	for i := range turn * turns {
		k, now := i/turn%2, int64(i+1)
		ssn, dsn := at[k], seq.DSN(1+n*i+max(0, i/turn-turns/2))
		at[k] += n
		var found [2]string
		for j, sp := range []*probe{&quick, &general} {
			sub := sp.subflows[k]
			sp.Reset()
			if i%turn == 0 {
				sp.Map(sub, mapping(ssn, dsn, turn*n), nil)
			}
			if sp == &quick && sp.AddExpected(sub, ssn, n, 1, uint64(now), now, &sp.Result) {
				if i%turn == 0 {
					tops++
				}
			} else {
				sp.Carry(sub, segment(ssn, n, uint64(now)))
				sp.Space.InOrder(now, &sp.Result)
			}
			found[j] = fmt.Sprintf("%+v, in order %d", sp.Result.Pieces, len(sp.Result.InOrder))
		}
		assert.Assert(t, found[0] == found[1], "segment %d: %s; want %s", i, found[0], found[1])
	}
	state := func(sp *probe) string {
		return fmt.Sprintln(sp.Bytes, sp.rcvNxt, sp.sndNxt, sp.OutstandingSegments, sp.seen.Ranges(), chunksOf(sp.subflows[0]), chunksOf(sp.subflows[1]))
	}
	if got, want := state(&quick), state(&general); got != want {
		t.Errorf("state %s\nwant %s", got, want)
	}
	assert.Check(t, tops >= turns*9/10, "%d of %d turns began at once", tops, turns)
}
