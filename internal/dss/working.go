package dss

import (
	"cmp"
	"slices"
)

// fewLanes is how many working lanes there may be before it is asked which of them are
// not any more: fewer cost less to look at than to take out and put back.
const fewLanes = 16

// work makes l a working lane: a chunk of it was just made.
func (sp *Space) work(l *SubflowSpace) {
	if !l.works {
		l.works = true
		at, _ := slices.BinarySearchFunc(sp.working, l, func(x, y *SubflowSpace) int { return cmp.Compare(x.ID, y.ID) })
		sp.working = slices.Insert(sp.working, at, l)
	}
}

// rest takes out the lanes of which all chunks are DATA_ACKed and in order. What a
// DATA_ACK costs then does not grow with the subflows that carry nothing.
func (sp *Space) rest() {
	sp.working = slices.DeleteFunc(sp.working, func(l *SubflowSpace) bool {
		l.works = l.chunks.At(l.nextAcked) != nil || l.chunks.At(l.nextOrder) != nil
		return !l.works
	})
}
