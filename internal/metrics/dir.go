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
	HoLBlocking       stats.Dist // zeta'(k), ms: of the waits that were measured
	HoLDegreeAllPaths stats.Dist // ms
	Order             Order
	Throughput        Rate  // every payload octet of every subflow
	Goodput           Rate  // data octets when they passed first
	copies            int64 // octets of data that passed again, in the time that is looked at
	Window            Window
	Awnd              Awnd

	genuine   bool // a DATA_ACK covered data from before any fallback
	m         *Connection
	space     *dss.Space // of the direction's data
	trace     Trace
	from      conn.Side
	role      Role // what the capture point is to it
	queue     holQueue
	series    bool // any series is wanted
	anchored  bool
	grid      grid  // of rates; its origin is the time of the first data chunk
	looked    span  // the time that delays, order, rates and shares look at; empty before the first data
	elsewhere bool  // [Config.Elsewhere] says so
	skips     int64 // of the space, when the order was last told of them
	cellEnd   int64 // of the delay grid; the end of time where there is none
	inCell    int   // subflows with a chunk in the open cell
	train     train
	chain     chain
	burst     burst
	good      goodput
	out       *outlet
}

// span is a run of time.
type span struct {
	from   int64  // ns
	length uint64 // ns
}

func (s span) holds(t int64) bool { return uint64(t-s.from) < s.length }

// goodput tells the cells of the goodput apart from those of the throughput.
type goodput struct{ d *Dir }

func (d *Dir) init(m *Connection, from conn.Side) {
	d.m, d.space, d.from, d.cellEnd = m, &m.Conn.Spaces[from], from, math.MaxInt64
	d.series, d.grid.cell = m.series, m.k.cell()
	d.role, d.queue.over = m.roles[from], m.fell
	d.Window.edge, d.Window.field, d.Window.latest.field = unread, lookAgain, lookAgain
	d.queue.watch(d)
	d.good.d, d.out = d, m.outlet(nil, from)
	d.Throughput.grid, d.Throughput.sink = &d.grid, d
	d.Goodput.grid, d.Goodput.sink = &d.grid, &d.good
}

// HoLQueue returns the head-of-line queue in octets and in segments.
func (d *Dir) HoLQueue() (octets, segments *stats.Dist) { return &d.queue.Bytes, &d.queue.Segments }

// HoLQueuePeak returns its largest values, in bytes and in segments, of all
// instants: also of those after the last data segment, at which the time of the
// distribution ends.
func (d *Dir) HoLQueuePeak() (bytes, segments int64) {
	return d.queue.peak.bytes, d.queue.peak.segments
}

// anchor sets the origin of the direction's grid, the first data chunk.
func (d *Dir) anchor(now int64) {
	cfg := &d.m.k.cfg
	d.anchored, d.grid.origin = true, now
	d.looked = span{now + int64(cfg.Skip), math.MaxInt64}
	if cfg.Until > 0 {
		d.looked.length = uint64(max(0, cfg.Until-cfg.Skip))
	}
	if cfg.Interval > 0 {
		d.cellEnd = now + int64(cfg.Interval)
		d.m.wakeAt(d.cellEnd)
	}
}

// share asks what another capture will tell of the direction. Nothing that is
// measured here becomes wrong by it: it is not asked for any more.
func (d *Dir) share() {
	told := d.m.k.cfg.Elsewhere
	if told == nil || d.role != Receiver {
		return
	}
	d.unchain()
	d.enterSame() // what was measured until now counts
	d.Window.field, d.Window.latest.field = lookAgain, lookAgain
	d.uncouple()
	d.elsewhere = told(d.m.Conn, nil, d.from)
	for _, s := range d.m.Subs {
		there := told(d.m.Conn, s.Sub, d.from)
		if there {
			d.m.make(s)
		}
		if x := s.dirs[d.from]; x != nil {
			x.smooth()
			x.elsewhere = there
		}
	}
}

