package pair

import (
	"mpanalyze/internal/conn"
	"mpanalyze/internal/dss"
	"mpanalyze/internal/seq"
)

// pending is what one capture has told of a connection's data before the other
// capture did.
type earlyData struct {
	sent, inOrder [2]dataQueue
	chunks        earlyChunks
}

// pairedConn is a connection that both captures have.
type connPair struct {
	pair    *Pair
	ends    [2]*endConn
	flipped bool
	at      [2]End // by side, as the sender's capture calls it
	dirs    [2]dataDirection
	over    bool
}

// pairedData is one direction of its data.
type dataDirection struct {
	ConnDir
	conn         *connPair
	side         conn.Side     // that sends, as the sender's capture calls it
	sender       *captureState // the capture at the sending host
	sent         dataQueue
	delivered    dataQueue
	delivery     sampler
	undecided    []undecidedDelay  // not decided yet; bounded by maxDoubts
	receiver     *endConn          // at the receiving host
	receiverSide conn.Side         // that sends, as that one's capture calls it
	reinjections []reinjection     // not decided yet; bounded by maxReinjections
	arrived      rangeSet[seq.DSN] // that arrived
	carriers     []carried         // of the latest of it, in the order of arrival; bounded by maxCarriers
	chunks       chunkJoin
	shift        seq.DSN // from positions of the receiving capture to those of the sending one
	aligned      bool
	wantChunks   bool // [Options.Chunk] wants to know of them
	plain        bool // it is aligned, and nobody wants to
}

// couple makes two connections one, when their first subflow is paired.
func joinConns(s, r *endConn, l *subflowPair) {
	if s.both != nil || r.both != nil {
		return
	}
	b := &connPair{pair: s.pair, ends: [2]*endConn{s, r}, flipped: l.flipped, at: l.at}
	s.both, r.both = b, b
	for side := range b.dirs {
		d := &b.dirs[side]
		d.conn, d.side, d.sender = b, conn.Side(side), &b.pair.captures[b.at[side]]
		d.Delivery.leads(b.at[side], b.pair.lead)
		d.wantChunks, d.Delivery.byBytes = b.pair.opt.Chunk != nil, true
		d.delivery.stride = 1
		if s.pair.opt.Drift {
			d.delivery.budget = s.pair.samples
		}
		from, to := b.ends[b.at[side]], b.ends[b.at[side].Other()]
		d.receiver, d.receiverSide = to, b.sideAt(to.end, conn.Side(side))
		d.sent = from.early.sent[b.sideAt(from.end, conn.Side(side))]
		d.delivered = to.early.inOrder[b.sideAt(to.end, conn.Side(side))]
		for _, w := range b.ends {
			w.data[b.sideAt(w.end, conn.Side(side))] = d
		}
	}
	for side := range b.dirs {
		b.dirs[side].align()
		b.dirs[side].matchDelivered(false)
	}
	if s.pair.opt.Chunk != nil {
		b.joinChunks()
	}
	s.early, r.early = earlyData{}, earlyData{}
}

// own translates a side of the sender's capture into that of capture e, and
// back.
func (b *connPair) sideAt(e End, s conn.Side) conn.Side {
	if e == AtReceiver && b.flipped {
		return s.Other()
	}
	return s
}

// data takes what a packet says of the data.
func (w *endConn) takeData(p *conn.Packet) {
	d := w.data[p.From&1]
	if d == nil {
		w.keepData(p)
		return
	}
	if !d.plain {
		d.align()
		if d.wantChunks {
			w.emitCopies(p)
		}
	}
	if d.sender == w.capture {
		w.takeSent(d, p)
	} else {
		w.takeArrived(d, p)
	}
	if d.delivered.some() {
		d.matchDelivered(false)
	}
}

// leaves takes what a packet says where the data leaves.
func (w *endConn) takeSent(d *dataDirection, p *conn.Packet) {
	for i := range p.Pieces {
		switch x := &p.Pieces[i]; x.Kind {
		case dss.First: // nearly all
			d.sent.push(x.Data, p.Seg.Time)
		case dss.Reinjection:
			d.noteReinjection(x.Data, copyOf(w.flows[p.Sub.ID].matched(p.From), w.end, x, x.Data.Start))
		}
	}
}

// comes takes what a packet says where the data arrives.
func (w *endConn) takeArrived(d *dataDirection, p *conn.Packet) {
	now := p.Seg.Time
	if !d.aligned {
		for _, c := range p.InOrder {
			d.delivered.insert(newDelivered(c, now))
		}
		return
	}
	for i := range p.Pieces {
		x := &p.Pieces[i]
		r := dsnRange{Start: x.Data.Start + d.shift, End: x.Data.End + d.shift}
		by := copyOf(w.flows[p.Sub.ID].matched(p.From), w.end, x, r.Start)
		if x.Kind == dss.First {
			d.noteArrival(r, by)
		}
		if len(d.reinjections) > 0 {
			d.decideReinjections(r, by, now)
		}
	}
	if len(p.InOrder) > 0 {
		d.inOrder(p.InOrder, now)
	}
}

