package pair

import (
	"mpanalyze/internal/conn"
	"mpanalyze/internal/dss"
	"mpanalyze/internal/seq"
)

// dsnRange is a range of positions of a data sequence space.
type dsnRange = seq.Range[seq.DSN]

// connPair is a connection that both captures have.
type connPair struct {
	Sides
	pair     *Pair
	ends     [2]*endConn
	dirs     [2]matchedDataDir
	finished bool
}

// matchedDataDir is one direction of the connection's data. Positions count as
// in the capture at the sending host.
type matchedDataDir struct {
	DataDir
	pair         *Pair
	from         End       // the capture at the sending host
	side         conn.Side // the side that sends, as the sender's capture calls it
	sender       *endConn  // as the sending host's capture shows the connection
	receiver     *endConn
	senderSide   conn.Side // the side that sends, as the sending host's capture calls it
	receiverSide conn.Side
	shift        seq.DSN // from positions of the receiving capture to those of the sending one
	aligned      bool    // shift is known

	sent      dataQueue        // first transmissions
	delivered dataQueue        // in order at the receiving host, and not seen to be sent yet
	undecided []undecidedDelay // bounded by maxUndecided

	reinjections []reinjection    // not decided yet; bounded by maxReinjections
	arrived      seq.Set[seq.DSN] // data that arrived; bounded by maxRanges
	carried      []carried        // the latest arrivals, in the order of arrival; bounded by maxCarried

	chunks chunkJoin
}

// earlyData holds what one capture showed of a connection's data, by side,
// before the same connection was found in the other capture.
type earlyData struct {
	sent, delivered [2]dataQueue
	chunks          earlyChunks
}

// joinConns makes a pair of two connections when their first subflow is paired.
func joinConns(s, r *endConn, l *subflowPair) {
	if s.joint != nil || r.joint != nil {
		return
	}
	b := &connPair{pair: s.pair, ends: [2]*endConn{s, r}, Sides: l.Sides}
	s.joint, r.joint = b, b
	for side := range b.dirs {
		b.dirs[side].init(b, conn.Side(side))
	}
	for side := range b.dirs {
		b.dirs[side].align()
		b.dirs[side].matchDelivered(false)
	}
	if b.pair.opt.Chunk != nil {
		b.joinChunks()
	}
	s.early, r.early = earlyData{}, earlyData{}
}

func (d *matchedDataDir) init(b *connPair, side conn.Side) {
	d.pair, d.from, d.side = b.pair, b.At[side], side
	d.sender, d.receiver = b.ends[d.from], b.ends[d.from.Other()]
	d.senderSide, d.receiverSide = b.side(d.sender.end, side), b.side(d.receiver.end, side)
	d.Delivery = b.pair.clocks.NewDelays(d.from, b.pair.lead, true)
	d.sent, d.delivered = d.sender.early.sent[d.senderSide], d.receiver.early.delivered[d.receiverSide]
	d.sender.data[d.senderSide], d.receiver.data[d.receiverSide] = d, d
}

// finish takes the figures when the connection is over in both captures.
func (b *connPair) finish() {
	if b.finished || !b.ends[0].closed || !b.ends[1].closed {
		return
	}
	b.finished = true
	c := Conn{ID: [2]int{b.ends[0].conn.Order, b.ends[1].conn.Order}, Sides: b.Sides}
	for side := range b.dirs {
		d := &b.dirs[side]
		d.finish()
		c.Dirs[side] = new(d.DataDir) // a pointer into d would keep both connections
	}
	b.pair.conns = append(b.pair.conns, c)
}

// takeData takes a packet's data.
func (w *endConn) takeData(p *conn.Packet) {
	d := w.data[p.From&1]
	if d == nil {
		w.keepData(p)
		return
	}
	d.align()
	if w.pair.opt.Chunk != nil {
		w.emitRepeated(p)
	}
	if w == d.sender {
		d.takeSent(p)
	} else {
		d.takeArrived(p)
	}
	if d.delivered.Len() > 0 {
		d.matchDelivered(false)
	}
}

// keepData keeps a packet's data until the connection is found in the other
// capture.
func (w *endConn) keepData(p *conn.Packet) {
	for i := range p.Pieces {
		if x := &p.Pieces[i]; x.Kind == dss.First {
			w.early.sent[p.From].insert(sentData(x.Data, p.Seg.Time))
		}
	}
	for _, c := range p.InOrder {
		w.early.delivered[p.From].insert(deliveredData(c, p.Seg.Time))
	}
	w.early.chunks.arrive(w.pair, p)
}

// align finds the shift between the positions of the two captures, as soon as
// both show their lowest number: positions count from it.
func (d *matchedDataDir) align() {
	if d.aligned {
		return
	}
	x, wideX, okX := d.sender.conn.Spaces[d.senderSide].Base()
	y, wideY, okY := d.receiver.conn.Spaces[d.receiverSide].Base()
	if d.aligned = okX && okY; !d.aligned {
		return
	}
	if wideX && wideY {
		d.shift = seq.DSN(y - x)
	} else {
		d.shift = seq.DSN(int32(uint32(y) - uint32(x)))
	}
}

// takeSent takes a packet's data in the capture where the data leaves.
func (d *matchedDataDir) takeSent(p *conn.Packet) {
	for i := range p.Pieces {
		switch x := &p.Pieces[i]; x.Kind {
		case dss.First: // nearly all
			d.sent.insert(sentData(x.Data, p.Seg.Time))
		case dss.Reinjection:
			d.noteReinjection(x.Data, transmissionOf(d.sender.subflows[p.Sub.ID].matched(p.From), d.sender.end, x, x.Data.Start))
		}
	}
}

// takeArrived takes a packet's data in the capture where the data arrives.
func (d *matchedDataDir) takeArrived(p *conn.Packet) {
	now := p.Seg.Time
	if !d.aligned {
		for _, c := range p.InOrder {
			d.delivered.insert(deliveredData(c, now))
		}
		return
	}
	for i := range p.Pieces {
		x := &p.Pieces[i]
		r := dsnRange{Start: x.Data.Start + d.shift, End: x.Data.End + d.shift}
		by := transmissionOf(d.receiver.subflows[p.Sub.ID].matched(p.From), d.receiver.end, x, r.Start)
		if x.Kind == dss.First {
			d.noteArrival(r, by)
		}
		if len(d.reinjections) > 0 {
			d.decideReinjections(r, by, now)
		}
	}
	if len(p.InOrder) > 0 {
		d.takeInOrder(p.InOrder, now)
	}
}

// finish decides on everything that still waits.
func (d *matchedDataDir) finish() {
	d.align()
	d.matchDelivered(true)
	d.decideDelays()
	d.chunks.release(d.pair, len(d.chunks.waiting))
	sndUna, acked := d.sender.conn.Spaces[d.senderSide].SndUna()
	d.OneSided += d.sent.droppedOpen + d.delivered.droppedOpen
	for x := range d.sent.All() {
		if acked && x.End <= sndUna {
			d.OneSided += x.open
		}
	}
	for x := range d.delivered.All() {
		d.OneSided += x.open
	}
}