// carried takes a packet with payload of this direction, which ends the train, and
// reports whether it lies in the time that is looked at.
func (d *Dir) carried(p *conn.Packet, s *SubDir, now int64) (looked bool) {
	d.uncouple()
	d.unchain()
	if !d.flows(int64(p.Seg.PayloadLen), s, now) {
		d.unlooked(p.Pieces)
		return false
	}
	d.pieces(p.Pieces, s, now)
	d.queue.carried(d, now)
	return true
}

// flows counts n octets of payload in the throughput, and reports whether they
// lie in the time that is looked at.
func (d *Dir) flows(n int64, s *SubDir, now int64) (looked bool) {
	if !d.anchored {
		d.anchor(now)
	}
	if !d.looked.holds(now) {
		return false
	}
	if !d.elsewhere {
		d.Throughput.add(now, n)
	}
	if !s.elsewhere {
		s.Rate.add(now, n)
	}
	return true
}

// late takes payload of earlier packets whose mapping became known with an
// acknowledgment.
func (d *Dir) late(list []dss.Piece, s *SubDir) {
	d.uncouple()
	d.unchain()
	for i := range list {
		if at := list[i].Time; d.looked.holds(at) {
			d.piece(list[i:], s, at)
		} else {
			d.unlooked(list[i : i+1])
		}
	}
}

// pieces takes runs of payload at the data level that passed together.
func (d *Dir) pieces(list []dss.Piece, s *SubDir, now int64) {
	for i := range list {
		d.piece(list[i:], s, now)
	}
}

// piece takes the first of pieces that entered the space together.
func (d *Dir) piece(list []dss.Piece, s *SubDir, now int64) {
	p := &list[0]
	if !d.elsewhere {
		d.burst.take(p, s, now)
	}
	d.Order.take(d, list, now)
	d.weigh(p, s, now)
}

// weigh counts a piece of data by whether it passes for the first time.
func (d *Dir) weigh(p *dss.Piece, s *SubDir, now int64) {
	switch {
	case d.elsewhere:
	case p.Kind == dss.First:
		d.first(s, p.Data.Len(), now)
	default:
		d.copies += p.Data.Len()
	}
}

// first counts n octets of data that pass for the first time.
func (d *Dir) first(s *SubDir, n, now int64) {
	d.Goodput.add(now, n)
	s.first += n
}

// unlooked is pieces outside the time that is looked at. What arrived before is
// not missing later, and belongs to no run of data.
func (d *Dir) unlooked(list []dss.Piece) {
	d.burst.close()
	for i := range list {
		if list[i].Kind == dss.First {
			d.Order.Buffer.add(list[i].Data, 0)
		}
	}
}

func (d *Dir) flushRate(at int64, mbps float64) { d.out.emit(SeriesThroughput, at, mbps) }

func (g *goodput) flushRate(at int64, mbps float64) {
	d := g.d
	d.out.emit(SeriesGoodput, at, mbps)
	if !d.m.k.wanted.has(SeriesShare) {
		return
	}
	total := int64(0)
	for _, s := range d.m.Subs {
		total += s.Dir(d.from).first - s.Dir(d.from).flushed
	}
	for _, s := range d.m.Subs {
		x := s.Dir(d.from)
		if total > 0 {
			x.out.emit(SeriesShare, at, 100*float64(x.first-x.flushed)/float64(total))
		}
		x.flushed = x.first
	}
}

func (d *Dir) close(at int64) {
	if w := &d.Window; w.limitedAt != 0 {
		w.Limited += at - w.limitedAt
	}
	d.out.lasts(SeriesRwnd, d.Awnd.last)
	d.out.lasts(SeriesRwndFree, d.Awnd.last)
	if d.Awnd.open.lasts {
		d.unblock(at)
	}
	d.enterSame()
	d.flushCell()
	d.queue.close()
	d.uncouple()
	d.unchain()
	d.burst.close()
	d.Throughput.close()
	d.Goodput.close()
	d.Order.close()
	d.out.close()
}
