package evidence

import (
	"math"
	"slices"

	"mpanalyze/internal/conn"
	"mpanalyze/internal/hosts"
	"mpanalyze/internal/packet"
)

// joinedTCP is a subflow, or a connection of plain TCP, of which records have sockets.
type joinedTCP struct {
	start int64       // time of its first packet, ns since the Unix epoch
	sides [2]*aligned // by side; nil for none
	of    *joinedConn
	id    int
	path  string
}

// joinedConn is a connection of which records have sockets.
type joinedConn struct {
	id        int
	multipath bool
	start     int64      // ns since the Unix epoch
	here      [2]bool    // the capture was taken at this host
	mptcp     [2]*socket // by side; nil for none
}

// aligned is a socket beside the subflow that it joined.
type aligned struct {
	socket    *socket
	from      conn.Side
	whole     bool // the SYN was captured, so that positions are true
	here      bool // the capture was taken at this host
	spans     []span
	now       [numCounters]int64
	next      [numCounters]int // the first kept row whose value the packets have not passed
	hits      int64            // rows that have a counter above 1 equal to that of the packets
	could     int64            // rows that have a counter above 1
	disproved uint8            // by checked: the packets contradict the field
}

// span is the time in which the counters of the packets had the values of a row.
type span struct {
	lo, hi  int64 // ns since the Unix epoch
	equal   uint8 // by counter: the packets had this value
	srtt    float32
	flight  float32 // bytes
	packets [numCounters]int64
}

// Module returns what observes the connections of a table.
func (x *Records) Module(path func(*conn.Subflow) string) conn.Module { return &module{x, path} }

type module struct {
	records *Records
	path    func(*conn.Subflow) string
}

// Open implements [conn.Module].
func (m *module) Open(c *conn.Conn) conn.Observer {
	return &watch{module: m, c: c, subs: map[*conn.Subflow][]*aligned{}}
}

// watch observes a connection.
type watch struct {
	conn.Nop
	*module
	c    *conn.Conn
	subs map[*conn.Subflow][]*aligned // bounded by the subflows of the connection
}

// sides are both sides of a connection.
var sides = [2]conn.Side{conn.A, conn.B}

// Subflow looks for the sockets of a subflow.
func (w *watch) Subflow(s *conn.Subflow) {
	if w.subs[s] != nil {
		return
	}
	for _, side := range sides {
		for _, h := range w.records.hosts {
			for _, socket := range h.tcp[endsOf(s).of(int(side))] {
				if socket.joined {
					continue
				}
				a := &aligned{socket: socket, from: side, spans: make([]span, len(socket.kept))}
				for i := range a.spans {
					a.spans[i].lo, a.spans[i].hi = math.MinInt64, math.MaxInt64
				}
				for k := range numCounters {
					a.open(s, k, math.MinInt64) // rows from before the first packet
				}
				w.subs[s] = append(w.subs[s], a)
			}
		}
	}
}

// endsOf returns the ends of a subflow, A first.
func endsOf(s *conn.Subflow) pair { return pair{s.Ends[conn.A].AddrPort(), s.Ends[conn.B].AddrPort()} }

// Packet brings the counters of the packets up to date.
func (w *watch) Packet(p *conn.Packet) {
	for _, a := range w.subs[p.Sub] {
		a.packet(p.Sub, packet.Unix(p.Seg.Time))
	}
}

// packet brings the counters up to date.
func (a *aligned) packet(s *conn.Subflow, now int64) {
	snd, peer := &s.Senders[a.from], &s.Senders[a.from.Other()]
	acked := int64(snd.SndUna())
	if s.Initiator != a.from {
		acked--
	}
	values := [numCounters]int64{snd.Bytes, snd.Segments, max(acked, 0), max(int64(peer.InOrder())-1, 0)}
	before, rows := a.now, a.socket.kept
	for k, v := range values {
		for v != before[k] && a.next[k] < len(rows) && rows[a.next[k]].v[k] < v { // rows whose value the packets pass
			if x := &a.spans[a.next[k]]; rows[a.next[k]].v[k] == before[k] {
				x.hi = min(x.hi, now)
				x.equal |= 1 << k
			}
			a.next[k]++
		}
	}
	a.now = values
	for k, v := range values {
		if v != before[k] {
			a.open(s, counter(k), now)
		}
	}
}

// open begins the spans of rows whose value of a counter the packets have now.
func (a *aligned) open(s *conn.Subflow, k counter, now int64) {
	snd, rows := &s.Senders[a.from], a.socket.kept
	for i := a.next[k]; i < len(rows) && rows[i].v[k] == a.now[k]; i++ {
		x := &a.spans[i]
		if x.equal&(1<<k) != 0 {
			continue
		}
		x.equal |= 1 << k
		x.lo = max(x.lo, now)
		x.srtt, x.flight, x.packets = float32(snd.RTT.SRTT/1e6), float32(snd.InFlight()), a.now
	}
}

