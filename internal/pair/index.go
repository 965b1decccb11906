package pair

import (
	"bytes"
	"slices"

	"mpanalyze/internal/conn"
	"mpanalyze/internal/mptcp"
	"mpanalyze/internal/packet"
)

// key identifies a TCP connection by values that are the same in both captures.
type key struct {
	kind     keyKind
	src, dst packet.Endpoint // of keyTuple, the lesser first
	a, b     uint32          // of the other kinds: of the initiator, of its peer
}

// keyKind says what a key is made of.
type keyKind uint8

const (
	keyISNs   keyKind = iota // initial sequence numbers of both ends
	keyNonces                // of an MP_JOIN
	keyToken                 // of one end of the connection, for its initial subflow
	keyTuple                 // addresses and ports
)

// index finds the subflows of one capture that have no counterpart yet.
type index struct {
	byKey  map[key]*endSubflow
	pairs  []*subflowPair // that are not finished; kept with the sender's capture
	closed []*endSubflow  // closed without a counterpart, oldest first; bounded by maxClosed
}

// maxClosed bounds the closed subflows that wait for a counterpart in the other
// capture, whose clock may lag behind.
const maxClosed = 4096

// add enters a subflow under a key, unless another one has it.
func (x *index) add(k key, f *endSubflow) {
	if x.byKey[k] == nil {
		x.byKey[k] = f
		f.keys = append(f.keys, k)
	}
}

// drop removes a subflow.
func (x *index) drop(f *endSubflow) {
	for _, k := range f.keys {
		if x.byKey[k] == f {
			delete(x.byKey, k)
		}
	}
	f.keys = nil
}

// remove takes a finished pair out of the list.
func (x *index) remove(l *subflowPair) {
	last := len(x.pairs) - 1
	x.pairs[l.pos] = x.pairs[last]
	x.pairs[l.pos].pos = l.pos
	x.pairs[last] = nil
	x.pairs = x.pairs[:last]
}

// findCounterpart looks for the counterpart of a subflow with each packet that it
// holds: when its handshake is over and, where that was not captured, after 8,
// 16, 32 packets and so on.
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

// noteNonces notes the nonces of an MP_JOIN handshake.
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

// lookUp searches the other capture for a subflow by all its keys. If none is
// found, lookUp enters the subflow, so that later subflows find it.
func (p *Pair) lookUp(f *endSubflow) {
	own, other := &p.captures[f.end].index, &p.captures[f.end.Other()].index
	var room [5]key
	keys := f.keysOf(room[:0])
	for _, k := range keys {
		if o := other.byKey[k]; o != nil && o.both == nil && (k.kind != keyTuple || p.overlap(f, o)) {
			p.join(f, o)
			return
		}
	}
	for _, k := range keys {
		own.add(k, f)
	}
}

// keysOf lists the keys of a subflow, the most reliable ones first.
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

// overlap reports whether two subflows with the same addresses and ports overlap
// in time: ports are used again.
func (p *Pair) overlap(f, o *endSubflow) bool {
	if f.end == AtReceiver {
		f, o = o, f
	}
	const slack = 5e9
	return f.sub.Start <= o.sub.Last()-p.opt.RoughLead+slack && o.sub.Start-p.opt.RoughLead <= f.sub.Last()+slack
}

// findEqualPacket looks for a subflow with an equal packet among the subflows
// without a counterpart: behind an address translator nothing else identifies
// the subflow, if the handshake was not captured.
func (p *Pair) findEqualPacket(f *endSubflow) {
	own := map[[4]uint32]bool{}
	for i := range f.held {
		if h := &f.held[i]; h.length > 0 {
			own[h.fingerprint()] = true
		}
	}
	seen := map[*endSubflow]bool{}
	for _, o := range p.captures[f.end.Other()].index.byKey {
		if seen[o] || o.both != nil {
			continue
		}
		seen[o] = true
		for i := range o.held {
			if h := &o.held[i]; h.length > 0 && own[h.fingerprint()] {
				p.join(f, o)
				return
			}
		}
	}
}

// keepClosed keeps a closed subflow without a counterpart for a while.
func (p *Pair) keepClosed(f *endSubflow) {
	x := &p.captures[f.end].index
	x.closed = slices.DeleteFunc(x.closed, func(o *endSubflow) bool { return o.both != nil })
	if x.closed = append(x.closed, f); len(x.closed) > maxClosed {
		old := x.closed[0]
		x.closed = x.closed[1:]
		old.held = nil
		x.drop(old)
		p.captures[f.end].unpaired++
	}
}
