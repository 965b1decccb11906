package pair

import (
	"mpanalyze/internal/conn"
	"mpanalyze/internal/packet"
	"mpanalyze/internal/seq"
)

// flow is a TCP connection of one capture.
type endSubflow struct {
	*endConn
	sub      *conn.Subflow
	both     *subflowPair
	held     []heldPacket // packets until the link is resolved; bounded by maxHeld
	dropped  [2]int64     // segments with payload among older ones that were let go, by side
	keys     []key        // under which it stands in the index
	nonces   [2]uint32
	lookedUp bool // its counterpart was looked for when its handshake was over
	closed   bool
}

// maxHeld bounds the packets of a subflow that wait for its counterpart. At the
// bound the older half is let go: the other capture had not begun by then.
const maxHeld = 4096

// early takes a packet of a subflow whose counterpart, or its place, is not
// known yet.
func (w *endConn) hold(p *conn.Packet, way *subflowDir) {
	f := w.flows[p.Sub.ID]
	if len(f.held) >= maxHeld {
		f.dropOlder()
	}
	f.held = append(f.held, newHeld(p, w.end, way.half))
	if f.both == nil {
		w.pair.findCounterpart(f, p.Seg)
	}
	if f.both != nil {
		f.both.resolve(false)
	}
}

// lane returns the direction whose data side from sends; nil while the
// counterpart is not known.
func (f *endSubflow) matched(from conn.Side) *matchedDirection {
	if f.both == nil {
		return nil
	}
	return &f.both.dirs[f.both.side(f.end, from)]
}

// letGo forgets the older half of what waits.
func (f *endSubflow) dropOlder() {
	for i := range f.held[:maxHeld/2] {
		if e := &f.held[i]; e.length > 0 {
			f.dropped[e.from] += segments(int64(e.length), int64(e.unit))
		}
	}
	f.held = f.held[:copy(f.held, f.held[maxHeld/2:])]
}

// link is a TCP connection that is in both captures.
type subflowPair struct {
	pair     *Pair
	ends     [2]*endSubflow      // by capture
	flipped  bool                // the receiver's capture calls B what the sender's calls A
	resolved bool                // it is known which capture was taken at which end
	dirs     [2]matchedDirection // by the sender of the data, as the sender's capture calls it
	at       [2]End              // the capture that was taken at A, at B
	pos      int                 // in the index' list
}

// side translates a side of one capture into that of the sender's.
func (l *subflowPair) side(e End, s conn.Side) conn.Side {
	if e == AtReceiver && l.flipped {
		return s.Other()
	}
	return s
}

// half returns what capture e knows of the data that side s of the sender's
// capture sends.
func (l *subflowPair) half(e End, s conn.Side) (isn seq.Wire, fromSYN bool) {
	return l.ends[e].sub.Senders[l.side(e, s)].ISN()
}

// enough is how many packets of either capture tell which end is where, for
// want of a whole handshake.
const enough = 256

