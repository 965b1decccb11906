package tcptrace

import (
	"cmp"
	"slices"

	"mpanalyze/internal/conn"
)

// Collector is a module that makes a [Pair] for every TCP connection; a subflow is one, too. It
// needs the captured payload, because its length tells how much the snapshot length cut off. It
// keeps one pair per connection until the end.
type Collector struct {
	conn.Nop
	pairs []*Pair
	ended map[int]flows // of the connections that have ended, by [conn.Conn.Order]
}

// Open returns the observer of a connection.
func (c *Collector) Open(of *conn.Conn) conn.Observer { return &watcher{collector: c, conn: of} }

// Late implements [conn.LateModule].
func (c *Collector) Late(l *conn.Late) bool {
	flows := c.ended[l.Order]
	if l.Sub >= len(flows) || flows[l.Sub].pair == nil {
		return false // no packet of the subflow came before its end
	}
	f := &flows[l.Sub]
	f.pair.add(l.Seg, int(l.From^f.first))
	return true
}

// Pairs returns the connections in the order of their first packets. last is
// the time of the capture's last packet in ns since the Unix epoch: for tcptrace, a connection that is neither
// closed nor reset is idle until then.
func (c *Collector) Pairs(last int64) []*Pair {
	slices.SortFunc(c.pairs, func(a, b *Pair) int { return cmp.Compare(a.Packet, b.Packet) })
	for _, p := range c.pairs {
		if p.closed() || p.reset() {
			continue
		}
		for i := range p.Dirs {
			if d := &p.Dirs[i]; d.Packets > 0 {
				d.MaxIdle = max(d.MaxIdle, elapsed(unix(d.last), last/1000))
			}
		}
	}
	return c.pairs
}

// watcher follows the subflows of one connection.
type watcher struct {
	conn.Nop
	collector *Collector
	conn      *conn.Conn
	flows     flows
}

// flows are the subflows of a connection by their ID.
type flows []flow

// add counts a packet of a subflow. begin returns what counts a new one.
func (l *flows) add(p *conn.Packet, begin func() *Pair) {
	for len(*l) <= p.Sub.ID {
		*l = append(*l, flow{})
	}
	f := &(*l)[p.Sub.ID]
	if f.pair == nil {
		f.pair, f.first = begin(), p.From
	}
	f.pair.add(p.Seg, int(p.From^f.first))
}

// flow is a subflow and the side that sent its first packet.
type flow struct {
	pair  *Pair
	first conn.Side
}

func (w *watcher) Packet(p *conn.Packet) {
	w.flows.add(p, func() *Pair {
		pair := &Pair{}
		w.collector.pairs = append(w.collector.pairs, pair)
		return pair
	})
}

func (w *watcher) Close(int64) {
	c := w.collector
	if c.ended == nil {
		c.ended = map[int]flows{}
	}
	c.ended[w.conn.Order] = w.flows
	for i := range w.flows {
		if p := w.flows[i].pair; p != nil {
			p.Dirs[0].space.shrink()
			p.Dirs[1].space.shrink()
		}
	}
}
