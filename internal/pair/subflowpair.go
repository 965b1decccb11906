package pair

import (
	"mpanalyze/internal/conn"
	"mpanalyze/internal/packet"
	"mpanalyze/internal/seq"
)

// subflowPair is a TCP connection that is in both captures.
type subflowPair struct {
	Sides    // At is valid with resolved
	pair     *Pair
	ends     [2]*endSubflow       // by capture
	resolved bool                 // it is known which capture was taken at which host
	dirs     [2]matchedSubflowDir // by the side that sends, as the sender's capture calls it
	pos      int                  // position in the list of the index
}

// join makes a pair of two subflows.
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
		l.Flipped = s.Initiator != r.Initiator
	case s.Ends[conn.A] == r.Ends[conn.A] || s.Ends[conn.B] == r.Ends[conn.B]:
	case s.Ends[conn.A] == r.Ends[conn.B] || s.Ends[conn.B] == r.Ends[conn.A]:
		l.Flipped = true
	default: // the captures begin at sequence numbers that are close to each other
		sa, _ := s.Senders[conn.A].ISN()
		ra, _ := r.Senders[conn.A].ISN()
		rb, _ := r.Senders[conn.B].ISN()
		l.Flipped = abs(int64(sa.Sub(ra))) > abs(int64(sa.Sub(rb)))
	}
}

func abs(v int64) int64 { return max(v, -v) }

// isn returns the initial sequence number of side s of the sender's capture, as
// capture e shows it, and whether it shows the SYN.
func (l *subflowPair) isn(e End, s conn.Side) (isn seq.Wire, fromSYN bool) {
	return l.ends[e].sub.Senders[l.side(e, s)].ISN()
}

// resolve finds out which capture was taken at which host, and then matches the
// held packets. With last, at the end of a subflow, it decides on the packets
// that it has.
func (l *subflowPair) resolve(last bool) {
	at, ok := l.place(last)
	if !ok {
		return
	}
	s, r := l.ends[AtSender], l.ends[AtReceiver]
	l.At = [2]End{at, at.Other()}
	l.noteHosts()
	l.resolved = true
	for side := range l.dirs {
		d := &l.dirs[side]
		d.init(l, conn.Side(side))
		for e, f := range l.ends {
			f.dirs[2*f.sub.ID+int(l.side(End(e), conn.Side(side)))].matched = d
		}
		d.NotCovered += l.ends[d.from].dropped[l.side(d.from, conn.Side(side))]
	}
	l.checkIDs()
	l.matchHeld()
	joinConns(s.endConn, r.endConn, l)
}

// checkIDs finds out, where there are no TCP timestamps, whether IP
// identifications survive the path: if they do, they are used for the first
// packets, too.
func (l *subflowPair) checkIDs() {
	type look struct {
		fingerprint [4]uint32
		ipid        uint16
	}
	sent := map[look]bool{}
	for i := range l.ends[AtSender].held {
		if h := &l.ends[AtSender].held[i]; h.length > 0 && !h.hasTimestamps() && h.ipid != 0 {
			sent[look{h.fingerprint(), h.ipid}] = true
		}
	}
	if len(sent) == 0 {
		return
	}
	for i := range l.ends[AtReceiver].held {
		if h := &l.ends[AtReceiver].held[i]; h.length > 0 && !h.hasTimestamps() && sent[look{h.fingerprint(), h.ipid}] {
			l.dirs[l.side(AtReceiver, h.from)].keptIDs++
		}
	}
}

// matchHeld matches the packets that were held, in the order of time.
func (l *subflowPair) matchHeld() {
	s, r := l.ends[AtSender].held, l.ends[AtReceiver].held
	var seg packet.Segment
	for len(s)+len(r) > 0 {
		first := &r
		if len(r) == 0 || len(s) > 0 && s[0].time <= r[0].time-l.pair.opt.RoughLead {
			first = &s
		}
		h := &(*first)[0]
		h.fill(&seg)
		l.dirs[l.side(h.at, h.from)].take(&seg, h.at, int64(h.segmentBytes), h.dataAck, h.probe)
		*first = (*first)[1:]
	}
	l.ends[AtSender].held, l.ends[AtReceiver].held = nil, nil
}

// finish decides on everything that still waits, and keeps the results.
func (l *subflowPair) finish() {
	if !l.resolved {
		l.resolve(true)
	}
	l.pair.captures[AtSender].index.remove(l)
	f := Subflow{ID: [2]SubflowID{l.ends[0].id(), l.ends[1].id()}, Sides: l.Sides, Changes: l.changes()}
	for side := range l.dirs {
		l.dirs[side].checkEarlyStop()
	}
	for side := range l.dirs {
		l.dirs[side].finish()
		f.Dirs[side] = new(l.dirs[side].SubflowDir) // a pointer into the direction would keep both connections
	}
	l.pair.subflows = append(l.pair.subflows, f)
}

// changes compares the two captures of a connection.
func (l *subflowPair) changes() (c Changes) {
	x, y := l.ends[AtSender].sub, l.ends[AtReceiver].sub
	for s := range c.Addresses {
		side := conn.Side(s)
		far := l.side(AtReceiver, side)
		c.Addresses[s] = x.Ends[side] != y.Ends[far]
		nx, fromSYN := x.Senders[side].ISN()
		ny, fromSYN2 := y.Senders[far].ISN()
		c.Sequence[s] = fromSYN && fromSYN2 && nx != ny
		// A sender knows the MSS that the SYN of the other end allows.
		mx, my := x.Senders[side.Other()].MSS(), y.Senders[far.Other()].MSS()
		c.MSS[s] = mx != 0 && my != 0 && mx != my
	}
	return c
}
