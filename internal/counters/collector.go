package counters

import (
	"errors"
	"net/netip"
	"strings"

	"mpanalyze/internal/conn"
	"mpanalyze/internal/dss"
	"mpanalyze/internal/mptcp"
	"mpanalyze/internal/packet"
	"mpanalyze/internal/subflow"
)

// Host says which host's counters the user wants.
type Host struct {
	Side conn.Side  // valid with Role
	Role bool       // Side says which host: the one that opens connections (A), or the one that accepts them (B)
	Addr netip.Addr // the host with this address; valid without Role
	// Neither Role nor a valid Addr: the host where the capture was taken.
}

// ErrWhose says that neither the capture nor the caller tells at which host the capture was taken.
var ErrWhose = errors.New("the capture does not tell at which host it was taken")

// Collector is a module that counts over all connections. Its memory for a connection grows only
// with the number of subflows.
type Collector struct {
	host    Host
	total   counts
	partial [shown]string // why a counter is not known; empty if it is known
	other   int           // connections that were captured at the other end
	unknown bool          // there is a connection for which it is not known at which host it was captured
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

// AtOtherEnd returns how many connections were captured at the other host. Packets of these that
// were lost on the way count as if they had arrived.
func (c *Collector) AtOtherEnd() int { return c.other }

// Counters returns the counters in the kernel's order. It fails with [ErrWhose].
func (c *Collector) Counters() (list []Counter, err error) {
	if c.unknown {
		return nil, ErrWhose
	}
	next := counter(0)
	for line := range strings.Lines(kernelList) {
		name, why, cannot := strings.Cut(strings.TrimSuffix(line, "\n"), ": ")
		out := Counter{Name: Prefix + name, Why: why}
		if !cannot {
			out.Value, out.Why = c.total[next], c.partial[next]
			next++
		}
		list = append(list, out)
	}
	return list, nil
}

// Counter is one counter.
type Counter struct {
	Name  string // as nstat writes it
	Value int64  // valid if Why is empty
	Why   string // why the capture cannot show it; empty if it can
}

// watcher counts, for both hosts, what they count for the packets of one connection.
type watcher struct {
	conn.Nop
	collector *Collector
	conn      *conn.Conn
	counts    [2]counts // by host
	subs      []subState
	ports     [2]map[uint16]bool // announced by a host; bounded by 2^16
	aborted   [2]bool            // a host aborted the connection: it has no socket of it any more
	abort     [2]int64           // when a host got the first MP_FASTCLOSE, ns; 0 = never
	doubtful  [2]bool            // a host got another one long after
	unseen    counts             // what came to a host that had no socket for it: no host counts that
	dropped   bool               // a repeated SYN came without MP_CAPABLE
	answered  bool               // the initiator sent something after the SYN/ACK
	missed    bool               // some checksum could not be computed
}

// subState is the state of a subflow.
type subState struct {
	received  [2]bool // a host received a packet other than SYN and RST
	infinite  [2]bool // an infinite mapping was sent
	third     bool    // the third packet of a join came
	thirdHMAC bool    // the HMAC of the third packet is wrong
	synHMAC   bool    // the HMAC of the SYN/ACK is wrong
	sent      bool    // the responder sent something after the third packet
	rejected  bool    // that was a RST, with which it rejects the join
	answered  bool    // the SYN was answered
	closed    bool    // the answer was a RST without MP_TCPRST: no socket listens there
	refused   bool    // the answer was a RST with MP_TCPRST
	gone      [2]bool // a host reset the subflow: it has no socket of it any more
	stateless bool    // the latest RST was sent without a socket
	opened    bool    // the initiator sent something after its SYN
	unclaimed bool    // that was a RST: it did not take the SYN/ACK
}

func (w *watcher) sub(id int) *subState {
	for len(w.subs) <= id {
		w.subs = append(w.subs, subState{})
	}
	return &w.subs[id]
}

// Packet counts a packet. The events that come before it were counted already.
func (w *watcher) Packet(p *conn.Packet) {
	s := w.sub(p.Sub.ID)
	if !p.FastPath {
		w.handshake(p, s)
		w.reset(p, s)
	}
	if p.Seg.Flags&(packet.SYN|packet.RST) == 0 {
		s.received[p.From.Other()] = true
	}
	if m := p.Mapping; m != nil && m.Infinite && p.Seg.PayloadLen > 0 && !s.infinite[p.From] {
		s.infinite[p.From] = true
		w.both(p.Sub, p.From, infiniteMapTx, infiniteMapRx)
	}
	for i := range p.Checks {
		w.missed = w.missed || p.Checks[i].Result == dss.CheckImpossible
	}
}

// handshake stores what a packet tells about the handshakes.
func (w *watcher) handshake(p *conn.Packet, s *subState) {
	flags := p.Seg.Flags & (packet.SYN | packet.ACK | packet.RST)
	if p.Sub.ID == 0 && p.From == conn.A {
		switch {
		case flags == packet.SYN && w.conn.Offers[conn.OfferSYN].Seen && !mptcp.Has(p.Seg.OtherMPTCP(), mptcp.SubCapable):
			w.dropped = true
		case flags&(packet.SYN|packet.RST) == 0:
			w.answered = true
		}
	}
	if p.From != p.Sub.Initiator && !s.answered {
		s.answered = true
		s.refused = flags&packet.RST != 0 && mptcp.Has(p.Seg.OtherMPTCP(), mptcp.SubTCPRST)
		s.closed = flags&packet.RST != 0 && !s.refused
	}
	if p.From == p.Sub.Initiator && !s.opened && flags&packet.SYN == 0 {
		s.opened, s.unclaimed = true, flags&packet.RST != 0
	}
	if s.third && !s.sent && p.From != p.Sub.Initiator && flags&packet.SYN == 0 {
		s.sent = true
		s.rejected = flags == packet.RST // sent without a socket; see countReset
		if o, _ := mptcp.ResetOf(p.Seg.OtherMPTCP()); s.rejected && !s.thirdHMAC && o.Reason == mptcp.ResetProhibited {
			w.counts[p.From][joinRejected]++
		}
	}
}

// reset stores what a RST tells about the socket of its sender. Linux sets ACK in each RST that a
// socket sends; a RST without ACK answers a packet for which there is no socket. A host that aborts
// a connection closes all its subflows at once, even where the RST of one waits in a queue.
func (w *watcher) reset(p *conn.Packet, s *subState) {
	if p.Seg.Flags&packet.RST == 0 {
		s.gone[p.From] = false // another host may have sent the RST in its name
		return
	}
	s.stateless = p.Seg.Flags&packet.ACK == 0
	if p.TCP.Sent.Stray || p.TCP.Sent.Effect == subflow.Ignored && !s.received[p.From] {
		return // it may be about an older connection with the same ports
	}
	s.gone[p.From] = true
	w.aborted[p.From] = w.aborted[p.From] || mptcp.Has(p.Seg.OtherMPTCP(), mptcp.SubFastclose)
}

// at returns the counters for what comes to a host on a subflow; s may be nil.
func (w *watcher) at(s *conn.Subflow, host conn.Side) *counts {
	if w.aborted[host] || s != nil && w.sub(s.ID).gone[host] {
		return &w.unseen
	}
	return &w.counts[host]
}

// both counts a packet on a subflow at the host that sends it and at the host that receives it.
func (w *watcher) both(s *conn.Subflow, from conn.Side, tx, rx counter) {
	w.counts[from][tx]++
	w.at(s, from.Other())[rx]++
}

// Event counts an event.
func (w *watcher) Event(e *conn.Event) {
	rx := w.at(e.Sub, e.From.Other())
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
		if w.both(e.Sub, e.From, echoAddTx, echoAdd); e.Port != 0 {
			rx[portAdd]++
		}
	case conn.EventRemoveAddr:
		w.both(e.Sub, e.From, rmAddrTx, rmAddr)
	case conn.EventPrio:
		w.both(e.Sub, e.From, prioTx, prioRx)
	case conn.EventFail:
		w.both(e.Sub, e.From, failTx, failRx)
	case conn.EventFastclose:
		if w.counts[e.From][fastcloseTx]++; e.Effective != conn.No {
			rx[fastcloseRx]++
			w.aborts(e, rx)
		}
	case conn.EventReset:
		w.countReset(e)
	case conn.EventJoinRefused: // a host that gets a SYN has no socket of the subflow yet
		if e.Sub != nil && e.From == e.Sub.Initiator && e.Reason.Known && !w.sub(e.Sub.ID).stateless {
			w.counts[e.From][rstTx]++
		}
	case conn.EventChecksum:
		rx[dataCsumErr]++
	case conn.EventHMAC:
		w.forged(e)
	}
}

