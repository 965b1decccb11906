package dss

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"gotest.tools/v3/assert"

	"mpanalyze/internal/seq"
)

// A mapping takes the fast path only if the payload under the mapping before is complete
// and it continues that. A mapping that is refused changes nothing.
func TestMapNext(t *testing.T) {
	for _, tt := range []struct {
		name  string
		upset func(sp *probe, sub *SubflowSpace)
		ssn   seq.SSN
		dsn   seq.DSN
		want  bool
	}{
		{"as usual", func(*probe, *SubflowSpace) {}, 101, 101, true},
		{"data further up", func(*probe, *SubflowSpace) {}, 101, 900, true},
		{"data below", func(*probe, *SubflowSpace) {}, 101, 51, false},
		{"behind a gap", func(*probe, *SubflowSpace) {}, 102, 102, false},
		{"again", func(*probe, *SubflowSpace) {}, 1, 1, false},
		{"payload is to come under the mapping before", func(sp *probe, sub *SubflowSpace) {
			sp.Map(sub, mapping(101, 101, 10), nil)
		}, 101, 101, false},
		{"mappings lie above", func(sp *probe, sub *SubflowSpace) { sp.Map(sub, mapping(201, 201, 10), nil) }, 101, 101, false},
		{"payload waits", func(sp *probe, sub *SubflowSpace) { sp.Carry(sub, segment(301, 10, 2)) }, 101, 101, false},
		{"the origin moved", func(_ *probe, sub *SubflowSpace) { sub.Shift(7) }, 108, 101, false},
	} {
		sp, sub := oneSubflow()
		reserve(sub, 8)
		for range 4 {
			sub.maps.list.Push()
		}
		sub.maps.list.Pop(4)
		for _, at := range []int{1, 51} { // the second segment takes the fast path
			sp.Reset()
			sp.Map(sub, mapping(seq.SSN(at), seq.DSN(at), 50), nil)
			sp.place(sub, segment(seq.SSN(at), 50, 1))
		}
		tt.upset(sp, sub)
		before := mapState(sub)
		data, got := sp.MapNext(sub, tt.ssn, uint64(tt.dsn), 50, 3)
		assert.Check(t, got == tt.want && (!got || data == tt.dsn), "%s: %v to %d, want %v", tt.name, got, data, tt.want)
		after := mapState(sub)
		assert.Check(t, tt.want || after == before, "%s: state %s, want %s", tt.name, after, before)
	}
}

// mapState are the mappings of a subflow, and what follows from them.
func mapState(sub *SubflowSpace) string {
	return fmt.Sprintln(ranges(sub), sub.lastEnd, sub.lastDSN, sub.mapped, sub.expected, len(sub.pending))
}

// sameMaps reports whether two subflows have the same mapState, without making texts of it.
func sameMaps(a, b *SubflowSpace) bool {
	return slices.Equal(ranges(a), ranges(b)) && a.lastEnd == b.lastEnd && a.lastDSN == b.lastDSN && a.mapped == b.mapped &&
		a.expected == b.expected && len(a.pending) == len(b.pending)
}

// Mappings have the same effect with the fast path and without it: most continue what was
// sent, some come early, late, again, or are partly complete.
func TestMapNextAsAddMapping(t *testing.T) {
	quickly, all := 0, 0
	for seed := range uint64(30) {
		r := rand.New(rand.NewPCG(seed, 3))
		var quick, general probe
		quick.SetIDSN(0)
		general.SetIDSN(0)
		a, b := quick.NewSubflow(0), general.NewSubflow(0)
		reserve(a, 64)
		reserve(b, 64)
		ssn, dsn := seq.SSN(1), seq.DSN(1)
		for i := range uint64(400) {
			at, data, n := ssn, dsn, 1+r.IntN(40)
			switch r.IntN(12) {
			case 0:
				at += seq.SSN(r.IntN(30))
			case 1:
				at = max(1, at-seq.SSN(r.IntN(60)))
			case 2:
				data = max(1, data-seq.DSN(r.IntN(60)))
			case 3:
				data += seq.DSN(r.IntN(30))
			}
			m := mapping(at, data, n)
			m.Packet = i
			all++
			if _, ok := quick.MapNext(a, at, uint64(data), int64(n), i); ok {
				quickly++
			} else {
				quick.Map(a, m, nil)
			}
			general.Map(b, m, nil)
			if r.IntN(10) == 0 {
				n -= r.IntN(n)
			}
			if r.IntN(16) > 0 {
				quick.place(a, segment(at, n, i))
				general.place(b, segment(at, n, i))
			}
			quick.Reset()
			general.Reset()
			ssn, dsn = max(ssn, at+seq.SSN(n)), max(dsn, data+seq.DSN(n))
			if r.IntN(6) == 0 {
				quick.SubflowUna(a, ssn)
				general.SubflowUna(b, ssn)
			}
			if !sameMaps(a, b) {
				t.Fatalf("seed %d, mapping %d: %s\nwant %s", seed, i, mapState(a), mapState(b))
			}
		}
	}
	assert.Check(t, quickly >= all/4, "%d of %d mappings took the fast path", quickly, all)
}
