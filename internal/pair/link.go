package pair

import (
	"bytes"
	"slices"

	"mpanalyze/internal/conn"
	"mpanalyze/internal/mptcp"
	"mpanalyze/internal/packet"
)

// key is something that the same TCP connection has in both captures.
type key struct {
	kind     keyKind
	src, dst packet.Endpoint // of keyTuple, the lesser first
	a, b     uint32          // of the others: of the initiator, of its peer
}

// keyKind says what a key is made of, the most telling first.
type keyKind uint8

const (
	keyISNs   keyKind = iota // initial sequence numbers of both ends
	keyNonces                // of an MP_JOIN
	keyToken                 // of one end of the connection, for its initial subflow
	keyTuple                 // addresses and ports
	nKeys
)

// index finds the flows of one capture that have no counterpart yet.
type index struct {
	byKey  map[key]*endSubflow
	pairs  []*subflowPair // those that are open; kept with the sender's capture
	closed []*endSubflow  // closed without a counterpart, oldest first; bounded by maxGone
}

// maxGone bounds the closed connections that wait for a counterpart in the
// other capture, whose clock may lag behind.
const maxClosed = 4096

func newIndex() index { return index{byKey: map[key]*endSubflow{}} }

// add enters a flow under a key, unless another one has it.
func (x *index) add(k key, f *endSubflow) {
	if x.byKey[k] == nil {
		x.byKey[k] = f
		f.keys = append(f.keys, k)
	}
}

// drop removes a flow.
func (x *index) drop(f *endSubflow) {
	for _, k := range f.keys {
		if x.byKey[k] == f {
			delete(x.byKey, k)
		}
	}
	f.keys = nil
}

// remove takes a link that is over out of the list.
func (x *index) remove(l *subflowPair) {
	last := len(x.pairs) - 1
	x.pairs[l.pos] = x.pairs[last]
	x.pairs[l.pos].pos = l.pos
	x.pairs[last] = nil
	x.pairs = x.pairs[:last]
}

// learn notes the nonces of an MP_JOIN handshake.
func (f *endSubflow) noteNonces(s *packet.Segment) {
	mptcp.Walk(s.OtherMPTCP(), func(sub mptcp.Subtype, opt []byte) bool {
		var j mptcp.Join
		if sub == mptcp.SubJoin && mptcp.ParseJoin(opt, &j) == nil {
			switch j.Form {
			case mptcp.JoinSYN:
				f.nonces[0] = j.Nonce
			case mptcp.JoinSYNACK:
				f.nonces[1] = j.Nonce
			}
		}
		return true
	})
}

// find looks for the counterpart of a flow: when its handshake is over, and,
// where that was not captured, after a few packets.
func (p *Pair) findCounterpart(f *endSubflow, s *packet.Segment) {
	if s.Flags&packet.SYN != 0 {
		f.noteNonces(s)
		return
	}
	n := len(f.held)
	whole := f.sub.SYN != 0 && f.sub.SYNACK != 0 && f.sub.ThirdACK != 0
	switch {
	case whole && !f.lookedUp:
		f.lookedUp = true
		p.lookUp(f)
	case n >= 8 && n&(n-1) == 0:
		if p.lookUp(f); f.both == nil && n >= 16 {
			p.findEqualPacket(f)
		}
	}
}

// match looks f up in the other capture under everything that is known of it,
// and enters it for later comers where that finds nothing.
func (p *Pair) lookUp(f *endSubflow) {
	mine, other := &p.captures[f.end].index, &p.captures[f.end.Other()].index
	var keys [5]key
	list := f.keysOf(keys[:0])
	for _, k := range list {
		if o := other.byKey[k]; o != nil && o.both == nil && p.overlap(f, o, k.kind) {
			p.join(f, o)
			return
		}
	}
	for _, k := range list {
		mine.add(k, f)
	}
}