// Close joins the sockets.
func (w *watch) Close(int64) {
	c := w.c
	of := &joinedConn{id: c.ID, multipath: c.Kind == conn.Multipath, start: packet.Unix(c.Start)}
	vantage, _ := c.Vantage()
	of.here = [2]bool{vantage == conn.AtA, vantage == conn.AtB}
	found := make([]*joinedTCP, len(c.Subflows))
	for i, s := range c.Subflows {
		found[i] = &joinedTCP{start: packet.Unix(s.Start), of: of, id: s.ID, path: w.path(s)}
		w.choose(found[i], s, of)
	}
	for _, side := range sides {
		of.mptcp[side] = w.connection(side, of.here[side], found)
	}
	if of.mptcp == [2]*socket{} && !slices.ContainsFunc(found, func(j *joinedTCP) bool { return j.sides != [2]*aligned{} }) {
		return
	}
	w.records.conns++
	for i, s := range c.Subflows {
		w.records.joined[endsOf(s)] = append(w.records.joined[endsOf(s)], found[i])
	}
}

// choose chooses the socket of each side: the one whose counters fit best. A socket whose
// counters never fit is of another connection with the same ends.
func (w *watch) choose(j *joinedTCP, s *conn.Subflow, of *joinedConn) {
	for _, a := range w.subs[s] {
		if a.socket.joined {
			continue
		}
		_, a.whole = s.Senders[a.from].ISN()
		a.here = of.here[a.from]
		for i := range a.spans {
			could, hit := a.proven(i, numFields)
			a.could, a.hits = a.could+one(could), a.hits+one(hit)
		}
		if a.whole && a.could > 0 && a.hits == 0 {
			continue
		}
		if best := j.sides[a.from]; best == nil || a.hits > best.hits {
			j.sides[a.from] = a
		}
	}
	for side, a := range j.sides {
		if a != nil {
			a.socket.join(conn.Side(side), a.here)
			a.socket.of.aligned = append(a.socket.of.aligned, a)
			a.dropStill()
			w.conflicts(a, s)
		}
	}
}

// proven reports whether a row has a counter above 1 other than but, and whether the packets had such a value.
func (a *aligned) proven(i int, but checked) (could, hit bool) {
	for k := range numCounters {
		if k != but && a.socket.kept[i].v[k] > 1 {
			could, hit = true, hit || a.spans[i].equal&(1<<k) != 0
		}
	}
	return could, hit
}

// connection returns the socket of Multipath TCP of a side: by token, else by the inode of the
// sockets of its subflows, else by the ends of the first subflow, unless its token is that of another connection.
// It is nil if there is none.
func (w *watch) connection(side conn.Side, here bool, subs []*joinedTCP) (found *socket) {
	c, t := w.c, &w.c.Hosts[side]
	try := func(s *socket) bool { // whether there is a socket and it has not joined
		if s == nil || s.joined {
			return false
		}
		found = s.join(side, here)
		return true
	}
	for _, h := range w.records.hosts {
		if t.HasToken {
			text := hosts.TokenText(t.Token)
			if _, asked := h.tokens[text]; asked {
				h.tokens[text] = true
			}
			if try(h.mptcp[t.Token]) {
				return found
			}
		}
		for _, j := range subs {
			a := j.sides[side]
			if a == nil || a.socket.of != h {
				continue
			}
			byInode := func(s *socket) bool { return s.inode == a.socket.inode && s.inode != 0 }
			if a.socket.hasToken && try(h.mptcp[a.socket.token]) || try(h.find(byInode)) {
				return found
			}
		}
		if len(c.Subflows) > 0 {
			ends := endsOf(c.Subflows[0]).of(int(side))
			s := h.find(func(s *socket) bool { return s.ends == ends && ends.local.IsValid() })
			if s != nil && (!s.hasToken || !t.HasToken || s.token == t.Token) && try(s) {
				return found
			}
		}
	}
	return nil
}

func (s *socket) join(side conn.Side, here bool) *socket {
	s.joined = true
	s.of.here = s.of.here || here
	s.of.sides[side]++
	return s
}

// find returns a socket of Multipath TCP; of several the one with the most rows.
func (h *host) find(fits func(*socket) bool) (found *socket) {
	for _, s := range h.sockets {
		if s.mptcp && fits(s) && (found == nil || s.rows > found.rows || s.rows == found.rows && s.hasToken && (!found.hasToken || s.token < found.token)) {
			found = s
		}
	}
	return found
}
