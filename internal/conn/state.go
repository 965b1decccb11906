package conn

// DefaultMaxState is the default of [Options.MaxState].
const DefaultMaxState = 1 << 30

// The bytes that the state of a connection takes, as measured. A test measures again.
const (
	connState    = 8 << 10
	subflowState = 4 << 10
	// figureState is what observers keep for one packet with payload. It counts for the
	// first figurePackets of each direction of a subflow; later packets add little.
	figureState   = 300
	figurePackets = 512
)

// A quarter of [Options.MaxState] is for the garbage collector, which lets the heap grow
// between two collections, and for what the estimate lacks. The open connections may take
// the rest.
const collected = 4

// stateEvery is the number of packets between two calls of boundState where the open
// connections take nearly as much as they may. No packet adds more than figureState bytes
// to a subflow.
const stateEvery = 1 << 14

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
func (t *Table) mostState() int64 { return t.opt.MaxState - t.opt.MaxState/collected }

// boundState adds up what all open connections take, and evicts some if that is too much.
// The next call is due when their packets may have added what is left. Subflows that begin
// before that are counted in t.state: see makeRoom.
func (t *Table) boundState() {
	t.state = 0
	for c := range t.open.all() {
		t.state += c.Memory()
	}
	t.evictForState()
	t.stateCheckIn = max(int((t.mostState()-t.state)/figureState), stateEvery)
}

// evictForState evicts connections while they take more memory than they may.
func (t *Table) evictForState() {
	for t.open.n > 0 && t.state > t.mostState() {
		t.bounded()
		t.warn("evicted_for_memory", "the connections open at once take more memory than they may (--max-memory): those idle longest were closed early", 0)
		t.evict()
	}
}
