package pair

import (
	"mpanalyze/internal/conn"
	"mpanalyze/internal/packet"
	"mpanalyze/internal/seq"
)

// flow is a TCP connection of one capture.
type flow struct {
	*watch
	sub    *conn.Subflow
	link   *link
	held   []held   // packets until the link is resolved; bounded by maxHeld
	missed [2]int64 // segments with payload among older ones that were let go, by side
	keys   []key    // under which it stands in the index
	nonces [2]uint32
	asked  bool // its counterpart was looked for when its handshake was over
	closed bool
}

// maxHeld bounds the packets of a subflow that wait for its counterpart. At the
// bound the older half is let go: the other capture had not begun by then.
const maxHeld = 4096

// early takes a packet of a subflow whose counterpart, or its place, is not
// known yet.
func (w *watch) early(p *conn.Packet, way *way) {
	f := w.flows[p.Sub.ID]
	if len(f.held) >= maxHeld {
		f.letGo()
	}
	f.held = append(f.held, hold(p, w.end, way.half))
	if f.link == nil {
		w.p.find(f, p.Seg)
	}
	if f.link != nil {
		f.link.resolve(false)
	}
}

// lane returns the direction whose data side from sends; nil while the
// counterpart is not known.
func (f *flow) lane(from conn.Side) *lane {
	if f.link == nil {
		return nil
	}
	return &f.link.lanes[f.link.side(f.end, from)]
}

// letGo forgets the older half of what waits.
func (f *flow) letGo() {
	for i := range f.held[:maxHeld/2] {
		if e := &f.held[i]; e.length > 0 {
			f.missed[e.from] += units(int64(e.length), int64(e.unit))
		}
	}
	f.held = f.held[:copy(f.held, f.held[maxHeld/2:])]
}

// link is a TCP connection that is in both captures.
type link struct {
	p        *Pair
	flows    [2]*flow // by capture
	flipped  bool     // the receiver's capture calls B what the sender's calls A
	resolved bool     // it is known which capture was taken at which end
	lanes    [2]lane  // by the sender of the data, as the sender's capture calls it
	at       [2]End   // the capture that was taken at A, at B
	place    int      // in the index' list
}

// side translates a side of one capture into that of the sender's.
func (l *link) side(e End, s conn.Side) conn.Side {
	if e == AtReceiver && l.flipped {
		return s.Other()
	}
	return s
}

// half returns what capture e knows of the data that side s of the sender's
// capture sends.
func (l *link) half(e End, s conn.Side) (isn seq.Wire, fromSYN bool) {
	return l.flows[e].sub.Senders[l.side(e, s)].ISN()
}

// enough is how many packets of either capture tell which end is where, for
// want of a whole handshake.
const enough = 256

// resolve finds out which capture was taken at which end, and then matches
// what waited for it. At the end of a flow it has to be done with what there is.
func (l *link) resolve(last bool) {
	s, r := l.flows[AtSender], l.flows[AtReceiver]
	var at End
	switch ready := last || len(s.held) >= enough && len(r.held) >= enough || len(s.held) >= maxHeld || len(r.held) >= maxHeld; {
	case s.sub.ThirdACK != 0 && r.sub.ThirdACK != 0 && (l.deltas(&at) || l.handshake(&at)):
	case !ready:
		return
	case l.deltas(&at), l.vantage(&at), l.known(&at):
	default:
		at = l.heavier()
	}
	l.at = [2]End{at, at.Other()}
	l.remember()
	l.resolved = true
	for side := range l.lanes {
		d := &l.lanes[side]
		d.init(l, conn.Side(side))
		for e, f := range l.flows {
			f.ways[2*f.sub.ID+int(l.side(End(e), conn.Side(side)))].lane = d
		}
		d.NotCovered += l.flows[d.out].missed[l.side(d.out, conn.Side(side))]
	}
	l.trustIDs()
	l.replay()
	couple(s.watch, r.watch, l)
}

// handshake tells the ends apart by the halves of the same handshake: the
// SYN/ACK comes late at the initiator, the third packet late at its peer.
// Clocks play no part in it. Where neither is so, a capture misses the third
// packet and shows a later one for it.
func (l *link) handshake(at *End) bool {
	lateness := func(s *conn.Subflow) int64 {
		if s.SYN == 0 || s.SYNACK == 0 {
			return 0
		}
		return (s.SYNACK - s.SYN) - (s.ThirdACK - s.SYNACK)
	}
	s, r := lateness(l.flows[AtSender].sub), lateness(l.flows[AtReceiver].sub)
	if s == 0 || r == 0 || s > 0 == (r > 0) {
		return false
	}
	*at = AtSender
	if (s < r) == (l.flows[AtSender].sub.Initiator == conn.A) {
		*at = AtReceiver
	}
	return true
}

