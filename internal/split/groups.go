package split

import (
	"cmp"
	"container/heap"
	"slices"
)

// distribute chooses a part for each connection. Connections that depend on each other get the
// same part, and all parts get about the same number of packets.
func (r *Recorder) distribute(parts int) {
	for _, l := range r.links {
		if at := r.places.get(l.num); at >= firstOrder {
			r.Together(int(l.order), int(at-firstOrder))
		}
	}
	r.links = nil
	var roots []int32
	for i := range r.conns {
		c := &r.conns[i]
		if root := r.root(i); root != i {
			r.conns[root].packets += c.packets
			r.conns[root].pinned = r.conns[root].pinned || c.pinned
			continue
		}
		roots = append(roots, int32(i))
	}
	slices.SortFunc(roots, func(x, y int32) int {
		return cmp.Or(cmp.Compare(r.conns[y].packets, r.conns[x].packets), cmp.Compare(x, y))
	})
	loads := make(loads, parts)
	for i := range loads {
		loads[i].part = uint16(i)
	}
	for _, i := range roots {
		if c := &r.conns[i]; c.pinned {
			loads[0].packets += c.packets
		}
	}
	heap.Init(&loads)
	for _, i := range roots {
		if c := &r.conns[i]; !c.pinned {
			c.part = loads[0].part
			loads[0].packets += c.packets
			heap.Fix(&loads, 0)
		}
	}
	for i := range r.conns {
		r.conns[i].part = r.conns[r.root(i)].part
	}
}

// loads is a heap of parts. The part with the fewest packets comes first.
type loads []struct {
	packets uint64
	part    uint16
}

// Len, Less, Swap, Push and Pop implement [heap.Interface].
func (l loads) Len() int { return len(l) }

func (l loads) Less(i, j int) bool {
	return cmp.Or(cmp.Compare(l[i].packets, l[j].packets), cmp.Compare(l[i].part, l[j].part)) < 0
}
func (l loads) Swap(i, j int) { l[i], l[j] = l[j], l[i] }
func (l loads) Push(any)      { panic("no part is added") }
func (l loads) Pop() any      { panic("no part is removed") }
