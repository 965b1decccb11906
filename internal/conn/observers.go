package conn

import "mpanalyze/internal/dss"

// observers are several observers of one connection. Nearly every connection has a
// single one, which is called directly.
type observers []Observer

// Subflow tells each of them.
func (w observers) Subflow(s *Subflow) {
	for _, o := range w {
		o.Subflow(s)
	}
}

// Packet tells each of them.
func (w observers) Packet(p *Packet) {
	for _, o := range w {
		o.Packet(p)
	}
}

// Event tells each of them.
func (w observers) Event(e *Event) {
	for _, o := range w {
		o.Event(e)
	}
}

// Close tells each of them.
func (w observers) Close(at int64) {
	for _, o := range w {
		o.Close(at)
	}
}

// detachObservers makes sure that no observer is called any more.
func (c *Conn) detachObservers() {
	c.observer, c.chunkObservers = observers(nil), nil
	for _, s := range c.Subflows {
		for side := range s.dirs {
			s.dirs[side].observer = c.observer
		}
	}
}

// attachObservers asks the modules for observers of c.
func (c *Conn) attachObservers(modules []Module) {
	var all observers
	for _, m := range modules {
		o := m.Open(c)
		if o == nil {
			continue
		}
		all = append(all, o)
		if b, ok := o.(ChunkObserver); ok {
			c.chunkObservers = append(c.chunkObservers, b)
		}
	}
	if c.observer = all; len(all) == 1 {
		c.observer = all[0]
	}
	for side := range c.Spaces {
		if space := &c.Spaces[side]; len(c.chunkObservers) == 0 {
			space.SettleLazily()
		} else {
			space.OnSettled(func(sub *dss.SubflowSpace, run []dss.Chunk) { c.settled(sub, Side(side), run) })
		}
	}
}

// settled gives the observers settled chunks of the data that side from sends.
func (c *Conn) settled(sub *dss.SubflowSpace, from Side, run []dss.Chunk) {
	for _, o := range c.chunkObservers {
		o.Settled(c.Subflows[sub.ID], from, run)
	}
}