// resolve finds out which capture was taken at which end, and then matches
// what waited for it. At the end of a flow it has to be done with what there is.
func (l *subflowPair) resolve(last bool) {
	s, r := l.ends[AtSender], l.ends[AtReceiver]
	var at End
	switch ready := last || len(s.held) >= enough && len(r.held) >= enough || len(s.held) >= maxHeld || len(r.held) >= maxHeld; {
	case s.sub.ThirdACK != 0 && r.sub.ThirdACK != 0 && (l.placeByTimes(&at) || l.placeByHandshake(&at)):
	case !ready:
		return
	case l.placeByTimes(&at), l.placeByVantage(&at), l.placeByAddress(&at):
	default:
		at = l.placeByBytes()
	}
	l.at = [2]End{at, at.Other()}
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

// handshake tells the ends apart by the halves of the same handshake: the
// SYN/ACK comes late at the initiator, the third packet late at its peer.
// Clocks play no part in it. Where neither is so, a capture misses the third
// packet and shows a later one for it.
func (l *subflowPair) placeByHandshake(at *End) bool {
	lateness := func(s *conn.Subflow) int64 {
		if s.SYN == 0 || s.SYNACK == 0 {
			return 0
		}
		return (s.SYNACK - s.SYN) - (s.ThirdACK - s.SYNACK)
	}
	s, r := lateness(l.ends[AtSender].sub), lateness(l.ends[AtReceiver].sub)
	if s == 0 || r == 0 || s > 0 == (r > 0) {
		return false
	}
	*at = AtSender
	if (s < r) == (l.ends[AtSender].sub.Initiator == conn.A) {
		*at = AtReceiver
	}
	return true
}

// vantage trusts what either capture shows of its own place.
func (l *subflowPair) placeByVantage(at *End) bool {
	for e := range l.ends {
		v, _ := l.ends[e].conn.Vantage()
		if v != conn.AtA && v != conn.AtB {
			continue
		}
		*at = End(e)
		if l.side(End(e), conn.A) == conn.B != (v == conn.AtB) {
			*at = End(e).Other()
		}
		return true
	}
	return false
}

// known looks the addresses up among those of earlier subflows.
func (l *subflowPair) placeByAddress(at *End) bool {
	ends := l.ends[AtSender].sub.Ends
	a, okA := l.pair.hosts[ends[conn.A].Addr]
	b, okB := l.pair.hosts[ends[conn.B].Addr]
	if okA {
		*at = a
	} else {
		*at = b.Other()
	}
	return (okA || okB) && !(okA && okB && a == b)
}

// remember notes whose capture was taken at which address.
func (l *subflowPair) noteHosts() {
	for side, end := range l.ends[AtSender].sub.Ends {
		if _, ok := l.pair.hosts[end.Addr]; ok || len(l.pair.hosts) < maxHosts {
			l.pair.hosts[end.Addr] = l.at[side]
		}
	}
}

// deltas compares the times of equal packets of both directions: what A sends
// is earlier at A. Clocks cancel out.
func (l *subflowPair) placeByTimes(at *End) bool {
	both := l.timeDifferences()
	a, b := &both[conn.A], &both[conn.B]
	if a.n == 0 || b.n == 0 {
		return false
	}
	*at = AtSender
	if a.sum/a.n < b.sum/b.n {
		*at = AtReceiver
		a, b = b, a
	}
	// What the sender's host sends takes its delay and the lead, what it gets the
	// lead less its delay.
	l.pair.lead = a.least + (b.most-a.least)/2
	return true
}

// stampGaps are the times between two sights of the packets of one direction,
// by the receiver's capture less by the sender's, ns.
type differences struct{ n, sum, least, most int64 }

// apart compares the stamps of the packets that wait in both captures, by their
// sender.
func (l *subflowPair) timeDifferences() (out [2]differences) {
	seen := map[[4]uint32]int64{}
	for i := range l.ends[AtSender].held {
		e := &l.ends[AtSender].held[i]
		if _, ok := seen[e.fingerprint()]; !ok {
			seen[e.fingerprint()] = e.time
		}
	}
	for i := range l.ends[AtReceiver].held {
		e := &l.ends[AtReceiver].held[i]
		if t, ok := seen[e.fingerprint()]; ok {
			delete(seen, e.fingerprint())
			out[l.side(AtReceiver, e.from)].add(e.time - t)
		}
	}
	return out
}

func (g *differences) add(gap int64) {
	if g.n == 0 {
		g.least, g.most = gap, gap
	}
	g.n++
	g.sum += gap
	g.least, g.most = min(g.least, gap), max(g.most, gap)
}

// trustIDs finds out, where there are no timestamps, whether IP identifications
// survive the path: then not even the first packets are to be matched without.
func (l *subflowPair) checkIDs() {
	type look struct {
		print [4]uint32
		ipid  uint16
	}
	sent := map[look]bool{}
	for i := range l.ends[AtSender].held {
		if e := &l.ends[AtSender].held[i]; e.length > 0 && !e.stamped() && e.ipid != 0 {
			sent[look{e.fingerprint(), e.ipid}] = true
		}
	}
	if len(sent) == 0 {
		return
	}
	for i := range l.ends[AtReceiver].held {
		if e := &l.ends[AtReceiver].held[i]; e.length > 0 && !e.stamped() && sent[look{e.fingerprint(), e.ipid}] {
			l.dirs[l.side(AtReceiver, e.from)].keptIDs++
		}
	}
}

// heavier takes the sender of most data for the host of the sender's capture.
func (l *subflowPair) placeByBytes() End {
	h := &l.ends[AtSender].sub.Senders
	if h[conn.A].Bytes >= h[conn.B].Bytes {
		return AtSender
	}
	return AtReceiver
}

// replay matches the packets that were held, in the order of time.
func (l *subflowPair) matchHeld() {
	s, r := l.ends[AtSender].held, l.ends[AtReceiver].held
	var seg packet.Segment
	for len(s)+len(r) > 0 {
		first := &r
		if len(r) == 0 || len(s) > 0 && s[0].time <= r[0].time-l.pair.opt.Rough {
			first = &s
		}
		h := &(*first)[0]
		h.fill(&seg)
		l.dirs[l.side(h.at, h.from)].take(&seg, h.at, int64(h.unit), h.data, h.probe)
		*first = (*first)[1:]
	}
	l.ends[AtSender].held, l.ends[AtReceiver].held = nil, nil
}

// finish settles everything and keeps the figures.
func (l *subflowPair) finish() {
	if !l.resolved {
		l.resolve(true)
	}
	l.pair.captures[AtSender].index.remove(l)
	f := Subflow{ID: [2]SubflowID{l.ends[0].id(), l.ends[1].id()}, Flipped: l.flipped, At: l.at, Changes: l.changes()}
	for side := range l.dirs {
		l.dirs[side].noteOverrun()
	}
	for side := range l.dirs {
		l.dirs[side].finish()
		f.Dirs[side] = new(l.dirs[side].Dir) // a pointer into the lane would keep both connections
	}
	l.pair.subflows = append(l.pair.subflows, f)
}

func (f *endSubflow) id() SubflowID {
	return SubflowID{Conn: f.conn.Order, Sub: f.sub.ID, Ends: f.sub.Ends}
}