// identify lists the keys of a flow, the most telling first.
func (f *endSubflow) keysOf(keys []key) []key {
	a, synA := f.sub.Senders[f.sub.Initiator].ISN()
	b, synB := f.sub.Senders[f.sub.Initiator.Other()].ISN()
	if synA && synB {
		keys = append(keys, key{kind: keyISNs, a: uint32(a), b: uint32(b)})
	}
	if f.nonces[0] != 0 && f.nonces[1] != 0 {
		keys = append(keys, key{kind: keyNonces, a: f.nonces[0], b: f.nonces[1]})
	}
	if h := &f.conn.Hosts; !f.sub.Joined && f.sub.ID == 0 {
		if h[conn.A].HasToken {
			keys = append(keys, key{kind: keyToken, a: h[conn.A].Token})
		}
		if h[conn.B].HasToken {
			keys = append(keys, key{kind: keyToken, b: h[conn.B].Token})
		}
	}
	src, dst := f.sub.Ends[conn.A], f.sub.Ends[conn.B]
	if less(dst, src) {
		src, dst = dst, src
	}
	return append(keys, key{kind: keyTuple, src: src, dst: dst})
}

func less(a, b packet.Endpoint) bool {
	if c := bytes.Compare(a.Addr[:], b.Addr[:]); c != 0 {
		return c < 0
	}
	return a.Port < b.Port
}

// plausible guards against ports that were used again: connections of equal
// addresses must overlap in time.
func (p *Pair) overlap(f, o *endSubflow, k keyKind) bool {
	if k != keyTuple {
		return true
	}
	if f.end == AtReceiver {
		f, o = o, f
	}
	const slack = 5e9
	return f.sub.Start <= o.sub.Last()-p.opt.Rough+slack && o.sub.Start-p.opt.Rough <= f.sub.Last()+slack
}

// scan looks for a flow with an equal packet among those without a
// counterpart: behind a translator, and without the handshake, nothing else
// tells.
func (p *Pair) findEqualPacket(f *endSubflow) {
	mine := map[[4]uint32]bool{}
	for i := range f.held {
		if e := &f.held[i]; e.length > 0 {
			mine[e.fingerprint()] = true
		}
	}
	seen := map[*endSubflow]bool{}
	for _, o := range p.captures[f.end.Other()].index.byKey {
		if seen[o] || o.both != nil {
			continue
		}
		seen[o] = true
		for i := range o.held {
			if e := &o.held[i]; e.length > 0 && mine[e.fingerprint()] {
				p.join(f, o)
				return
			}
		}
	}
}

// join makes two flows one.
func (p *Pair) join(f, o *endSubflow) {
	l := &subflowPair{pair: p}
	l.ends[f.end], l.ends[o.end] = f, o
	f.both, o.both = l, l
	x := &p.captures[AtSender].index
	l.pos = len(x.pairs)
	x.pairs = append(x.pairs, l)
	for e := range l.ends {
		p.captures[e].index.drop(l.ends[e])
	}
	s, r := l.ends[AtSender].sub, l.ends[AtReceiver].sub
	switch {
	case s.SYN != 0 && r.SYN != 0:
		l.flipped = s.Initiator != r.Initiator
	case s.Ends[conn.A] == r.Ends[conn.A] || s.Ends[conn.B] == r.Ends[conn.B]:
	case s.Ends[conn.A] == r.Ends[conn.B] || s.Ends[conn.B] == r.Ends[conn.A]:
		l.flipped = true
	default:
		sa, _ := s.Senders[conn.A].ISN()
		ra, _ := r.Senders[conn.A].ISN()
		rb, _ := r.Senders[conn.B].ISN()
		l.flipped = abs(int64(sa.Sub(ra))) > abs(int64(sa.Sub(rb)))
	}
}

func abs(v int64) int64 { return max(v, -v) }

// late is the last look for a counterpart of a flow that has ended. It reports
// whether there is one.
func (p *Pair) lastLook(f *endSubflow) bool {
	p.lookUp(f)
	return f.both != nil
}

// retire keeps a closed flow without a counterpart for a while.
func (p *Pair) keepClosed(f *endSubflow) {
	x := &p.captures[f.end].index
	x.closed = slices.DeleteFunc(x.closed, func(g *endSubflow) bool { return g.both != nil })
	if x.closed = append(x.closed, f); len(x.closed) > maxClosed {
		old := x.closed[0]
		x.closed = x.closed[1:]
		old.held = nil
		x.drop(old)
		p.captures[f.end].unpaired++
	}
}
