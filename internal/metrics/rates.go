package metrics

import (
	"cmp"

	"mpanalyze/internal/conn"
	"mpanalyze/internal/dss"
	"mpanalyze/internal/report"
	"mpanalyze/internal/report/fill"
)

// rateUnit derives throughput, goodput and share.
var rateUnit = &unit{
	key:    "rates",
	series: []*Series{seriesThroughput, seriesShare, seriesGoodput},
	meter:  hasRates,
	report: new(rateMeter),
}

var (
	seriesThroughput = &Series{name: "throughput"}
	seriesShare      = &Series{name: "share", maps: true}
	seriesGoodput    = &Series{name: "goodput", maps: true}
)

type rateMeter struct {
	d          *DataDir
	throughput Rate  // all payload of all subflows
	goodput    Rate  // data when it passed for the first time
	copies     int64 // bytes of data that passed again
	subs       perSub[subRate]
}

// subRate is what one subflow carries.
type subRate struct {
	Rate
	first   int64 // bytes of data that it was the first to carry
	flushed int64 // the part of first that came before the open cell of the goodput
}

func (x *rateMeter) renew(d *DataDir) {
	*x = rateMeter{
		d: d, subs: x.subs.renewed((*subRate).reset),
		throughput: Rate{Cells: x.throughput.Cells.Renewed(), grid: &d.grid, sink: throughputSink{d.out}},
		goodput:    Rate{Cells: x.goodput.Cells.Renewed(), grid: &d.grid, sink: x},
	}
}

func (r *subRate) reset() {
	*r = subRate{Rate: Rate{Cells: r.Cells.Renewed()}}
}

// sub returns the rate of a subflow.
func (x *rateMeter) sub(s *SubflowDir) *subRate {
	if s.rate == nil {
		x.begin(s)
	}
	return s.rate
}

// begin makes the rate of a subflow.
func (x *rateMeter) begin(s *SubflowDir) {
	s.rate = x.subs.of(s)
	s.rate.grid, s.rate.sink = &x.d.grid, throughputSink{s.out}
}

// payload counts all payload in the time that is looked at. It is not inlined, so that [Rate.add] is: the compiler inlines
// little in a large function.
//
//go:noinline
func (x *rateMeter) payload(s *SubflowDir, p *conn.Packet, now int64) {
	if now-x.throughput.last >= x.d.grid.cell {
		x.noteGap(p)
	}
	n := int64(p.Seg.PayloadLen)
	x.throughput.add(now, n)
	x.sub(s).add(now, n)
}

// noteGap finds out whether packets are missing from the capture before packet p, the first
// payload after a pause. At the sender a gap in the stream shows it, too: an acknowledgment of
// the missing data may come later, when the cells are over.
func (x *rateMeter) noteGap(p *conn.Packet) {
	if g := x.d.m.Conn.LatestGap(); g != nil && g.After.Time > x.throughput.last {
		x.d.grid.gapFrom, x.d.grid.gapTo = g.Before.Time, g.After.Time
	} else if before, ok := p.Sub.Senders[p.From].HoleBefore(p.Seg); ok && x.d.role == Sender {
		x.d.grid.gapFrom, x.d.grid.gapTo = before.Time, p.Seg.Time
	}
}

// piece counts data by whether it passes for the first time.
func (x *rateMeter) piece(s *SubflowDir, p *dss.Piece, now int64) {
	if p.Kind == dss.First {
		x.first(s, p.Data.Len(), now)
	} else {
		x.copies += p.Data.Len()
	}
}

// first counts n bytes of data that pass for the first time. It is not inlined either.
//
//go:noinline
func (x *rateMeter) first(s *SubflowDir, n, now int64) {
	x.goodput.add(now, n)
	x.sub(s).first += n
}

// throughputSink takes the cells of a throughput.
type throughputSink struct{ out *seriesWriter }

func (s throughputSink) flushRate(at int64, mbps float64) { s.out.emit(seriesThroughput, at, mbps) }

func (s throughputSink) flushEmpty(at, cell, n int64) { s.out.emitEmpty(seriesThroughput, at, cell, n) }

// flushRate takes one whole cell of the goodput, and computes the share of each subflow
// in it.
func (x *rateMeter) flushRate(at int64, mbps float64) {
	x.d.out.emit(seriesGoodput, at, mbps)
	if !x.d.m.k.series.has(seriesShare) {
		return
	}
	total := int64(0)
	for _, r := range x.subs.all() {
		total += r.first - r.flushed
	}
	for _, sub := range x.d.m.Subs {
		s := sub.dirs[x.d.from]
		if s == nil {
			continue
		}
		r := x.sub(s)
		if total > 0 {
			s.out.emit(seriesShare, at, 100*float64(r.first-r.flushed)/float64(total))
		}
		r.flushed = r.first
	}
}

