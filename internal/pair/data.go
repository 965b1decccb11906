package pair

import (
	"mpanalyze/internal/conn"
	"mpanalyze/internal/dss"
	"mpanalyze/internal/seq"
)

// pending is what one capture has told of a connection's data before the other
// capture did.
type pending struct {
	first, inOrder [2]runs
	lives          pendingLives
}

// pairedConn is a connection that both captures have.
type pairedConn struct {
	p       *Pair
	watches [2]*watch
	flipped bool
	at      [2]End // by side, as the sender's capture calls it
	dirs    [2]pairedData
	over    bool
}

// pairedData is one direction of its data.
type pairedData struct {
	ConnDir
	sent      runs
	delivered runs
	delivery  sampler
	doubts    []doubt       // not decided yet; bounded by maxDoubts
	to        *watch        // at the receiving host
	side      conn.Side     // that sends, as the sender's capture calls it
	copies    []reinjection // not decided yet; bounded by maxReinjections
	there     seq.Set[seq.DSN]
	lives     lives
	shift     seq.DSN // from positions of the receiving capture to those of the sending one
	aligned   bool
}

// reinjection is data that was sent on another subflow too.
type reinjection struct {
	dataRange
	link   *link // of the copy
	first  int64 // when either was first seen to arrive; 0 = not yet
	byCopy bool
}

const maxReinjections = 1 << 12

// couple makes two connections one, when their first subflow is paired.
func couple(s, r *watch, l *link) {
	if s.both != nil || r.both != nil {
		return
	}
	b := &pairedConn{p: s.p, watches: [2]*watch{s, r}, flipped: l.flipped, at: l.at}
	s.both, r.both = b, b
	for side := range b.dirs {
		d := &b.dirs[side]
		d.Delivery.ahead = b.at[side] == AtSender
		d.delivery.stride = 1
		if s.p.opt.Drift {
			d.delivery.budget = s.p.samples
		}
		from, to := b.watches[b.at[side]], b.watches[b.at[side].Other()]
		d.to, d.side = to, conn.Side(side)
		d.sent = from.waiting.first[b.own(from.end, conn.Side(side))]
		d.delivered = to.waiting.inOrder[b.own(to.end, conn.Side(side))]
		b.match(conn.Side(side), false)
	}
	if s.p.opt.Chunk != nil {
		b.join()
	}
	s.waiting, r.waiting = pending{}, pending{}
}

// own translates a side of the sender's capture into that of capture e, and
// back.
func (b *pairedConn) own(e End, s conn.Side) conn.Side {
	if e == AtReceiver && b.flipped {
		return s.Other()
	}
	return s
}

// data takes what a packet says of the data.
func (w *watch) data(p *conn.Packet) {
	if w.both == nil {
		for i := range p.Pieces {
			if x := &p.Pieces[i]; x.Kind == dss.First {
				w.waiting.first[p.From].push(newDataRun(x.Data, p.Seg.Time))
			}
		}
		for _, c := range p.InOrder {
			w.waiting.inOrder[p.From].push(newDelivered(&arrivedRun{c.Data, c.Seen, p.Seg.Time, c.Sub}))
		}
		w.waiting.lives.arrive(w.p, p)
		return
	}
	if w.p.opt.Chunk != nil {
		w.copies(p)
	}
	w.p.defers(w, p)
	if w.p.opt.Chunk != nil { // their order in tables is that of the packets
		w.p.flush()
	}
}

// learn takes what a packet said of the data.
func (w *watch) learn(n *news, pieces []piece, runs []arrivedRun) {
	b := w.both
	side := b.own(w.end, n.from)
	d := &b.dirs[side]
	if b.at[side] == w.end {
		for i := range pieces {
			d.left(b, &pieces[i], n.time, n.link)
		}
	} else {
		for i := range pieces {
			d.came(b, side, &pieces[i], n.time, n.link)
		}
		if len(runs) > 0 {
			d.inOrder(b, side, runs)
		}
	}
	if len(d.delivered.list) > d.delivered.head {
		b.match(side, false)
	}
}

// inOrder takes the runs that a packet puts in order, which come subflow by
// subflow.
func (d *pairedData) inOrder(b *pairedConn, side conn.Side, runs []arrivedRun) {
	direct := len(d.delivered.list) == d.delivered.head && d.align(b, side)
	edge := seq.DSN(0)
	for i := range runs {
		r := newDelivered(&runs[i])
		if edge = max(edge, r.End); !direct || !d.deliver(r, b.awaits(side, r.time)) {
			d.delivered.push(r)
		}
	}
	if direct && len(d.delivered.list) == d.delivered.head {
		d.sent.drop(edge + d.shift)
	}
	if b.p.opt.Chunk != nil && d.aligned {
		for _, r := range runs {
			d.lives.arrive(b.p, r, d.shift)
		}
	}
}

