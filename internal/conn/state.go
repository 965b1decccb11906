package conn

// DefaultMaxState is the default of [Options.MaxState].
const DefaultMaxState = 1 << 30

// The bytes that the state of a connection takes, as measured. A test measures again.
const (
	connState    = 6 << 10
	subflowState = 4 << 10
	// figureState is what observers keep for one packet with payload. It counts for the
	// first figurePackets of each direction of a subflow; later packets add little.
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

// boundState checks whether all connections together take more memory than allowed. If
// so, it evicts connections until the rest takes three quarters of that.
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
