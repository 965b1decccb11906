package stats

import "sync"

// Lists that were outgrown are used again, for a distribution that grows to some
// hundred values leaves several behind, and connections have dozens of them.
type (
	middleRoom [4 * Batch]Weighted
	fullRoom   [ExactLimit + Batch]Weighted // what a distribution takes before it becomes a sketch
)

var (
	middleRooms = sync.Pool{New: func() any { return new(middleRoom) }}
	fullRooms   = sync.Pool{New: func() any { return new(fullRoom) }}
)

// roomFor returns a list of so many elements, of any value, with room for at
// least as many as room says, which is no more than a [fullRoom] has.
func roomFor(size, room int) []Weighted {
	switch {
	case room <= 2*Batch:
		return make([]Weighted, size, room)
	case room <= len(middleRoom{}):
		return middleRooms.Get().(*middleRoom)[:size]
	}
	return fullRooms.Get().(*fullRoom)[:size]
}

// giveRoom gives back a list that nobody uses any more.
func giveRoom(list []Weighted) {
	switch cap(list) {
	case len(middleRoom{}):
		middleRooms.Put((*middleRoom)(list[:cap(list)]))
	case len(fullRoom{}):
		fullRooms.Put((*fullRoom)(list[:cap(list)]))
	}
}
