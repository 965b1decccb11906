package dss

import (
	"cmp"
	"slices"
)

// minActive is a number of active subflows. So few stay in the list, because to look at
// them costs less than to take them out and to insert them again.
const minActive = 16

// activate puts sub into the list of active subflows when it gets a chunk.
func (sp *Space) activate(sub *SubflowSpace) {
	if !sub.active {
		sub.active = true
		at, _ := slices.BinarySearchFunc(sp.active, sub, func(x, y *SubflowSpace) int { return cmp.Compare(x.ID, y.ID) })
		sp.active = slices.Insert(sp.active, at, sub)
	}
}

// deactivate takes a subflow out of the list if all its chunks are DATA_ACKed and in
// order. So the cost of a DATA_ACK does not grow with the number of idle subflows.
func (sp *Space) deactivate() {
	sp.active = slices.DeleteFunc(sp.active, func(sub *SubflowSpace) bool {
		sub.active = sub.chunks.At(sub.firstNotDataAcked) != nil || sub.chunks.At(sub.firstNotInOrder) != nil
		return !sub.active
	})
}
