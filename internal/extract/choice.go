package extract

import (
	"slices"

	"mpanalyze/internal/conn"
)

// AllSubflows selects every subflow.
const AllSubflows = -1

// IDs is connections of the report, by their IDs, from the first to the last.
type IDs struct{ First, Last int }

// Choice is a module that stores which packets of a capture belong to certain Multipath TCP
// connections, or to certain of their subflows.
type Choice struct {
	connections []IDs
	found       []bool   // for each of connections, whether it has a chosen packet
	subflow     int      // [conn.Subflow.ID], or [AllSubflows]
	chosen      []uint64 // a bit for each packet up to the last chosen one: 1 MB for 8 million packets, which take some gigabytes of capture
	last        uint64   // number of the last chosen packet; 0 for none
}

// Choose returns a module for connections of the report, and the subflow of each that has an ID,
// or [AllSubflows].
func Choose(subflow int, connections ...IDs) *Choice {
	return &Choice{connections: connections, found: make([]bool, len(connections)), subflow: subflow}
}

// Any reports whether a packet was chosen.
func (c *Choice) Any() bool { return c.last > 0 }

// Missing returns the connections that have no packet in the capture: those of a range of which
// none has one.
func (c *Choice) Missing() (missing []IDs) {
	for i, found := range c.found {
		if !found {
			missing = append(missing, c.connections[i])
		}
	}
	return missing
}

// Open returns the observer of a connection.
func (c *Choice) Open(*conn.Conn) conn.Observer { return &watcher{choice: c} }

// watcher follows one connection, whose number is not known before the answer
// to its SYN.
type watcher struct {
	conn.Nop
	choice *Choice
	early  []sent // bounded by maxEarly
}

// sent is a packet of a subflow.
type sent struct {
	num uint64
	sub int
}

// maxEarly bounds the packets that wait until the number of their connection is known: SYNs, and
// packets to a peer whose answers were not captured.
const maxEarly = 256

func (w *watcher) Packet(p *conn.Packet) {
	switch now := (sent{p.Seg.Num, p.Sub.ID}); {
	case p.Conn.ID < 0:
		if len(w.early) < maxEarly {
			w.early = append(w.early, now)
		}
	case p.Conn.Kind == conn.Multipath && w.choice.wants(p.Conn.ID):
		for _, x := range w.early { // before the number was known
			w.choice.add(p.Conn.ID, x)
		}
		w.early = nil
		w.choice.add(p.Conn.ID, now)
	}
}

// wants reports whether a connection is one of those to choose.
func (c *Choice) wants(id int) bool {
	return slices.ContainsFunc(c.connections, func(r IDs) bool { return r.holds(id) })
}

func (r IDs) holds(id int) bool { return r.First <= id && id <= r.Last }

// Late adds a packet that came when its connection had left the table ([conn.LateModule]).
func (c *Choice) Late(l *conn.Late) bool {
	if c.wants(l.ID) {
		c.add(l.ID, sent{l.Seg.Num, l.Sub})
	}
	return true
}

// add adds a packet of a connection to the choice.
func (c *Choice) add(connection int, p sent) {
	if c.subflow != AllSubflows && p.sub != c.subflow {
		return
	}
	for i, r := range c.connections {
		c.found[i] = c.found[i] || r.holds(connection)
	}
	c.last = max(c.last, p.num)
	for uint64(len(c.chosen)) <= p.num/64 {
		c.chosen = append(c.chosen, 0)
	}
	c.chosen[p.num/64] |= 1 << (p.num % 64)
}

// holds reports whether a packet was chosen.
func (c *Choice) holds(num uint64) bool { return num <= c.last && c.chosen[num/64]>>(num%64)&1 == 1 }
