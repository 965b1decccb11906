package metrics

import (
	"math"

	"mpanalyze/internal/conn"
	"mpanalyze/internal/dss"
	"mpanalyze/internal/stats"
)

// Dir holds the figures of one direction of a connection.
type Dir struct {
	ProtocolDelay     stats.Dist // T_over(k), ms, over cells (FI23)
	HoLDegree         stats.Dist // zeta(k), ms
	HoLDegreeAllPaths stats.Dist // ms
	Order             Order
	Throughput        Rate // every payload octet of every subflow
	Goodput           Rate // data octets when they passed first
	Window            Window
	Awnd              Awnd

	genuine   int64 // chunks that a DATA_ACK covered, not a subflow's ACK after a fallback
	m         *Connection
	space     *dss.Space // of the direction's data
	from      conn.Side
	role      Role // what the capture point is to it
	queue     holQueue
	windows   rows // of Rwnd, Free and Awnd.Delta
	anchored  bool
	origin    int64 // time of the first data chunk
	looked    span  // the time that delays, order and rates look at
	elsewhere bool  // [Config.Elsewhere] says so
	cellEnd   int64 // of the delay grid; the end of time where there is none
	inCell    int   // subflows with a chunk in the open cell
	lastSub   int   // subflow of the latest chunk
	lastEnd   int64 // end of the latest chunk in order of passing, DSN
	good      goodput
}

// span is a run of time, [from, to) in nanoseconds.
type span struct{ from, to int64 }

func (s span) holds(t int64) bool { return s.from <= t && t < s.to }

// goodput tells the cells of the goodput apart from those of the throughput.
type goodput struct{ d *Dir }

func (d *Dir) init(m *Connection, from conn.Side) {
	d.m, d.space, d.from, d.lastSub, d.cellEnd = m, &m.Conn.Spaces[from], from, -1, math.MaxInt64
	d.Throughput.cell, d.Goodput.cell = m.k.cell(), m.k.cell()
	d.good.d = d
}

// HoLQueue returns the head-of-line queue in octets and in segments.
func (d *Dir) HoLQueue() (octets, segments *stats.Dist) { return &d.queue.Bytes, &d.queue.Segments }

// anchorAt returns the origin of the direction's grid, the first data chunk.
func (d *Dir) anchorAt(now int64) int64 {
	if !d.anchored {
		d.anchored, d.origin = true, now
		d.looked = span{now + int64(d.m.k.cfg.Skip), math.MaxInt64}
		if until := d.m.k.cfg.Until; until > 0 {
			d.looked.to = now + int64(until)
		}
		if d.m.k.cfg.Interval > 0 {
			d.cellEnd = now + int64(d.m.k.cfg.Interval)
		}
		d.Throughput.anchor(now)
		d.Goodput.anchor(now)
	}
	return d.origin
}

// share asks what another capture will tell of the direction. Nothing that is
// measured here becomes wrong by it: it is not asked for any more.
func (d *Dir) share() {
	told := d.m.k.cfg.Elsewhere
	if told == nil || d.role != Receiver {
		return
	}
	d.elsewhere = told(d.m.Conn, nil, d.from)
	for _, s := range d.m.Subs {
		s.Dirs[d.from].elsewhere = told(d.m.Conn, s.Sub, d.from)
	}
}

// carried takes a packet with payload of this direction.
func (d *Dir) carried(p *conn.Packet, sub *Sub, now int64) {
	d.anchorAt(now)
	if !d.elsewhere {
		d.Throughput.add(now, int64(p.Seg.PayloadLen), d.looked, d)
	}
	for i := range p.Pieces {
		d.piece(&p.Pieces[i], sub, now)
	}
}

// late takes payload of earlier packets whose mapping became known with an
// acknowledgment.
func (d *Dir) late(p *conn.Packet, sub *Sub) {
	for i := range p.Late {
		d.piece(&p.Late[i], sub, p.Late[i].Time)
	}
}

// piece takes a run of payload at the data level.
func (d *Dir) piece(piece *dss.Piece, sub *Sub, now int64) {
	if !d.elsewhere {
		d.burst(piece, sub, now)
	}
	if !d.looked.holds(now) {
		return
	}
	d.Order.take(d, piece, now)
	if piece.Kind == dss.First && !d.elsewhere {
		d.Goodput.add(now, piece.Data.Len(), d.looked, d.good)
		sub.Dirs[d.from].cellFirst += piece.Data.Len()
	}
}

// burst follows the runs of consecutive data on one subflow.
func (d *Dir) burst(p *dss.Piece, sub *Sub, now int64) {
	if p.Kind == dss.Retransmission {
		return
	}
	if d.lastSub != sub.Sub.ID || int64(p.Data.Start) != d.lastEnd {
		if d.lastSub >= 0 {
			d.m.Subs[d.lastSub].Dirs[d.from].Bursts.close()
		}
	}
	d.lastSub, d.lastEnd = sub.Sub.ID, int64(p.Data.End)
	sub.Dirs[d.from].Bursts.extend(p.Data.Len(), now)
}

func (d *Dir) flushRate(at int64, mbps float64) { d.m.emit(SeriesThroughput, nil, d.from, at, mbps) }

func (g goodput) flushRate(at int64, mbps float64) {
	d := g.d
	d.m.emit(SeriesGoodput, nil, d.from, at, mbps)
	if !d.m.k.wanted[SeriesShare] {
		return
	}
	total := int64(0)
	for _, s := range d.m.Subs {
		total += s.Dirs[d.from].cellFirst
	}
	for _, s := range d.m.Subs {
		if total > 0 {
			d.m.emit(SeriesShare, s.Sub, d.from, at, 100*float64(s.Dirs[d.from].cellFirst)/float64(total))
		}
		s.Dirs[d.from].cellFirst = 0
	}
}

func (d *Dir) close(at int64) {
	d.Window.limit(1, at)
	if d.Awnd.open.lasts {
		d.unblock(at)
	}
	d.enterWindows()
	d.flushCell()
	d.queue.close()
	d.Throughput.close(d)
	d.Goodput.close(d.good)
	d.Order.close()
}
