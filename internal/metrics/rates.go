package metrics

import (
	"mpanalyze/internal/conn"
	"mpanalyze/internal/dss"
)

// rateUnit derives throughput, goodput and share.
var rateUnit = &unit{
	wants: []event{onPayload, onPiece, onClose},
	open:  func(d *Dir) meter { return newRateMeter(d) },
}

type rateMeter struct {
	nop
	d          *Dir
	throughput Rate  // all payload of all subflows
	goodput    Rate  // data when it passed for the first time
	copies     int64 // bytes of data that passed again
	subs       perSub[subRate]
}

// subRate is what one subflow carries.
type subRate struct {
	Rate
	first   int64 // bytes of data that it was the first to carry
	flushed int64 // of them, those before the open cell of the goodput
}

func newRateMeter(d *Dir) *rateMeter {
	x := &rateMeter{d: d}
	x.throughput = Rate{grid: &d.grid, sink: throughputSink{d.out}}
	x.goodput = Rate{grid: &d.grid, sink: x}
	return x
}

// sub returns what a subflow carries.
func (x *rateMeter) sub(s *SubDir) *subRate {
	r := x.subs.of(s)
	if r.grid == nil {
		r.grid, r.sink = &x.d.grid, throughputSink{s.out}
	}
	return r
}

// payload counts all payload.
func (x *rateMeter) payload(s *SubDir, p *conn.Packet, now int64) {
	if x.d.looked.holds(now) {
		n := int64(p.Seg.PayloadLen)
		x.throughput.add(now, n)
		x.sub(s).add(now, n)
	}
}

// piece counts data by whether it passes for the first time.
func (x *rateMeter) piece(s *SubDir, list []dss.Piece, now int64) {
	if p := &list[0]; p.Kind == dss.First {
		x.first(s, p.Data.Len(), now)
	} else {
		x.copies += p.Data.Len()
	}
}

// first counts n bytes of data that pass for the first time.
func (x *rateMeter) first(s *SubDir, n, now int64) {
	x.goodput.add(now, n)
	x.sub(s).first += n
}

// throughputSink takes the cells of a throughput.
type throughputSink struct{ out *outlet }

func (s throughputSink) flushRate(at int64, mbps float64) { s.out.emit(SeriesThroughput, at, mbps) }

// flushRate takes one whole cell of the goodput, at the end of which each subflow
// has its share of it.
func (x *rateMeter) flushRate(at int64, mbps float64) {
	x.d.out.emit(SeriesGoodput, at, mbps)
	if !x.d.m.k.series.has(SeriesShare) {
		return
	}
	total := int64(0)
	for _, r := range x.subs {
		if r != nil {
			total += r.first - r.flushed
		}
	}
	for _, sub := range x.d.m.Subs {
		s := sub.dirs[x.d.from]
		if s == nil {
			continue
		}
		r := x.sub(s)
		if total > 0 {
			s.out.emit(SeriesShare, at, 100*float64(r.first-r.flushed)/float64(total))
		}
		r.flushed = r.first
	}
}

func (x *rateMeter) close(int64) {
	x.throughput.close()
	x.goodput.close()
	for _, r := range x.subs {
		if r != nil {
			r.close()
		}
	}
}

// Throughput returns the rate of all payload of all subflows.
func (d *Dir) Throughput() *Rate { return &meterOf[*rateMeter](d, rateUnit).throughput }

// Goodput returns the rate of the data when it passed for the first time.
func (d *Dir) Goodput() *Rate { return &meterOf[*rateMeter](d, rateUnit).goodput }

// Rate returns the rate of all payload of the subflow.
func (s *SubDir) Rate() *Rate { return &meterOf[*rateMeter](s.dir, rateUnit).subs.at(s.id()).Rate }

// firstBytes returns the bytes of data that the subflow was the first to carry
// in the time that is looked at.
func (s *SubDir) firstBytes() int64 {
	return meterOf[*rateMeter](s.dir, rateUnit).subs.at(s.id()).first
}

// copies returns the bytes of data that passed again in the time that is looked at.
func (d *Dir) copies() int64 { return meterOf[*rateMeter](d, rateUnit).copies }
