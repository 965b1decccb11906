package conn

// DefaultMaxState is [Options.MaxState] unless the user says otherwise.
const DefaultMaxState = 1 << 30

// What the state of a connection takes, in bytes, as measured; a test holds it.
const (
	connState    = 6 << 10
	subflowState = 4 << 10
	// figureState is what the figures of a direction of a subflow take for each packet with
	// payload, up to figurePackets; further ones take little more.
	figureState   = 300
	figurePackets = 512
)

// stateEvery is how many packets pass between two looks at the state of all
// connections. No packet adds more than some hundred bytes to it.
const stateEvery = 1 << 16

// Memory returns about how many bytes of memory the connection takes, the figures that
// its observers keep included.
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

// boundState finishes connections while the state of all takes more than it may, until
// a quarter of that is free: as in [Table.evict].
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
		t.warn("evicted_for_memory", "the connections open at once take more memory than they may (--max-memory): those idle longest were closed early", 0)
		total -= t.evict()
	}
}
