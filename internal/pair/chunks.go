package pair

import (
	"mpanalyze/internal/conn"
	"mpanalyze/internal/dss"
	"mpanalyze/internal/seq"
)

// Chunk is the life of a part of a sent packet under one mapping, at both
// hosts. Times are by the clocks of their captures, ns; 0 = not seen.
type Chunk struct {
	dss.Chunk               // as the capture at the sending host shows it: Seen is when it left
	Kind      dss.PieceKind // of copies nothing but their sending is known
	Sub       *conn.Subflow // in the sender's capture
	From      conn.Side     // as the sender's capture calls it
	Arrived   int64         // its last octet, for the first time
	Delivered int64         // every octet up to it was there
}

// arrivedRun is data that came in order at the receiving host.
type arrivedData struct {
	dsnRange
	arrived, delivered int64
	sub                int32 // that it arrived on first
}

// lives joins what both captures tell of the chunks of one direction.
type chunkJoin struct {
	arrivals []arrivedData // in the order of delivery; bounded by maxLives
	settled  []Chunk       // whose data the other capture has not shown in order yet; bounded by maxLives
}

// maxLives bounds what waits for the other capture. At the bound the older half
// is let go, and its chunks have no arrival.
const maxChunks = 1 << 14

// Joined reports whether chunks of a connection are handed to [Options.Chunk],
// which is from when its counterpart is known.
func (p *Pair) Joined(c *conn.Conn) bool { return p.joined[c] }

// biographer is a watch that is told of chunks, which costs where nobody asks
// for them.
type chunkObserver struct{ *endConn }

// Settled takes the ends of chunks' lives.
func (w chunkObserver) Settled(s *conn.Subflow, from conn.Side, run []dss.Chunk) {
	for i := range run {
		if w.both != nil {
			w.chunkSettled(s, from, &run[i])
			continue
		}
		l := &w.early.chunks
		if len(l.settled) >= maxChunks {
			w.emitAlone()
		}
		l.settled = append(l.settled, unpairedChunk{s, from, run[i]})
	}
}

// settle takes the end of a chunk's life where it was sent.
func (w *endConn) chunkSettled(s *conn.Subflow, from conn.Side, k *dss.Chunk) {
	b, side := w.both, w.both.sideAt(w.end, from)
	if l := w.flows[s.ID].both; b.at[side] == w.end && l != nil {
		b.dirs[side].chunks.settle(w.pair, &Chunk{Chunk: *k, Kind: dss.First, Sub: l.ends[AtSender].sub, From: side})
	}
}

// pendingLives is what one capture has told of chunks before the other capture
// of their connection was known.
type earlyChunks struct {
	settled  []unpairedChunk  // bounded by maxLives
	arrivals [2][]arrivedData // by side; bounded by maxLives
}

type unpairedChunk struct {
	sub   *conn.Subflow
	from  conn.Side
	chunk dss.Chunk
}

func (l *earlyChunks) arrive(p *Pair, pkt *conn.Packet) {
	if p.opt.Chunk == nil {
		return
	}
	list := &l.arrivals[pkt.From]
	for _, c := range pkt.InOrder {
		if len(*list) >= maxChunks {
			*list = (*list)[:copy(*list, (*list)[maxChunks/2:])]
		}
		*list = append(*list, arrivedData{c.Data, c.FirstSeen, pkt.Seg.Time, c.Sub})
	}
}

// join takes what both captures told of chunks before their connections were
// known to be one.
func (b *connPair) joinChunks() {
	for _, w := range b.ends {
		b.pair.joined[w.conn] = true
		for side := range b.dirs {
			d := &b.dirs[side]
			if b.at[side] == w.end || !d.aligned {
				continue
			}
			for _, r := range w.early.chunks.arrivals[b.sideAt(w.end, conn.Side(side))] {
				d.chunks.arrive(b.pair, r, d.shift)
			}
		}
	}
	for _, w := range b.ends {
		for i := range w.early.chunks.settled {
			c := &w.early.chunks.settled[i]
			w.chunkSettled(c.sub, c.from, &c.chunk)
		}
	}
}

// abandoned reports whether no flow of a connection that is over has a
// counterpart any more.
func (w *endConn) neverPaired() bool {
	for _, f := range w.flows {
		if f.both != nil {
			return false
		}
	}
	return true
}

// alone hands out the chunks that wait for the other capture without it.
func (w *endConn) emitAlone() {
	l := &w.early.chunks
	if w.end == AtSender && w.pair.opt.Alone != nil {
		for i := range l.settled {
			c := &l.settled[i]
			w.pair.opt.Alone(c.sub, c.from, &c.chunk)
		}
	}
	l.settled = l.settled[:0]
}

// copies hands out the chunks of a packet that were sent before.
func (w *endConn) emitCopies(p *conn.Packet) {
	b, side := w.both, w.both.sideAt(w.end, p.From)
	l := w.flows[p.Sub.ID].both
	if b.at[side] != w.end || l == nil {
		return
	}
	for i := range p.Pieces {
		x := &p.Pieces[i]
		if x.Kind != dss.First {
			w.pair.opt.Chunk(&Chunk{
				Chunk: dss.Chunk{Data: x.Data, SSN: x.SSN, Packet: x.Packet, FirstSeen: x.Time},
				Kind:  x.Kind, Sub: l.ends[AtSender].sub, From: side,
			})
		}
	}
}

// arrive takes data that is in order at the receiving host, and hands out the
// chunks that waited for it.
func (v *chunkJoin) arrive(p *Pair, r arrivedData, shift seq.DSN) {
	if len(v.arrivals) >= maxChunks {
		v.arrivals = v.arrivals[:copy(v.arrivals, v.arrivals[maxChunks/2:])]
	}
	r.Start, r.End = r.Start+shift, r.End+shift
	v.arrivals = append(v.arrivals, r)
	keep := v.settled[:0]
	for i := range v.settled {
		if k := &v.settled[i]; r.Contains(k.Data.End - 1) {
			k.Arrived, k.Delivered = r.arrived, r.delivered
			p.opt.Chunk(k)
		} else {
			keep = append(keep, *k)
		}
	}
	v.settled = keep
}

// settle takes a chunk whose life at the sending host is over.
func (v *chunkJoin) settle(p *Pair, k *Chunk) {
	for i := range v.arrivals {
		if r := &v.arrivals[i]; r.Contains(k.Data.End - 1) {
			k.Arrived, k.Delivered = r.arrived, r.delivered
			if r.End == k.Data.End { // nothing more of it will be asked for
				v.arrivals = append(v.arrivals[:i], v.arrivals[i+1:]...)
			}
			p.opt.Chunk(k)
			return
		}
	}
	if len(v.settled) >= maxChunks {
		v.release(p, maxChunks/2)
	}
	v.settled = append(v.settled, *k)
}

// release hands out the n oldest chunks that wait, without their arrival.
func (v *chunkJoin) release(p *Pair, n int) {
	for i := range v.settled[:n] {
		p.opt.Chunk(&v.settled[i])
	}
	v.settled = v.settled[:copy(v.settled, v.settled[n:])]
}