// await keeps what a packet says of the data until the other capture of its
// connection is known.
func (w *endConn) keepData(p *conn.Packet) {
	for i := range p.Pieces {
		if x := &p.Pieces[i]; x.Kind == dss.First {
			w.early.sent[p.From].push(x.Data, p.Seg.Time)
		}
	}
	for _, c := range p.InOrder {
		w.early.inOrder[p.From].insert(newDelivered(c, p.Seg.Time))
	}
	w.early.chunks.arrive(w.pair, p)
}

// inOrder takes the runs that a packet puts in order, which come subflow by
// subflow.
func (d *dataDirection) inOrder(runs []*dss.Chunk, now int64) {
	direct := !d.delivered.some()
	edge := seq.DSN(0)
	for _, c := range runs {
		edge = max(edge, c.Data.End)
		if direct && d.deliverExpected(c, now) {
			continue
		}
		if r := newDelivered(c, now); !direct || !d.deliver(&r, false) {
			d.delivered.insert(r)
		}
	}
	if direct && !d.delivered.some() {
		d.sent.drop(edge + d.shift)
	}
	if d.wantChunks {
		p := d.conn.pair
		for _, c := range runs {
			d.chunks.arrive(p, arrivedData{c.Data, c.FirstSeen, now, c.Sub}, d.shift)
		}
	}
}

// due takes the delay of data that is the run behind the one found last, as it
// left, and came with a packet that shows nothing odd: nearly all data.
func (d *dataDirection) deliverExpected(c *dss.Chunk, now int64) bool {
	q := &d.sent
	i := q.hint + 1
	if i < q.head || i >= len(q.list) {
		return false
	}
	x := &q.list[i]
	if x.Start != c.Data.Start+d.shift || x.End != c.Data.End+d.shift || d.couldBring(x.time, firstArrival{c.FirstSeen, c.Sub}) != possible {
		return false
	}
	q.hint = i
	n := c.Data.Len()
	x.open -= n
	d.Delivery.Raw.AddWeighted(d.Delivery.raw(now-x.time), float64(n))
	d.delivery.add(now, now-x.time, n)
	return true
}

// align finds out how positions of the two captures relate, where both show it
// by now.
func (d *dataDirection) align() {
	if !d.aligned {
		d.shift, d.aligned = d.dsnShift()
	}
	d.plain = d.aligned && !d.wantChunks
}

// compare finds how positions of the two captures relate: both count from the
// lowest number that they know.
func (d *dataDirection) dsnShift() (shift seq.DSN, ok bool) {
	b := d.conn
	from, to := b.at[d.side], b.at[d.side].Other()
	x, wideX, okX := b.ends[from].conn.Spaces[b.sideAt(from, d.side)].Base()
	y, wideY, okY := b.ends[to].conn.Spaces[b.sideAt(to, d.side)].Base()
	if !okX || !okY {
		return 0, false
	}
	if !wideX || !wideY {
		return seq.DSN(int32(uint32(y) - uint32(x))), true
	}
	return seq.DSN(y - x), true
}

// match takes the delays of what was delivered before it was seen to be sent.
func (d *dataDirection) matchDelivered(last bool) {
	if !d.aligned {
		return
	}
	q := &d.delivered
	for ; q.head < len(q.list); q.head++ {
		r := q.list[q.head]
		if !d.deliver(&r, last) {
			if !last && !d.sender.ended {
				return
			}
			d.OneSided += r.open
		}
		d.sent.drop(q.list[q.head].End + d.shift)
	}
	q.list, q.head = q.list[:0], 0
}

// awaits reports whether the capture at the sending host may still show what
// was delivered at time t of the other one.
func (d *dataDirection) mayStillShow(t int64) bool {
	if d.Delivery.ahead {
		t -= d.conn.pair.opt.Rough
	} else {
		t += d.conn.pair.opt.Rough
	}
	return !d.sender.ended && d.sender.last < t+maxAhead
}

// maxAhead is by how much what is known of the clocks beforehand may be wrong,
// ns.
const maxAhead = 2e9

// deliver takes the delay of data that is in order at the receiver. It reports
// false where the data has not been seen to leave: the clocks disagree. Unless
// this is the last chance that goes for a part of it too, as another subflow
// may have been sent what comes behind.
func (d *dataDirection) deliver(r *dataPart, last bool) bool {
	at := dsnRange{Start: r.Start + d.shift, End: r.End + d.shift}
	s := &d.sent
	n := len(s.list)
	if n == s.head || s.list[n-1].End < at.End {
		return false
	}
	i := s.find(at.Start)
	if s.list[i].dsnRange != at && !last && d.mayStillShow(r.time) && !s.covers(i, at) {
		return false
	}
	for ; i < n && s.list[i].Start < at.End; i++ {
		if n := s.list[i].Intersect(at).Len(); n > 0 {
			s.list[i].open -= n
			r.open -= n
			d.delayOrDefer(undecidedDelay{first: r.first, sent: s.list[i].time, inOrder: r.time, n: n})
		}
	}
	d.OneSided += r.open
	return true
}
