package conn

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

// twoObservers are two observers. Each has its own call instructions, so that the
// processor predicts where they lead.
type twoObservers struct{ first, second Observer }

// Subflow tells both.
func (w *twoObservers) Subflow(s *Subflow) {
	w.first.Subflow(s)
	w.second.Subflow(s)
}

// Packet tells both.
func (w *twoObservers) Packet(p *Packet) {
	w.first.Packet(p)
	w.second.Packet(p)
}

// Event tells both.
func (w *twoObservers) Event(e *Event) {
	w.first.Event(e)
	w.second.Event(e)
}

// Close tells both.
func (w *twoObservers) Close(at int64) {
	w.first.Close(at)
	w.second.Close(at)
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
	switch len(all) {
	case 1:
		c.observer = all[0]
	case 2:
		c.observer = &twoObservers{all[0], all[1]}
	default:
		c.observer = all
	}
	if len(c.chunkObservers) == 0 {
		for i := range c.Spaces {
			c.Spaces[i].SettleLazily()
		}
	}
}