// left takes a piece of payload that was sent.
func (d *pairedData) left(b *pairedConn, x *piece, now int64, l *link) {
	switch x.kind {
	case dss.First:
		d.sent.push(newDataRun(x.dataRange, now))
	case dss.Reinjection:
		r := reinjection{dataRange: x.dataRange, link: l}
		if d.there.Covers(x.dataRange) {
			d.OriginalFirst += x.Len()
			r.first = 1 // its margin is not known
			return
		}
		if len(d.copies) >= maxReinjections {
			d.copies = d.copies[:copy(d.copies, d.copies[maxReinjections/2:])]
		}
		d.copies = append(d.copies, r)
	}
}

// came takes a piece of payload that arrived.
func (d *pairedData) came(b *pairedConn, side conn.Side, x *piece, now int64, l *link) {
	if !d.align(b, side) {
		return
	}
	r := dataRange{Start: x.Start + d.shift, End: x.End + d.shift}
	if x.kind == dss.First {
		d.there.Add(r)
		if d.there.Len() > maxReinjections {
			d.there.DropOldest(maxReinjections / 2)
		}
	}
	for i := 0; i < len(d.copies); i++ {
		c := &d.copies[i]
		if !c.Overlaps(r) {
			continue
		}
		if c.first == 0 {
			c.first, c.byCopy = now, c.link == l
			if n := c.Intersect(r).Len(); c.byCopy {
				d.CopyFirst += n
			} else {
				d.OriginalFirst += n
			}
			continue
		}
		if c.byCopy != (c.link == l) {
			d.Lead.Add(ms(now - c.first))
			d.copies = append(d.copies[:i], d.copies[i+1:]...)
			i--
		}
	}
}

// align finds how positions of the two captures relate: both count from the
// lowest number that they know.
func (d *pairedData) align(b *pairedConn, side conn.Side) bool {
	if d.aligned {
		return true
	}
	from, to := b.at[side], b.at[side].Other()
	x, wideX, okX := b.watches[from].conn.Spaces[b.own(from, side)].Base()
	y, wideY, okY := b.watches[to].conn.Spaces[b.own(to, side)].Base()
	if !okX || !okY {
		return false
	}
	d.shift = seq.DSN(y - x)
	if !wideX || !wideY {
		d.shift = seq.DSN(int32(uint32(y) - uint32(x)))
	}
	d.aligned = true
	return true
}

// match takes the delays of what was delivered before it was seen to be sent.
func (b *pairedConn) match(side conn.Side, last bool) {
	d := &b.dirs[side]
	if !d.align(b, side) {
		return
	}
	q := &d.delivered
	for ; q.head < len(q.list); q.head++ {
		r := q.list[q.head]
		if !d.deliver(r, !last && b.awaits(side, r.time)) {
			if !last && !b.watches[b.at[side]].ended() {
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
func (b *pairedConn) awaits(side conn.Side, t int64) bool {
	from := &b.p.ends[b.at[side]]
	if b.at[side] == AtSender {
		t -= b.p.opt.Rough
	} else {
		t += b.p.opt.Rough
	}
	return !from.ended && from.last < t+maxAhead
}

// maxAhead is by how much what is known of the clocks beforehand may be wrong,
// ns.
const maxAhead = 2e9

// deliver takes the delay of data that is in order at the receiver. It reports
// false where the data has not been seen to leave: the clocks disagree. With
// wait that goes for a part of it too, as another subflow may have been sent
// what comes behind.
func (d *pairedData) deliver(r dataRun, wait bool) bool {
	r.Start, r.End = r.Start+d.shift, r.End+d.shift
	s := &d.sent
	n := len(s.list)
	if n == s.head || s.list[n-1].End < r.End {
		return false
	}
	i := s.find(r.Start)
	if wait && !s.covers(i, r.dataRange) {
		return false
	}
	for ; i < n && s.list[i].Start < r.End; i++ {
		if n := s.list[i].Intersect(r.dataRange).Len(); n > 0 {
			s.list[i].open -= n
			r.open -= n
			d.weigh(doubt{came: r.came, sent: s.list[i].time, there: r.time, n: n})
		}
	}
	d.OneSided += r.open
	return true
}
