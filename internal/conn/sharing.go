package conn

import (
	"mpanalyze/internal/mptcp"
	"mpanalyze/internal/packet"
	"mpanalyze/internal/seq"
)

// Sharing gives the packets of a capture out over two tables, each of which can
// then work on its own: all subflows of a connection go to one of them. It gives
// up at the first packet of which it is not certain that one table would do with
// it, and with all connections, just what the two would do: where an orphan might
// begin, a token be ambiguous or forgotten, a bound be met, a clock be set back,
// or options be missing. From there on one table goes on ([Table.Absorb]). So
// what it knows of a flow need not be all that a table knows, only on the safe
// side. It is not safe for concurrent use.
type Sharing struct {
	routes  map[key]*route // both directions of each flow; bounded by maxShared
	cache   cache[route]
	tokens  map[uint32]*flow // by any key that a flow showed, in either version
	begun   int              // SYNs that may have begun a subflow
	packets [2]int64         // given out, by table
	given   int

	now, sweepAt int64 // as in a table, and since
	since        int
}

// maxShared bounds the subflows that are given out. It is below all bounds of a
// table: that of half-open connections, which is the lowest, leaves alone less
// than three quarters of what it is; of retired 4-tuples each subflow makes two.
const maxShared = maxHalfOpen * 3 / 4

// route is one direction of a flow.
type route struct {
	flow   *flow
	number uint16 // from 1 on, by which tables know it: see [Table.Part]
}

// flow is what a sharing knows of a 4-tuple.
type flow struct {
	table int
	last  int64 // time of its latest packet, ns
	// lost is the time of the last packet since which a table may have
	// finished the flow's connection; 0 while that cannot be.
	lost  int64
	ended bool // a FIN or RST was seen, now or of an earlier connection

	opener    packet.Endpoint // who sent the SYN
	isn       seq.Wire        // of that
	handshake handshake
	version   uint8  // of its MP_CAPABLE; valid with asked and granted
	token     uint32 // of the host that answered; valid with granted
}

// handshake is how far a flow's first handshake has come, as long as it goes
// the way that leaves no doubt which token it makes known.
type handshake uint8

const (
	doubtful handshake = iota // or none of Multipath TCP
	asked                     // the SYN carries MP_CAPABLE
	granted                   // the SYN/ACK after it does
)

// NewSharing returns a sharing at the beginning of a capture.
func NewSharing() *Sharing {
	return &Sharing{routes: make(map[key]*route), tokens: make(map[uint32]*flow)}
}

// Given is a packet that was shared out.
type Given struct {
	index uint16 // of the packet
	route uint16 // its route's number
}

// Give shares out the packets that come next in the capture: it appends each to the
// part of the table that takes it, the first one with the index from, and returns
// how many it gave out. It stops behind one with which all tables have to look for
// ended connections, as [Sharing.Tick] tells; ok is false where sharing ends before
// the next one, for good.
func (h *Sharing) Give(segs []packet.Segment, from int, parts *[2][]Given) (n int, ok bool) {
	for ok = true; n < len(segs); n++ {
		s := &segs[n]
		r := h.cache.recent(s)
		if r == nil {
			r = h.cache.recentOfAny(s)
		}
		if r == nil || s.Flags&(packet.SYN|packet.FIN|packet.RST) != 0 || s.RareLen > 0 || s.Have&(packet.OptionsCut|packet.ClockChanged) != 0 ||
			s.Time < h.now || s.Time > h.sweepAt || s.Time-r.flow.last > linger {
			if r = h.admit(s); r == nil {
				ok = false
				break
			}
		}
		f := r.flow
		f.last, h.now = s.Time, s.Time
		h.since++
		h.packets[f.table&1]++
		part := &parts[f.table&1]
		*part = append(*part, Given{uint16(from + n), r.number})
		if h.now > h.sweepAt {
			n++
			break
		}
	}
	h.given += n
	return n, ok
}

// Tick reports whether all tables are to look for ended connections after the
// latest packet, and at what time, ns.
func (h *Sharing) Tick() (now int64, due bool) {
	if h.now <= h.sweepAt {
		return 0, false
	}
	h.sweepAt, h.since = h.now+sweepEvery, 0
	return h.now, true
}

