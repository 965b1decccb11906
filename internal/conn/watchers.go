package conn

// watchers are several observers of one connection that look like one. Nearly
// every connection has a single one, which then is called directly.
type watchers []Observer

// Subflow tells each of them.
func (w watchers) Subflow(s *Subflow) {
	for _, o := range w {
		o.Subflow(s)
	}
}

// Packet tells each of them.
func (w watchers) Packet(p *Packet) {
	for _, o := range w {
		o.Packet(p)
	}
}

// Event tells each of them.
func (w watchers) Event(e *Event) {
	for _, o := range w {
		o.Event(e)
	}
}

// Close tells each of them.
func (w watchers) Close(at int64) {
	for _, o := range w {
		o.Close(at)
	}
}

// two are two observers that look like one. Calls of each have a place of their
// own, so that the processor foresees where they lead.
type two struct{ first, second Observer }

// Subflow tells both.
func (w *two) Subflow(s *Subflow) {
	w.first.Subflow(s)
	w.second.Subflow(s)
}

// Packet tells both.
func (w *two) Packet(p *Packet) {
	w.first.Packet(p)
	w.second.Packet(p)
}

// Event tells both.
func (w *two) Event(e *Event) {
	w.first.Event(e)
	w.second.Event(e)
}

// Close tells both.
func (w *two) Close(at int64) {
	w.first.Close(at)
	w.second.Close(at)
}

// dismiss ends the watch: nobody is told of what may still come.
func (c *Conn) dismiss() {
	c.watcher, c.biographers = watchers(nil), nil
	for _, s := range c.Subflows {
		for side := range s.dirs {
			s.dirs[side].watcher = c.watcher
		}
	}
}

// watch asks the modules for observers of c.
func (c *Conn) watch(modules []Module) {
	var all watchers
	for _, m := range modules {
		o := m.Open(c)
		if o == nil {
			continue
		}
		all = append(all, o)
		if b, ok := o.(ChunkObserver); ok {
			c.biographers = append(c.biographers, b)
		}
	}
	switch len(all) {
	case 1:
		c.watcher = all[0]
	case 2:
		c.watcher = &two{all[0], all[1]}
	default:
		c.watcher = all
	}
	if len(c.biographers) == 0 {
		for i := range c.Spaces {
			c.Spaces[i].SettleLazily()
		}
	}
}
