package conn

import (
	"math"
	"testing"

	"gotest.tools/v3/assert"
)

// TestAgreement: numbers of one space at a distance of d agree by chance with a probability
// of about 2d in 2^64, or in 2^32 if one has 4 bytes.
func TestAgreement(t *testing.T) {
	const at = 1 << 40
	for _, c := range []struct {
		apart uint64
		wide  bool
		bits  int
		ok    bool
	}{
		{0, true, 63, true},
		{1, true, 62, true},
		{1<<22 + 5, true, 40, true},
		{1<<23 + 5, true, 39, true},
		{0, false, 31, true},
		{1 << 10, false, 20, true},
		{maxDistance, true, 0, false},
		{maxDistance, false, 0, false},
		{math.MaxUint64 - maxDistance, true, 0, false},
	} {
		for _, distance := range []uint64{c.apart, -c.apart} {
			bits, ok := agreement(wireDSN{at + distance, true, true}, wireDSN{at, c.wide, true})
			assert.Check(t, bits == c.bits && ok == c.ok, "%d apart, 8 bytes %v: %d bits, %v; want %d, %v", int64(distance), c.wide, bits, ok, c.bits, c.ok)
		}
	}
}

// TestProof: two pending flows belong together if their numbers would agree by chance at
// most once in 2^40 cases. That is, with 8 bytes within 2^23; with 4 bytes never by one
// direction, and by both within 2^11 each.
func TestProof(t *testing.T) {
	for _, c := range []struct {
		name    string
		wide    bool
		apart   [2]uint64
		senders int
		want    bool
	}{
		{"8 bytes, near", true, [2]uint64{1<<23 - 1}, 1, true},
		{"8 bytes, farther", true, [2]uint64{1 << 23}, 1, false},
		{"4 bytes, equal, one direction", false, [2]uint64{}, 1, false},
		{"4 bytes, both directions", false, [2]uint64{1<<11 - 1, 1<<11 - 1}, 2, true},
		{"4 bytes, both directions, farther", false, [2]uint64{1<<11 - 1, 1 << 11}, 2, false},
	} {
		var pair [2]*pendingFlow
		for i := range pair {
			pair[i] = &pendingFlow{order: i}
			for sender := range c.senders {
				value := uint64(1000*(sender+1)) << 20
				if i == 1 {
					value += c.apart[sender]
				}
				pair[i].latest[sender][sender] = wireDSN{value, c.wide, true}
			}
		}
		table := NewTable(Options{})
		table.refreshIndex()
		table.dsnIndex.enterPending(pair[1])
		if got := table.search(pair[0]).other != nil; got != c.want {
			t.Errorf("%s: together %v, want %v", c.name, got, c.want)
		}
	}
}