// vantage trusts what either capture shows of its own place.
func (l *link) vantage(at *End) bool {
	for e := range l.flows {
		v, _ := l.flows[e].conn.Vantage()
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
func (l *link) known(at *End) bool {
	ends := l.flows[AtSender].sub.Ends
	a, okA := l.p.hosts[ends[conn.A].Addr]
	b, okB := l.p.hosts[ends[conn.B].Addr]
	if okA {
		*at = a
	} else {
		*at = b.Other()
	}
	return (okA || okB) && !(okA && okB && a == b)
}

// remember notes whose capture was taken at which address.
func (l *link) remember() {
	for side, end := range l.flows[AtSender].sub.Ends {
		if _, ok := l.p.hosts[end.Addr]; ok || len(l.p.hosts) < maxHosts {
			l.p.hosts[end.Addr] = l.at[side]
		}
	}
}

// deltas compares the times of equal packets of both directions: what A sends
// is earlier at A. Clocks cancel out.
func (l *link) deltas(at *End) bool {
	both := l.apart()
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
	l.p.lead = a.least + (b.most-a.least)/2
	return true
}

// stampGaps are the times between two sights of the packets of one direction,
// by the receiver's capture less by the sender's, ns.
type stampGaps struct{ n, sum, least, most int64 }

// apart compares the stamps of the packets that wait in both captures, by their
// sender.
func (l *link) apart() (out [2]stampGaps) {
	seen := map[[4]uint32]int64{}
	for i := range l.flows[AtSender].held {
		e := &l.flows[AtSender].held[i]
		if _, ok := seen[e.fingerprint()]; !ok {
			seen[e.fingerprint()] = e.time
		}
	}
	for i := range l.flows[AtReceiver].held {
		e := &l.flows[AtReceiver].held[i]
		if t, ok := seen[e.fingerprint()]; ok {
			delete(seen, e.fingerprint())
			out[l.side(AtReceiver, e.from)].add(e.time - t)
		}
	}
	return out
}

func (g *stampGaps) add(gap int64) {
	if g.n == 0 {
		g.least, g.most = gap, gap
	}
	g.n++
	g.sum += gap
	g.least, g.most = min(g.least, gap), max(g.most, gap)
}

// trustIDs finds out, where there are no timestamps, whether IP identifications
// survive the path: then not even the first packets are to be matched without.
func (l *link) trustIDs() {
	type look struct {
		print [4]uint32
		ipid  uint16
	}
	sent := map[look]bool{}
	for i := range l.flows[AtSender].held {
		if e := &l.flows[AtSender].held[i]; e.length > 0 && !e.stamped() && e.ipid != 0 {
			sent[look{e.fingerprint(), e.ipid}] = true
		}
	}
	if len(sent) == 0 {
		return
	}
	for i := range l.flows[AtReceiver].held {
		if e := &l.flows[AtReceiver].held[i]; e.length > 0 && !e.stamped() && sent[look{e.fingerprint(), e.ipid}] {
			l.lanes[l.side(AtReceiver, e.from)].sameID++
		}
	}
}

// heavier takes the sender of most data for the host of the sender's capture.
func (l *link) heavier() End {
	h := &l.flows[AtSender].sub.Senders
	if h[conn.A].Bytes >= h[conn.B].Bytes {
		return AtSender
	}
	return AtReceiver
}

// replay matches the packets that were held, in the order of time.
func (l *link) replay() {
	s, r := l.flows[AtSender].held, l.flows[AtReceiver].held
	var seg packet.Segment
	for len(s)+len(r) > 0 {
		first := &r
		if len(r) == 0 || len(s) > 0 && s[0].time <= r[0].time-l.p.opt.Rough {
			first = &s
		}
		h := &(*first)[0]
		h.show(&seg)
		l.lanes[l.side(h.at, h.from)].take(&seg, h.at, int64(h.unit), h.data, h.probe)
		*first = (*first)[1:]
	}
	l.flows[AtSender].held, l.flows[AtReceiver].held = nil, nil
}

// finish settles everything and keeps the figures.
func (l *link) finish() {
	if !l.resolved {
		l.resolve(true)
	}
	l.p.ends[AtSender].index.remove(l)
	f := Flow{ID: [2]FlowID{l.flows[0].id(), l.flows[1].id()}, Flipped: l.flipped, At: l.at, Changes: l.changes()}
	for side := range l.lanes {
		l.lanes[side].overrun()
	}
	for side := range l.lanes {
		l.lanes[side].finish()
		f.Dirs[side] = new(l.lanes[side].Dir) // a pointer into the lane would keep both connections
	}
	l.p.flows = append(l.p.flows, f)
}

func (f *flow) id() FlowID {
	return FlowID{Conn: f.conn.Order, Sub: f.sub.ID, Ends: f.sub.Ends}
}
