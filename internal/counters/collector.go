package counters

import (
	"errors"
	"net/netip"

	"mpanalyze/internal/conn"
	"mpanalyze/internal/dss"
	"mpanalyze/internal/mptcp"
	"mpanalyze/internal/packet"
)

// Host says whose counters are meant.
type Host struct {
	Side conn.Side  // valid with Role
	Role bool       // the host that opens connections (A), or the one that they are opened to (B)
	Addr netip.Addr // the host with this address; valid without Role
	// Neither Role nor a valid Addr: the host where the capture was taken.
}

// ErrWhose says that the capture does not show at which host it was taken, and that the
// caller did not say so.
var ErrWhose = errors.New("the capture does not tell at which host it was taken")

// Collector is a module that counts over all connections. What it keeps of a connection
// grows with its subflows only.
type Collector struct {
	host    Host
	total   counts
	partial [shown]string // why a counter is not known after all; empty where it is
	other   int           // connections that were captured at the other end
	unknown bool          // of some connection the capture does not tell at which host it was taken
	matched int           // connections of the host
}

type counts [shown]int64

// NewCollector returns a module that counts for a host.
func NewCollector(h Host) *Collector { return &Collector{host: h} }

// Open returns the observer of a connection.
func (c *Collector) Open(to *conn.Conn) conn.Observer {
	return &watcher{collector: c, conn: to}
}

// Connections returns how many connections the host took part in.
func (c *Collector) Connections() int { return c.matched }

// AtOtherEnd returns how many connections were captured at the other host, so that what
// was lost on the way counts as if it had arrived.
func (c *Collector) AtOtherEnd() int { return c.other }

// Counters returns the counters in the kernel's order. It fails with [ErrWhose].
func (c *Collector) Counters() (list []Counter, err error) {
	if c.unknown {
		return nil, ErrWhose
	}
	for _, x := range all {
		out := Counter{Name: Prefix + x.name, Why: x.why}
		if x.c < shown {
			out.Value, out.Why = c.total[x.c], c.partial[x.c]
		}
		list = append(list, out)
	}
	return list, nil
}

// Counter is one counter.
type Counter struct {
	Name  string // as nstat writes it
	Value int64  // valid where Why is empty
	Why   string // why the capture cannot show it
}

// watcher counts what the packets of one connection make both ends count.
type watcher struct {
	conn.Nop
	collector *Collector
	conn      *conn.Conn
	counts    [2]counts // by host
	subs      []subState
	ports     [2]map[uint16]bool // announced by a host; bounded by 2^16
	dropped   bool               // a repeated SYN came without MP_CAPABLE
	answered  bool               // the initiator went on after the SYN/ACK
	missed    bool               // some checksum could not be computed
}

// subState is what is known of a subflow.
type subState struct {
	received  [2]bool // a host received a packet other than SYN and RST
	infinite  [2]bool // an infinite mapping was sent
	third     bool    // the third packet of a join came
	thirdHMAC bool    // its HMAC does not hold
	synHMAC   bool    // that of the SYN/ACK does not hold
	sent      bool    // the responder sent something after it
	rejected  bool    // with which it rejects the join
	answered  bool    // the SYN was answered
	closed    bool    // by a RST without MP_TCPRST: nothing listens there
	refused   bool    // by a RST with MP_TCPRST
}

func (w *watcher) sub(id int) *subState {
	for len(w.subs) <= id {
		w.subs = append(w.subs, subState{})
	}
	return &w.subs[id]
}

// Packet takes a packet, after the events that come before it.
func (w *watcher) Packet(p *conn.Packet) {
	s := w.sub(p.Sub.ID)
	if !p.FastPath {
		w.handshake(p, s)
	}
	if p.Seg.Flags&(packet.SYN|packet.RST) == 0 {
		s.received[p.From.Other()] = true
	}
	if m := p.Mapping; m != nil && m.Infinite && p.Seg.PayloadLen > 0 && !s.infinite[p.From] {
		s.infinite[p.From] = true
		w.both(p.From, infiniteMapTx, infiniteMapRx)
	}
	for i := range p.Checks {
		w.missed = w.missed || p.Checks[i].Result == dss.CheckImpossible
	}
}

