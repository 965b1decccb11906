package pair

import (
	"mpanalyze/internal/conn"
	"mpanalyze/internal/dss"
	"mpanalyze/internal/seq"
)

// Chunk is the life of a part of a sent packet under one mapping, at both
// hosts. Times are by the clocks of their captures, ns; 0 = not seen.
type Chunk struct {
	dss.Chunk               // as the capture at the sending host shows it: FirstSeen is when it left
	Kind      dss.PieceKind // of any kind other than First, only the sending is known
	Sub       *conn.Subflow // in the sender's capture
	From      conn.Side     // as the sender's capture calls it
	Arrived   int64         // when its last byte first arrived
	Delivered int64         // when every byte up to its end had arrived
}

// arrivedData is data that came in order at the receiving host.
type arrivedData struct {
	dsnRange
	arrived, delivered int64
}

// chunkJoin combines what the two captures show of the chunks of one direction.
type chunkJoin struct {
	arrivals []arrivedData // in the order of delivery; bounded by maxChunks
	waiting  []Chunk       // ended at the sending host, and the other capture has not shown them in order yet; bounded by maxChunks
}

// maxChunks bounds the data that waits for the other capture. At the bound the
// older half is handed out without arrivals, or dropped.
const maxChunks = 1 << 14

// earlyChunks holds what one capture showed of chunks before the other
// capture's view of the connection was found.
type earlyChunks struct {
	sent     []unpairedChunk  // bounded by maxChunks
	arrivals [2][]arrivedData // by side; bounded by maxChunks
}

type unpairedChunk struct {
	sub   *conn.Subflow
	from  conn.Side
	chunk dss.Chunk
}

// chunkObserver is an endConn that takes chunks, too. Without [Options.Chunk] a
// plain endConn saves package conn the work of reporting them.
type chunkObserver struct{ *endConn }

// Settled takes chunks whose lives at the sending host are over.
func (w chunkObserver) Settled(s *conn.Subflow, from conn.Side, run []dss.Chunk) {
	for i := range run {
		if w.joint != nil {
			w.takeChunk(s, from, &run[i])
			continue
		}
		early := &w.early.chunks
		if len(early.sent) >= maxChunks {
			w.emitAlone()
		}
		early.sent = append(early.sent, unpairedChunk{s, from, run[i]})
	}
}

// takeChunk takes a chunk whose life is over where it was sent.
func (w *endConn) takeChunk(s *conn.Subflow, from conn.Side, c *dss.Chunk) {
	d := w.data[from&1]
	if both := w.subflows[s.ID].both; w == d.sender && both != nil {
		d.chunks.take(w.pair, &Chunk{Chunk: *c, Kind: dss.First, Sub: both.ends[AtSender].sub, From: d.side})
	}
}

// emitRepeated hands out the parts of a packet whose data was sent before.
func (w *endConn) emitRepeated(p *conn.Packet) {
	d := w.data[p.From&1]
	both := w.subflows[p.Sub.ID].both
	if w != d.sender || both == nil {
		return
	}
	for i := range p.Pieces {
		x := &p.Pieces[i]
		if x.Kind != dss.First {
			w.pair.opt.Chunk(&Chunk{
				Chunk: dss.Chunk{Data: x.Data, SSN: x.SSN, Packet: x.Packet, FirstSeen: x.Time},
				Kind:  x.Kind, Sub: both.ends[AtSender].sub, From: d.side,
			})
		}
	}
}

// arrive keeps the data that a packet completes in order.
func (e *earlyChunks) arrive(p *Pair, pkt *conn.Packet) {
	if p.opt.Chunk == nil {
		return
	}
	list := &e.arrivals[pkt.From]
	for _, c := range pkt.InOrder {
		if len(*list) >= maxChunks {
			*list = (*list)[:copy(*list, (*list)[maxChunks/2:])]
		}
		*list = append(*list, arrivedData{c.Data, c.FirstSeen, pkt.Seg.Time})
	}
}

// joinChunks takes what both captures showed of chunks before they were known
// to show the same connection.
func (b *connPair) joinChunks() {
	for side := range b.dirs {
		if d := &b.dirs[side]; d.aligned {
			for _, r := range d.receiver.early.chunks.arrivals[d.receiverSide] {
				d.chunks.arrive(b.pair, r, d.shift)
			}
		}
	}
	for _, w := range b.ends {
		for i := range w.early.chunks.sent {
			c := &w.early.chunks.sent[i]
			w.takeChunk(c.sub, c.from, &c.chunk)
		}
	}
}

// emitAlone hands out the chunks that wait for the other capture, without their
// arrival.
func (w *endConn) emitAlone() {
	early := &w.early.chunks
	if w.end == AtSender && w.pair.opt.Alone != nil {
		for i := range early.sent {
			c := &early.sent[i]
			w.pair.opt.Alone(c.sub, c.from, &c.chunk)
		}
	}
	early.sent = early.sent[:0]
}

// arrive takes data that is in order at the receiving host, and hands out the
// chunks that waited for it.
func (j *chunkJoin) arrive(p *Pair, r arrivedData, shift seq.DSN) {
	if len(j.arrivals) >= maxChunks {
		j.arrivals = j.arrivals[:copy(j.arrivals, j.arrivals[maxChunks/2:])]
	}
	r.Start, r.End = r.Start+shift, r.End+shift
	j.arrivals = append(j.arrivals, r)
	keep := j.waiting[:0]
	for i := range j.waiting {
		if c := &j.waiting[i]; r.Contains(c.Data.End - 1) {
			c.Arrived, c.Delivered = r.arrived, r.delivered
			p.opt.Chunk(c)
		} else {
			keep = append(keep, *c)
		}
	}
	j.waiting = keep
}

// take takes a chunk whose life at the sending host is over.
func (j *chunkJoin) take(p *Pair, c *Chunk) {
	for i := range j.arrivals {
		if r := &j.arrivals[i]; r.Contains(c.Data.End - 1) {
			c.Arrived, c.Delivered = r.arrived, r.delivered
			if r.End == c.Data.End { // no later chunk ends in it
				j.arrivals = append(j.arrivals[:i], j.arrivals[i+1:]...)
			}
			p.opt.Chunk(c)
			return
		}
	}
	if len(j.waiting) >= maxChunks {
		j.release(p, maxChunks/2)
	}
	j.waiting = append(j.waiting, *c)
}

// release hands out the n oldest chunks that wait, without their arrival.
func (j *chunkJoin) release(p *Pair, n int) {
	for i := range j.waiting[:n] {
		p.opt.Chunk(&j.waiting[i])
	}
	j.waiting = j.waiting[:copy(j.waiting, j.waiting[n:])]
}