// soonAfter is how long after the first MP_FASTCLOSE another one surely finds a socket, ns. Linux
// closes the other subflows in a task that it schedules then.
const soonAfter = 1e6

// aborts stores that a host got an MP_FASTCLOSE, counted in rx. Whether it still had the socket for
// one that comes later, but before the host's own RST is captured, no capture shows.
func (w *watcher) aborts(e *conn.Event, rx *counts) {
	switch to := e.From.Other(); {
	case w.abort[to] == 0:
		w.abort[to] = e.Time
	case rx != &w.unseen && e.Time-w.abort[to] > soonAfter:
		w.doubtful[to] = true
	}
}

// announce stores a port that a host announces.
func (w *watcher) announce(from conn.Side, port uint16) {
	if w.ports[from] == nil {
		w.ports[from] = map[uint16]bool{}
	}
	w.ports[from][port] = true
}

// forged stores that the HMAC of a join is wrong.
func (w *watcher) forged(e *conn.Event) {
	switch {
	case e.Sub == nil || !e.Sub.Joined || e.Address.IsValid(): // the HMAC is not of a join, or of an ADD_ADDR
	case e.From == e.Sub.Initiator:
		w.sub(e.Sub.ID).thirdHMAC = true
	default:
		w.sub(e.Sub.ID).synHMAC = true
	}
}

// countReset counts a RST with MP_TCPRST. Linux does not count one that it sends without a socket,
// as where it rejects a join. Nor does it count a RST that it receives before the subflow is fully
// established there (RFC 8684, Section 3.2).
func (w *watcher) countReset(e *conn.Event) {
	if !e.Reason.Known || e.Sub == nil {
		return
	}
	s := w.sub(e.Sub.ID)
	if !s.stateless {
		w.counts[e.From][rstTx]++
	}
	if e.Effective != conn.No && s.received[e.From.Other()] && !s.rejected {
		w.at(e.Sub, e.From.Other())[rstRx]++
	}
}