// handshake takes what a packet says of the handshakes.
func (w *watcher) handshake(p *conn.Packet, s *subState) {
	flags := p.Seg.Flags & (packet.SYN | packet.ACK | packet.RST)
	if p.Sub.ID == 0 && p.From == conn.A {
		switch {
		case flags == packet.SYN && w.conn.Offers[conn.OfferSYN].Seen && !carries(p.Seg, mptcp.SubCapable):
			w.dropped = true
		case flags&(packet.SYN|packet.RST) == 0:
			w.answered = true
		}
	}
	if p.From != p.Sub.Initiator && !s.answered {
		s.answered = true
		s.refused = flags&packet.RST != 0 && carries(p.Seg, mptcp.SubTCPRST)
		s.closed = flags&packet.RST != 0 && !s.refused
	}
	if s.third && !s.sent && p.From != p.Sub.Initiator && flags&packet.SYN == 0 {
		s.sent = true
		s.rejected = flags == packet.RST // from no socket; see rst
		if s.rejected && !s.thirdHMAC && resetReason(p.Seg) == mptcp.ResetProhibited {
			w.counts[p.From][joinRejected]++
		}
	}
}

// carries reports whether a packet has an option of a subtype.
func carries(s *packet.Segment, want mptcp.Subtype) (found bool) {
	mptcp.Walk(s.OtherMPTCP(), func(sub mptcp.Subtype, _ []byte) bool {
		found = found || sub == want
		return !found
	})
	return found
}

// resetReason returns the reason that a RST gives.
func resetReason(s *packet.Segment) (reason mptcp.ResetReason) {
	mptcp.Walk(s.OtherMPTCP(), func(sub mptcp.Subtype, opt []byte) bool {
		var o mptcp.TCPRST
		if sub == mptcp.SubTCPRST && mptcp.ParseTCPRST(opt, &o) == nil {
			reason = o.Reason
		}
		return true
	})
	return reason
}

// both counts a packet at the host that sends it and at the one that receives it.
func (w *watcher) both(from conn.Side, tx, rx counter) {
	w.counts[from][tx]++
	w.counts[from.Other()][rx]++
}

// Event takes an event.
func (w *watcher) Event(e *conn.Event) {
	rx := &w.counts[e.From.Other()]
	switch e.Kind {
	case conn.EventJoin:
		w.sub(e.Sub.ID).third = true
	case conn.EventAddAddr:
		w.counts[e.From][addAddrTx]++
		if e.Authentic == conn.HMACInvalid {
			return
		}
		if rx[addAddr]++; e.Port != 0 {
			rx[portAdd]++
			w.announce(e.From, e.Port)
		}
	case conn.EventAddAddrEcho:
		if w.both(e.From, echoAddTx, echoAdd); e.Port != 0 {
			rx[portAdd]++
		}
	case conn.EventRemoveAddr:
		w.both(e.From, rmAddrTx, rmAddr)
	case conn.EventPrio:
		w.both(e.From, prioTx, prioRx)
	case conn.EventFail:
		w.both(e.From, failTx, failRx)
	case conn.EventFastclose:
		if w.counts[e.From][fastcloseTx]++; e.Effective != conn.No {
			rx[fastcloseRx]++
		}
	case conn.EventReset:
		w.reset(e)
	case conn.EventChecksum:
		rx[dataCsumErr]++
	case conn.EventHMAC:
		w.forged(e)
	}
}

// announce notes a port that a host announces.
func (w *watcher) announce(from conn.Side, port uint16) {
	if w.ports[from] == nil {
		w.ports[from] = map[uint16]bool{}
	}
	w.ports[from][port] = true
}

// forged notes a join whose HMAC does not hold.
func (w *watcher) forged(e *conn.Event) {
	switch {
	case e.Sub == nil || !e.Sub.Joined || e.Address.IsValid(): // of an ADD_ADDR
	case e.From == e.Sub.Initiator:
		w.sub(e.Sub.ID).thirdHMAC = true
	default:
		w.sub(e.Sub.ID).synHMAC = true
	}
}

// reset takes a RST with MP_TCPRST. A host that rejects a join sends it before it has a
// socket for the subflow, and counts nothing; so does one to which the subflow is not
// yet fully established (RFC 8684, Section 3.2) when it receives one.
func (w *watcher) reset(e *conn.Event) {
	if e.Reason == 0 || e.Sub == nil {
		return
	}
	s := w.sub(e.Sub.ID)
	if responder := e.From != e.Sub.Initiator; responder && s.rejected {
		return
	}
	w.counts[e.From][rstTx]++
	if e.Effective != conn.No && s.received[e.From.Other()] && !s.rejected {
		w.counts[e.From.Other()][rstRx]++
	}
}
