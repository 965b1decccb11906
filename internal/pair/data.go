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
	conn      *pairedConn
	side      conn.Side // that sends, as the sender's capture calls it
	from      *observed // the capture at the sending host
	sent      runs
	delivered runs
	delivery  sampler
	doubts    []doubt          // not decided yet; bounded by maxDoubts
	to        *watch           // at the receiving host
	far       conn.Side        // that sends, as that one's capture calls it
	copies    []reinjection    // not decided yet; bounded by maxReinjections
	there     stretch[seq.DSN] // that arrived
	carriers  []carrier        // of the latest of it, in the order of arrival; bounded by maxCarriers
	lives     lives
	shift     seq.DSN // from positions of the receiving capture to those of the sending one
	aligned   bool
	chunks    bool // [Options.Chunk] wants to know of them
	plain     bool // it is aligned, and nobody wants to
}

// couple makes two connections one, when their first subflow is paired.
func couple(s, r *watch, l *link) {
	if s.both != nil || r.both != nil {
		return
	}
	b := &pairedConn{p: s.p, watches: [2]*watch{s, r}, flipped: l.flipped, at: l.at}
	s.both, r.both = b, b
	for side := range b.dirs {
		d := &b.dirs[side]
		d.conn, d.side, d.from = b, conn.Side(side), &b.p.ends[b.at[side]]
		d.Delivery.leads(b.at[side], b.p.lead)
		d.chunks, d.Delivery.byBytes = b.p.opt.Chunk != nil, true
		d.delivery.stride = 1
		if s.p.opt.Drift {
			d.delivery.budget = s.p.samples
		}
		from, to := b.watches[b.at[side]], b.watches[b.at[side].Other()]
		d.to, d.far = to, b.own(to.end, conn.Side(side))
		d.sent = from.waiting.first[b.own(from.end, conn.Side(side))]
		d.delivered = to.waiting.inOrder[b.own(to.end, conn.Side(side))]
		for _, w := range b.watches {
			w.dirs[b.own(w.end, conn.Side(side))] = d
		}
	}
	for side := range b.dirs {
		b.dirs[side].align()
		b.dirs[side].match(false)
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
	d := w.dirs[p.From&1]
	if d == nil {
		w.await(p)
		return
	}
	if !d.plain {
		d.align()
		if d.chunks {
			w.copies(p)
		}
	}
	if d.from == w.capture {
		w.leaves(d, p)
	} else {
		w.comes(d, p)
	}
	if d.delivered.some() {
		d.match(false)
	}
}

// leaves takes what a packet says where the data leaves.
func (w *watch) leaves(d *pairedData, p *conn.Packet) {
	for i := range p.Pieces {
		switch x := &p.Pieces[i]; x.Kind {
		case dss.First: // nearly all
			d.sent.push(x.Data, p.Seg.Time)
		case dss.Reinjection:
			d.again(x.Data, sendingOf(w.flows[p.Sub.ID].lane(p.From), w.end, x, x.Data.Start))
		}
	}
}

// comes takes what a packet says where the data arrives.
func (w *watch) comes(d *pairedData, p *conn.Packet) {
	now := p.Seg.Time
	if !d.aligned {
		for _, c := range p.InOrder {
			d.delivered.insert(newDelivered(c, now))
		}
		return
	}
	for i := range p.Pieces {
		x := &p.Pieces[i]
		r := dataRange{Start: x.Data.Start + d.shift, End: x.Data.End + d.shift}
		by := sendingOf(w.flows[p.Sub.ID].lane(p.From), w.end, x, r.Start)
		if x.Kind == dss.First {
			d.arrive(r, by)
		}
		if len(d.copies) > 0 {
			d.decides(r, by, now)
		}
	}
	if len(p.InOrder) > 0 {
		d.inOrder(p.InOrder, now)
	}
}

// await keeps what a packet says of the data until the other capture of its
// connection is known.
func (w *watch) await(p *conn.Packet) {
	for i := range p.Pieces {
		if x := &p.Pieces[i]; x.Kind == dss.First {
			w.waiting.first[p.From].push(x.Data, p.Seg.Time)
		}
	}
	for _, c := range p.InOrder {
		w.waiting.inOrder[p.From].insert(newDelivered(c, p.Seg.Time))
	}
	w.waiting.lives.arrive(w.p, p)
}

// inOrder takes the runs that a packet puts in order, which come subflow by
// subflow.
func (d *pairedData) inOrder(runs []*dss.Chunk, now int64) {
	direct := !d.delivered.some()
	edge := seq.DSN(0)
	for _, c := range runs {
		edge = max(edge, c.Data.End)
		if direct && d.due(c, now) {
			continue
		}
		if r := newDelivered(c, now); !direct || !d.deliver(&r, false) {
			d.delivered.insert(r)
		}
	}
	if direct && !d.delivered.some() {
		d.sent.drop(edge + d.shift)
	}
	if d.chunks {
		p := d.conn.p
		for _, c := range runs {
			d.lives.arrive(p, arrivedRun{c.Data, c.FirstSeen, now, c.Sub}, d.shift)
		}
	}
}

// due takes the delay of data that is the run behind the one found last, as it
// left, and came with a packet that shows nothing odd: nearly all data.
func (d *pairedData) due(c *dss.Chunk, now int64) bool {
	q := &d.sent
	i := q.hint + 1
	if i < q.head || i >= len(q.list) {
		return false
	}
	x := &q.list[i]
	if x.Start != c.Data.Start+d.shift || x.End != c.Data.End+d.shift || d.judge(x.time, arrivedFirst{c.FirstSeen, c.Sub}) != possible {
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
func (d *pairedData) align() {
	if !d.aligned {
		d.shift, d.aligned = d.compare()
	}
	d.plain = d.aligned && !d.chunks
}

// compare finds how positions of the two captures relate: both count from the
// lowest number that they know.
func (d *pairedData) compare() (shift seq.DSN, ok bool) {
	b := d.conn
	from, to := b.at[d.side], b.at[d.side].Other()
	x, wideX, okX := b.watches[from].conn.Spaces[b.own(from, d.side)].Base()
	y, wideY, okY := b.watches[to].conn.Spaces[b.own(to, d.side)].Base()
	if !okX || !okY {
		return 0, false
	}
	if !wideX || !wideY {
		return seq.DSN(int32(uint32(y) - uint32(x))), true
	}
	return seq.DSN(y - x), true
}

// match takes the delays of what was delivered before it was seen to be sent.
func (d *pairedData) match(last bool) {
	if !d.aligned {
		return
	}
	q := &d.delivered
	for ; q.head < len(q.list); q.head++ {
		r := q.list[q.head]
		if !d.deliver(&r, last) {
			if !last && !d.from.ended {
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
func (d *pairedData) awaits(t int64) bool {
	if d.Delivery.ahead {
		t -= d.conn.p.opt.Rough
	} else {
		t += d.conn.p.opt.Rough
	}
	return !d.from.ended && d.from.last < t+maxAhead
}

// maxAhead is by how much what is known of the clocks beforehand may be wrong,
// ns.
const maxAhead = 2e9

// deliver takes the delay of data that is in order at the receiver. It reports
// false where the data has not been seen to leave: the clocks disagree. Unless
// this is the last chance that goes for a part of it too, as another subflow
// may have been sent what comes behind.
func (d *pairedData) deliver(r *dataRun, last bool) bool {
	at := dataRange{Start: r.Start + d.shift, End: r.End + d.shift}
	s := &d.sent
	n := len(s.list)
	if n == s.head || s.list[n-1].End < at.End {
		return false
	}
	i := s.find(at.Start)
	if s.list[i].dataRange != at && !last && d.awaits(r.time) && !s.covers(i, at) {
		return false
	}
	for ; i < n && s.list[i].Start < at.End; i++ {
		if n := s.list[i].Intersect(at).Len(); n > 0 {
			s.list[i].open -= n
			r.open -= n
			d.weigh(doubt{came: r.came, sent: s.list[i].time, there: r.time, n: n})
		}
	}
	d.OneSided += r.open
	return true
}
