package pair

import (
	"mpanalyze/internal/conn"
	"mpanalyze/internal/dss"
	"mpanalyze/internal/seq"
)

// dataRange is a run of positions of a data sequence space.
type dataRange = seq.Range[seq.DSN]

// dataRun is a run of data and when it was first sent, or was there in order.
type dataRun struct {
	dataRange
	time int64
	open int64 // octets of it that the other capture has not shown
}

func newDataRun(r dataRange, time int64) dataRun { return dataRun{r, time, r.Len()} }

// maxRuns bounds the runs of data that wait: for the other capture of their
// connection, or for their delivery. At the bound the oldest are forgotten.
const maxRuns = 1 << 15

// runs is a queue of runs in the order of their positions.
type runs struct {
	list   []dataRun
	head   int
	hint   int   // run found last
	missed int64 // octets of runs let go that the other capture has not shown
}

func (q *runs) push(r dataRun) {
	if len(q.list)-q.head >= maxRuns {
		for _, r := range q.list[q.head : q.head+maxRuns/4] {
			q.missed += r.open
		}
		q.head += maxRuns / 4
	}
	if q.head > 64 && q.head > len(q.list)/2 {
		q.list = q.list[:copy(q.list, q.list[q.head:])]
		q.head = 0
	}
	q.list = append(q.list, r)
	// Subflows are captured as they are sent, so runs come nearly in order.
	for i := len(q.list) - 1; i > q.head && q.list[i-1].Start > r.Start; i-- {
		q.list[i], q.list[i-1] = q.list[i-1], q.list[i]
	}
}

// pending is what one capture has told of a connection's data before the other
// capture did.
type pending struct{ first, inOrder [2]runs }

// couple is a connection that both captures have.
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
	delays    batch         // of Delivery, and their weights
	copies    []reinjection // not decided yet; bounded by maxReinjections
	there     seq.Set[seq.DSN]
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
		d.sent = from.waiting.first[b.own(from.end, conn.Side(side))]
		d.delivered = to.waiting.inOrder[b.own(to.end, conn.Side(side))]
		b.match(conn.Side(side))
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
			w.waiting.inOrder[p.From].push(newDataRun(c.Data, p.Seg.Time))
		}
		return
	}
	b := w.both
	side := b.own(w.end, p.From)
	d := &b.dirs[side]
	if b.at[side] == w.end {
		for i := range p.Pieces {
			d.left(b, &p.Pieces[i], p.Seg.Time, w.flows[p.Sub.ID].link)
		}
	} else {
		for i := range p.Pieces {
			d.came(b, side, &p.Pieces[i], p.Seg.Time, w.flows[p.Sub.ID].link)
		}
		d.inOrder(b, side, p)
	}
	if len(d.delivered.list) > d.delivered.head {
		b.match(side)
	}
}

// inOrder takes the chunks that a packet puts in order, which come subflow by
// subflow.
func (d *pairedData) inOrder(b *pairedConn, side conn.Side, p *conn.Packet) {
	direct := len(d.delivered.list) == d.delivered.head && d.align(b, side)
	edge := seq.DSN(0)
	for _, c := range p.InOrder {
		r := newDataRun(c.Data, p.Seg.Time)
		if edge = max(edge, c.Data.End); !direct || !d.deliver(r) {
			d.delivered.push(r)
		}
	}
	if direct && len(p.InOrder) > 0 && len(d.delivered.list) == d.delivered.head {
		d.sent.drop(edge + d.shift)
	}
}

// left takes a piece of payload that was sent.
func (d *pairedData) left(b *pairedConn, x *dss.Piece, now int64, l *link) {
	switch x.Kind {
	case dss.First:
		d.sent.push(newDataRun(x.Data, now))
	case dss.Reinjection:
		r := reinjection{dataRange: x.Data, link: l}
		if d.there.Covers(x.Data) {
			d.OriginalFirst += x.Data.Len()
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
func (d *pairedData) came(b *pairedConn, side conn.Side, x *dss.Piece, now int64, l *link) {
	if !d.align(b, side) {
		return
	}
	r := dataRange{Start: x.Data.Start + d.shift, End: x.Data.End + d.shift}
	if x.Kind == dss.First {
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
func (b *pairedConn) match(side conn.Side) {
	d := &b.dirs[side]
	if !d.align(b, side) {
		return
	}
	q := &d.delivered
	for ; q.head < len(q.list); q.head++ {
		r := q.list[q.head]
		if !d.deliver(r) {
			if !b.watches[b.at[side]].ended() {
				return
			}
			d.OneSided += r.open
		}
		d.sent.drop(q.list[q.head].End + d.shift)
	}
	q.list, q.head = q.list[:0], 0
}

// deliver takes the delay of data that is in order at the receiver. It reports
// false where the data has not been seen to leave: the clocks disagree.
func (d *pairedData) deliver(r dataRun) bool {
	r.Start, r.End = r.Start+d.shift, r.End+d.shift
	s := &d.sent
	n := len(s.list)
	if n == s.head || s.list[n-1].End < r.End {
		return false
	}
	for i := s.find(r.Start); i < n && s.list[i].Start < r.End; i++ {
		if n := s.list[i].Intersect(r.dataRange).Len(); n > 0 {
			s.list[i].open -= n
			r.open -= n
			delay := r.time - s.list[i].time
			row, full := d.delays.row()
			if row[0], row[1] = ms(delay), float64(n); full {
				d.delays.enter(1, &d.Delivery.Raw)
			}
			d.delivery.add(r.time, delay, n)
		}
	}
	d.OneSided += r.open
	return true
}

// find returns the index of the first run that ends above p.
func (q *runs) find(p seq.DSN) int {
	lo, hi := q.head, len(q.list)
	if i := q.hint + 1; i > lo && i < hi && q.list[i].Start == p { // the run behind the last one found
		q.hint = i
		return i
	}
	for lo < hi {
		mid := int(uint(lo+hi) >> 1)
		if q.list[mid].End <= p {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	q.hint = lo
	return lo
}

// drop forgets the runs below p.
func (q *runs) drop(p seq.DSN) {
	for q.head < len(q.list) && q.list[q.head].End <= p {
		q.missed += q.list[q.head].open
		q.head++
	}
}

func (w *watch) ended() bool { return w.p.ends[w.end].ended }

// closed notes that one capture's connection is over.
func (b *pairedConn) closed(w *watch) {
	b.watches[w.end].over = true
	if b.over || !b.watches[0].over || !b.watches[1].over {
		return
	}
	b.over = true
	c := Conn{ID: [2]int{b.watches[0].conn.Seq, b.watches[1].conn.Seq}, Flipped: b.flipped, At: b.at}
	for side := range b.dirs {
		d := &b.dirs[side]
		d.OneSided += d.oneSided(b.watches[b.at[side]].conn.Spaces[b.own(b.at[side], conn.Side(side))].Ack())
		d.delays.enter(1, &d.Delivery.Raw)
		d.Delivery.samples = d.delivery.list
		c.Dirs[side] = new(d.ConnDir) // a pointer into d would keep both connections
	}
	b.p.conns = append(b.p.conns, c)
}

// oneSided returns the octets that one capture alone shows, of runs that were
// let go or are still here: what was sent and DATA_ACKed, up to ack, and what
// was delivered.
func (d *pairedData) oneSided(ack seq.DSN, acked bool) int64 {
	n := d.sent.missed + d.delivered.missed
	for _, r := range d.sent.list[d.sent.head:] {
		if acked && r.End <= ack {
			n += r.open
		}
	}
	for _, r := range d.delivered.list[d.delivered.head:] {
		n += r.open
	}
	return n
}