// admit is Give for whatever a packet may be; nil where it ends the sharing.
func (h *Sharing) admit(s *packet.Segment) *route {
	switch {
	case s.Time < h.now || s.Have&(packet.OptionsCut|packet.ClockChanged) != 0:
		return nil
	case s.Time > h.sweepAt && 16*(h.since+1) <= h.begun:
		return nil // whether one table would sweep depends on how many connections are open
	}
	syn := s.Flags&(packet.SYN|packet.ACK) == packet.SYN
	if syn {
		if h.begun++; h.begun >= maxShared {
			return nil
		}
	}
	k := key{s.Src, s.Dst}
	r := h.cache.find(h.routes, k, s)
	switch {
	case r == nil && !syn:
		return nil
	case r == nil:
		if r = h.open(k, s); r == nil {
			return nil
		}
	case !h.goesOn(r.flow, s, syn):
		return nil
	}
	f := r.flow
	if s.RareLen > 0 && !h.learn(f, s) {
		return nil
	}
	f.ended = f.ended || s.Flags&(packet.FIN|packet.RST) != 0
	return r
}

// open enters the flow that a SYN begins, and returns the SYN's direction; nil where
// its connection is not certain.
func (h *Sharing) open(k key, s *packet.Segment) *route {
	f := &flow{last: s.Time, opener: s.Src, isn: s.Seq}
	var join mptcp.Join
	var capable mptcp.Capable
	switch {
	case findJoin(s, &join):
		owner, ok := h.owner(&join, s.Time)
		if !ok {
			return nil
		}
		f.table = owner.table
	case findCapable(s, &capable):
		f.handshake, f.version = asked, capable.Version
		fallthrough
	default:
		if h.packets[1] < h.packets[0] {
			f.table = 1
		}
	}
	n := uint16(2 * h.begun) // of this SYN alone
	there, back := &route{f, n - 1}, &route{f, n}
	h.routes[k], h.routes[k.reverse()] = there, back
	return there
}

// owner returns the flow whose connection the SYN of a join names, if that is
// certain to be open and known by this token.
func (h *Sharing) owner(join *mptcp.Join, now int64) (*flow, bool) {
	f := h.tokens[join.Token]
	return f, join.Form == mptcp.JoinSYN && f != nil && f.handshake == granted && f.token == join.Token && !f.over(now)
}

// over reports whether a table may have finished the flow's connection: that
// takes silence, and an end of all its flows or longer silence.
func (f *flow) over(now int64) bool {
	silent := now - f.last
	return f.lost != 0 || silent > regrow || silent > linger && f.ended
}

// goesOn takes another packet of a flow, which may be a SYN; false where it ends
// the sharing.
func (h *Sharing) goesOn(f *flow, s *packet.Segment, syn bool) bool {
	if f.lost == 0 && f.over(s.Time) {
		f.lost = max(f.last, 1)
	}
	if !syn {
		f.answer(s)
		return f.lost == 0 || s.Time-f.lost < quiet // or its table has forgotten the flow, and may make an orphan of it
	}
	if f.lost != 0 || s.Seq != f.isn || s.Src != f.opener { // else it repeats the first
		f.handshake = doubtful
	}
	f.lost = 0 // a SYN brings the flow back
	var join mptcp.Join
	if !findJoin(s, &join) {
		return true
	}
	owner, ok := h.owner(&join, s.Time)
	return ok && owner.table == f.table
}

// answer follows the handshake of a flow that asked for Multipath TCP.
func (f *flow) answer(s *packet.Segment) {
	if f.handshake != asked || s.RareLen == 0 && s.Flags&packet.SYN == 0 {
		return
	}
	var o mptcp.Capable
	f.handshake = doubtful
	if s.Flags&packet.SYN != 0 && s.Src != f.opener && f.lost == 0 && findCapable(s, &o) &&
		o.Version == f.version && o.Has(mptcp.CapableHasSenderKey) {
		f.handshake, f.token = granted, mptcp.Token(o.Version, o.SenderKey)
	}
}

// learn notes the tokens of the keys in a packet; false where another flow
// showed one of them.
func (h *Sharing) learn(f *flow, s *packet.Segment) bool {
	alone := true
	own := func(k uint64) {
		for version := range uint8(2) {
			token := mptcp.Token(version, k)
			other := h.tokens[token]
			alone = alone && (other == nil || other == f)
			h.tokens[token] = f
		}
	}
	mptcp.Walk(s.RareOptions(), func(sub mptcp.Subtype, opt []byte) bool {
		var o mptcp.Capable
		if sub != mptcp.SubCapable || mptcp.ParseCapable(opt, &o) != nil {
			return true
		}
		if o.Has(mptcp.CapableHasSenderKey) {
			own(o.SenderKey)
		}
		if o.Has(mptcp.CapableHasReceiverKey) {
			if own(o.ReceiverKey); f.handshake == asked {
				f.handshake = doubtful // not the answer would make the token known
			}
		}
		return alone
	})
	return alone
}
