package conn

// DefaultMaxState is the default of [Options.MaxState].
const DefaultMaxState = 1 << 30

// The bytes that the state of a connection takes, as measured; a test compares them.
const (
	connState    = 6 << 10
	subflowState = 4 << 10
	// figureState is for each packet with payload of a direction of a subflow, up to
	// figurePackets. It is what observers keep; further packets add little.
	figureState   = 300
	figurePackets = 512
)

// stateEvery is the number of packets between two checks of the state of all
// connections. No packet adds more than a few hundred bytes.
const stateEvery = 1 << 16

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

// boundState finishes connections, as [Table.evict] does, while all take more memory
// than allowed, until they take three quarters of that.
func (t *Table) boundState() {
	t.sinceStateCheck = 0
	total := int64(0)
	for c := range t.open.all() {
		total += c.Memory()
	}
	if total <= t.opt.MaxState {
		return
	}
	for t.open.n > 0 && total > t.opt.MaxState/4*3 {
		t.bounded()
		t.warn("evicted_for_memory", "the connections open at once take more memory than they may (--max-memory): those idle longest were closed early", 0)
		total -= t.evict()
	}
}
