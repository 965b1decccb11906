package conn

// DefaultMaxState is the default of [Options.MaxState].
const DefaultMaxState = 1 << 30

// The bytes that the state of a connection takes, as measured. A test measures again.
const (
	connState    = 8 << 10
	subflowState = 6 << 10
	// figureState is what observers keep for one packet with payload. It counts for the
	// first figurePackets of each direction of a subflow; later packets add little.
	figureState   = 380
	figurePackets = 512
)

// packetState is the most that a packet adds: what observers keep for it, and the entries of
// its data as long as that is in flight.
const packetState = 2 * figureState

// A quarter of [Options.MaxState] is for the garbage collector, which lets the heap grow
// between two collections, and for what the estimate lacks. The open connections may take
// the rest.
const collected = 4

// Until boundState is called again, the open connections may take more by this part of what
// they may. boundState looks at all connections. So it
// takes the same time for each packet, however many may be open.
const between = 8

// Memory estimates the bytes of memory that the connection takes, those of its
// observers included.
func (c *Conn) Memory() int64 {
	n := int64(connState)
	for side := range c.Spaces {
		n += int64(c.Spaces[side].Memory())
	}
	for _, s := range c.Subflows {
		n += subflowState
		for side := range s.Senders {
			h := &s.Senders[side]
			n += int64(h.Memory()) + figureState*min(h.Segments, figurePackets)
		}
	}
	return n
}

// mostState is what all open connections may take, bytes.
func (t *Table) mostState() int64 {
	return t.opt.MaxState - t.opt.MaxState/collected
}

// roomOf returns what the open connections may take more before the next call of boundState,
// if they take state now, bytes.
func (t *Table) roomOf(state int64) int64 {
	most := t.mostState()
	return most + most/between - state
}

// count adds n bytes to what a connection is said to take.
func (t *Table) count(c *Conn, n int64) {
	c.counted += n
	t.state += n
	t.stateRoom -= n
}

// boundState adds up what all open connections take that are not set aside, and evicts some if
// that is too much.
// The next call is due when packets and connections that begin may have taken the room that
// is left.
func (t *Table) boundState() {
	t.processQueued()
	t.state = 0
	for c := range t.open.all() {
		if c.aside == notAside {
			c.counted = c.Memory()
			t.state += c.counted
		}
	}
	t.evictForState()
	t.stateRoom = t.roomOf(t.state)
}

// evictForState evicts connections while they take more memory than they may.
func (t *Table) evictForState() {
	for t.open.n > 0 && t.state > t.mostState() {
		t.warn("evicted_for_memory", "the connections open at once take more memory than they may (--max-memory): those idle longest were closed early", 0)
		t.evict()
	}
}
