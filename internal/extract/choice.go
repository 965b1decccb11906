package extract

import (
	"fmt"
	"slices"

	"mpanalyze/internal/conn"
	"mpanalyze/internal/packets"
)

// AllSubflows selects every subflow.
const AllSubflows = -1

// IDs is connections of the report, by their IDs, from the first to the last.
type IDs struct{ First, Last int }

// Choice is a module that stores which packets of a capture belong to certain Multipath TCP
// connections, or to certain of their subflows, and the comments on them.
type Choice struct {
	connections []IDs
	found       []bool            // for each of connections, whether it has a chosen packet
	subflow     int               // [conn.Subflow.ID], or [AllSubflows]
	window      uint64            // number of packets from which one analysis chooses
	from        uint64            // number of the first packet of the window
	chosen      []uint64          // a bit for each packet of the window up to the last chosen one; bounded by window
	here        int               // chosen packets in the window
	n           int               // chosen packets in the whole capture, counted in the first analysis
	beyond      bool              // packets of the connections are behind the window
	again       bool              // this analysis is not the first
	comments    map[uint64]string // by packet, for packets in the window; bounded by maxComments
}

const (
	// maxWindow is the number of packets from which one analysis chooses; their bits take
	// 16 MiB. A longer capture is analysed again for the packets behind them, so that memory
	// does not grow with the capture.
	maxWindow = 1 << 27
	// maxComments bounds the packets with a comment; later packets have none.
	maxComments = 1 << 16
)

// Choose returns a module for connections of the report, and the subflow of each that has an ID,
// or [AllSubflows].
func Choose(subflow int, connections ...IDs) *Choice {
	return &Choice{connections: connections, found: make([]bool, len(connections)), subflow: subflow, window: maxWindow, comments: map[uint64]string{}}
}

// Packets returns the number of packets that were chosen.
func (c *Choice) Packets() int { return c.n }

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
	early  []chosenPacket // bounded by maxEarly
}

// chosenPacket is a packet of a subflow with its comment.
type chosenPacket struct {
	num     uint64
	sub     int
	comment string
}

// maxEarly bounds the packets that wait until the number of their connection is known: SYNs, and
// packets to a peer whose answers were not captured.
const maxEarly = 256

func (w *watcher) Packet(p *conn.Packet) {
	switch {
	case p.Conn.ID < 0:
		if len(w.early) < maxEarly {
			w.early = append(w.early, chosenPacket{p.Seg.Num, p.Sub.ID, packets.Comment(p)})
		}
	case w.belongs(p.Conn):
		w.addEarly(p.Conn.ID)
		w.choice.add(p.Conn.ID, chosenPacket{p.Seg.Num, p.Sub.ID, packets.Comment(p)})
	}
}

// Event comments on the packet that an event is about.
func (w *watcher) Event(e *conn.Event) {
	if e.Packet == 0 || e.Sub == nil || !w.belongs(e.Sub.Conn) {
		return
	}
	text := string(e.Kind)
	if e.Detail != "" {
		text = fmt.Sprintf("%s: %s", text, e.Detail)
	}
	w.choice.comment(e.Packet, text)
}

func (w *watcher) belongs(c *conn.Conn) bool {
	return c.Kind == conn.Multipath && w.choice.wants(c.ID)
}

// wants reports whether a connection is one of those to choose.
func (c *Choice) wants(id int) bool {
	return slices.ContainsFunc(c.connections, func(r IDs) bool { return r.holds(id) })
}

func (r IDs) holds(id int) bool { return r.First <= id && id <= r.Last }

// Late adds a packet that came when its connection had left the table ([conn.LateModule]).
func (c *Choice) Late(l *conn.Late) bool {
	if c.wants(l.ID) {
		c.add(l.ID, chosenPacket{num: l.Seg.Num, sub: l.Sub})
	}
	return true
}

// addEarly adds the packets that came before the number was known.
func (w *watcher) addEarly(connection int) {
	for _, n := range w.early {
		w.choice.add(connection, n)
	}
	w.early = nil
}

// add adds a packet of a connection to the choice.
func (c *Choice) add(connection int, n chosenPacket) {
	if c.subflow != AllSubflows && n.sub != c.subflow {
		return
	}
	for i, r := range c.connections {
		c.found[i] = c.found[i] || r.holds(connection)
	}
	if !c.again {
		c.n++
	}
	if !c.covers(n.num) {
		c.beyond = c.beyond || n.num >= c.from
		return
	}
	at := n.num - c.from
	for uint64(len(c.chosen)) <= at/64 {
		c.chosen = append(c.chosen, 0)
	}
	c.chosen[at/64] |= 1 << (at % 64)
	c.here++
	if n.comment != "" {
		c.comment(n.num, n.comment)
	}
}

// comment adds to the comment on a packet.
func (c *Choice) comment(num uint64, text string) {
	if !c.covers(num) {
		return
	}
	if was, ok := c.comments[num]; ok {
		c.comments[num] = was + "; " + text
	} else if len(c.comments) < maxComments {
		c.comments[num] = text
	}
}

// has reports whether a packet was chosen.
func (c *Choice) has(num uint64) bool {
	at := num - c.from
	return c.covers(num) && at/64 < uint64(len(c.chosen)) && c.chosen[at/64]>>(at%64)&1 == 1
}

// covers reports whether a packet is in the window.
func (c *Choice) covers(num uint64) bool { return num >= c.from && num-c.from < c.window }

// next moves the window to the packets behind it, for another analysis. It reports whether that
// is necessary: whether packets of the connection are behind the window.
func (c *Choice) next() bool {
	if !c.beyond {
		return false
	}
	c.from += c.window
	c.chosen, c.here, c.beyond, c.again = c.chosen[:0], 0, false, true
	clear(c.comments)
	return true
}