// flushEmpty takes cells of the goodput without data; they have no shares.
func (x *rateMeter) flushEmpty(at, cell, n int64) { x.d.out.emitEmpty(seriesGoodput, at, cell, n) }

func (x *rateMeter) close(int64) {
	x.throughput.close()
	x.goodput.close()
	for _, r := range x.subs.all() {
		r.close()
	}
}

// Throughput returns the rate of all payload of all subflows.
func (d *DataDir) Throughput() *Rate { return &cmp.Or(d.rates, noDir.rates).throughput }

// Goodput returns the rate of the data when it passed for the first time.
func (d *DataDir) Goodput() *Rate { return &cmp.Or(d.rates, noDir.rates).goodput }

// Rate returns the rate of all payload of the subflow.
func (s *SubflowDir) Rate() *Rate { return &cmp.Or(s.dir.rates, noDir.rates).subs.at(s.id).Rate }

// firstBytes returns the bytes of data that the subflow was the first to carry
// in the time that is looked at.
func (s *SubflowDir) firstBytes() int64 {
	return cmp.Or(s.dir.rates, noDir.rates).subs.at(s.id).first
}

// copies returns the bytes of data that passed again in the time that is looked at.
func (d *DataDir) copies() int64 { return cmp.Or(d.rates, noDir.rates).copies }

// A rateName is the name of a rate and the paths of its figures over whole cells.
type rateName struct {
	name  string
	cells []string
}

func rateNamed(name string) rateName {
	out := rateName{name: name}
	for _, figure := range []string{"min", "max", "p50", "p95", "p99", "stddev", "cell_mean", "variance", "cov"} {
		out.cells = append(out.cells, name+"."+figure)
	}
	return out
}

var throughputName, goodputName = rateNamed("throughput_mbps"), rateNamed("goodput_mbps")

const (
	noCell = "the data covers no whole cell"
	// beyondCells is the reason why a rate has no extremes. Its average is over the
	// active time, but extremes come from whole cells, and the cells cover too little
	// of that time.
	beyondCells = "the average of the active time lies beyond all whole cells: they hold too little of the data for extremes"
)

// rate summarises a rate; nil if it has no average. The extremes enclose the
// average or are absent.
func (v *view) rate(of *rateName, r *Rate) *report.RateStat {
	if why := v.m.GapReason(); why != "" {
		v.Set(of.name, why)
		return nil
	}
	avg, ok := r.Avg()
	if !ok {
		v.Set(of.name, oneMoment)
		return nil
	}
	out := v.Mem.Rates.Of(report.RateStat{Avg: avg, Samples: r.Cells.N(), Evidence: report.Observed})
	if r.Cells.N() == 0 {
		for _, path := range of.cells {
			v.Set(path, noCell)
		}
		return out
	}
	s := v.Mem.Stats.Of(fill.StatOf(&r.Cells, report.Observed))
	if s.Min <= avg && avg <= s.Max {
		out.Min, out.Max = &s.Min, &s.Max
	} else {
		v.Set(of.cells[0], beyondCells)
		v.Set(of.cells[1], beyondCells)
	}
	out.P50, out.P95, out.P99 = &s.P50, &s.P95, &s.P99
	out.Stddev, out.CellMean, out.Variance = &s.Stddev, &s.Avg, v.Mem.Floats.Of(s.Stddev*s.Stddev)
	out.COV = v.Variation(of.name, s)
	return out
}

func (*rateMeter) reportSubflow(v *view, out *report.SubDir) {
	out.Throughput = v.rate(&throughputName, v.sub.Dir(v.from).Rate())
	v.share(out)
}

// share fills in the part of the data that the subflow was the first to carry.
func (v *view) share(out *report.SubDir) {
	all := v.m.First(nil, v.from)
	switch {
	case v.m.Conn.Kind != conn.Multipath:
		v.Set("share_percent", "a plain TCP connection has one path")
	case v.cut != "":
		v.Set("share_percent", v.cut)
	case all == 0:
		v.Set("share_percent", v.nothing())
	default:
		out.Share = v.Float(100 * float64(v.m.First(v.sub, v.from)) / float64(all))
	}
}

func (*rateMeter) reportConnection(v *view, out *report.ConnDir) {
	out.Throughput = v.rate(&throughputName, v.dir().Throughput())
	if v.cut != "" {
		v.Set("goodput_mbps", v.cut)
		return
	}
	out.Goodput = v.rate(&goodputName, v.dir().Goodput())
}
