package metrics

import (
	"cmp"
	"math"
	"slices"

	"mpanalyze/internal/catalogue"
	"mpanalyze/internal/dss"
	"mpanalyze/internal/report"
	"mpanalyze/internal/report/fill"
	"mpanalyze/internal/seq"
	"mpanalyze/internal/stats"
)

// orderUnit derives dsn_offset and out_of_order.
var orderUnit = &unit{
	key:    "order",
	series: []*Series{seriesDSNOffset},
	family: catalogue.FamilyOrder,
	meter:  hasOrder,
	report: new(Order),
}

var seriesDSNOffset = &Series{name: "dsn_offset", maps: true}

// Order measures the order in which chunks pass: O3-DSN (REC16) over all of
// them, and reordering (RFC 4737) over those that pass for the first time.
type Order struct {
	nop
	// What most packets read or change comes first, so that it shares cache lines.

	d             *DataDir
	Offset        stats.Dist         // DSN(k) - DSN(k-1), bytes
	Chunks        int64              // chunks of any kind
	Firsts        int64              // chunks that passed for the first time
	Discontinuous int64              // chunks that do not continue the one before
	last          seq.Range[seq.DSN] // the latest chunk
	packet        uint64             // its packet; 0 before the first
	isNew         bool               // it counts in Firsts: a part of it passed for the first time
	filling       bool               // the latest first arrival was late, and gap and bytesAbove are known
	arrivals
	Buffer buffer // RFC 5236

	Reordered    int64       // of Firsts, those below the next expected byte
	gap          record      // the earliest arrival above the late chunk
	bytesAbove   int64       // bytes that had arrived above the late chunk
	ExtentChunks stats.Tally // RFC 4737, Section 4.2.2
	ExtentMS     stats.Dist  // Section 4.3
	ExtentBytes  stats.Dist  // Section 4.4

	Overtaken     []int64 // reordered chunks by n, from 1 on: the n chunks directly before them all lie above them (Section 5.3); the last counts n >= maxN; bounded by maxN
	MostOvertaken int64   // the largest n
	Peak          float64 // largest absolute offset; valid at the end
}

func (o *Order) renew(d *DataDir) {
	*o = Order{
		d: d, Offset: o.Offset.Renewed(), ExtentChunks: o.ExtentChunks.Renewed(), ExtentMS: o.ExtentMS.Renewed(), ExtentBytes: o.ExtentBytes.Renewed(),
		Buffer:   buffer{Chunks: o.Buffer.Chunks.Renewed(), Counts: seq.Reuse(o.Buffer.Counts), spans: o.Buffer.spans.Reuse()},
		arrivals: arrivals{next: math.MinInt64, end: math.MinInt64, discontinuities: seq.Reuse(o.discontinuities), runs: seq.Reuse(o.runs)},
	}
}

// Order returns the order in which chunks passed.
func (d *DataDir) Order() *Order { return cmp.Or(d.order, noDir.order) }

// outside takes pieces outside the time that is looked at. They enter the buffer, so
// that their data is not missing later.
func (o *Order) outside(list []dss.Piece) {
	o.Buffer.look()
	for i := range list {
		if list[i].Kind == dss.First {
			o.Buffer.add(list[i].Data, false)
		}
	}
}

// piece takes the first of pieces that entered the space together. Pieces of one
// segment that continue each other are one chunk: they differ only in kind.
func (o *Order) piece(s *SubflowDir, list []dss.Piece, now int64) {
	p := &list[0]
	if p.Packet == o.packet && p.Data.Start == o.last.End && int64(p.Data.End-o.last.Start) <= o.most(s) {
		o.last.End = p.Data.End
		switch {
		case p.Kind != dss.First:
		case o.isNew:
			o.next = max(o.next, p.Data.End)
			o.Buffer.add(p.Data, false)
		default: // the part of the chunk before it is a duplicate
			o.first(s, list, now)
		}
		return
	}
	if o.Chunks > 0 {
		v := float64(p.Data.Start - o.last.Start)
		o.Offset.Add(v)
		if p.Data.Start != o.last.End {
			o.Discontinuous++
		}
		o.d.out.emit(seriesDSNOffset, now, v)
	}
	o.Chunks++
	o.last, o.packet, o.isNew = p.Data, p.Packet, false
	if p.Kind == dss.First {
		o.first(s, list, now)
	}
}

// most returns the most bytes of a chunk: a segment at the sender, elsewhere what arrived at once.
func (o *Order) most(s *SubflowDir) int64 {
	if o.d.role == Sender {
		return s.half.SegmentBytes()
	}
	return math.MaxInt64
}

// first takes the first piece of list as the new part of its chunk. Duplicates are
// excluded byte by byte, so a chunk that is partly new counts with its new part.
func (o *Order) first(s *SubflowDir, list []dss.Piece, now int64) {
	p := &list[0]
	o.Buffer.look()
	o.isNew = true
	if next := o.Buffer.rcvNxt(); p.Data.Start > next && o.d.space.RcvNxt() > next {
		o.Buffer.arrive(accepted(o.d.space, list)) // what is DATA_ACKed is not missing
	}
	o.Buffer.add(chunk(list, o.most(s)), true)
	begins := p.Data.Start != o.end
	if p.Data.Start == o.next {
		o.next, o.filling = p.Data.End, false
	} else {
		o.jump(o.d.space, list, now)
	}
	if begins {
		o.turn(p.Data.Start, o.Firsts, o.d.space.RcvNxt())
	}
	o.end = p.Data.End
	o.Firsts++
}

// chunk returns the new data of the chunk, of at most so many bytes, that the first of list begins.
func chunk(list []dss.Piece, most int64) seq.Range[seq.DSN] {
	r := list[0].Data
	for i := range list[1:] {
		k := &list[i+1]
		if k.Packet != list[0].Packet || k.Kind != dss.First || k.Data.Start != r.End || int64(k.Data.End-r.Start) > most {
			break
		}
		r.End = k.Data.End
	}
	return r
}

// accepted returns the position below which no data was missing before the pieces of
// list entered the space together.
func accepted(sp *dss.Space, list []dss.Piece) seq.DSN {
	rcvNxt := sp.RcvNxt()
	for i := range list {
		rcvNxt = min(rcvNxt, list[i].Data.Start)
	}
	return rcvNxt
}

// jump takes a chunk, the first of list, that passes for the first time and does
// not continue the highest one before it.
func (o *Order) jump(sp *dss.Space, list []dss.Piece, now int64) {
	switch p := &list[0]; {
	case p.Data.Start >= o.next:
		o.filling = false
		o.discontinuity(record{p.Data.Start, o.Firsts, now}, sp.RcvNxt())
	case o.filling && p.Data.Start == o.end:
		o.late(o.Firsts, now)
	default:
		o.fill(sp, list, now)
	}
	o.next = max(o.next, list[0].Data.End)
}

// fill takes the first of several late chunks that continue each other; it is the first
// of list. All of them have the same data above them, because they fill one gap and no
// other data arrives between them.
func (o *Order) fill(sp *dss.Space, list []dss.Piece, now int64) {
	at := list[0].Data
	o.gap, o.filling = o.above(at.Start, sp.RcvNxt())
	if o.filling {
		o.bytesAbove = sp.BytesAbove(at.End) - firstAbove(at.End, list[1:])
		o.overtook(o.overtaken(at.Start, o.Firsts))
	}
	o.late(o.Firsts, now)
}

// maxN bounds the n for which n-reordering is counted separately.
const maxN = 1024

// overtook counts a late chunk if the n chunks directly before it all lie above it.
func (o *Order) overtook(n int64) {
	if n <= 0 {
		return
	}
	o.MostOvertaken = max(o.MostOvertaken, n)
	n = min(n, maxN)
	if missing := int(n) - len(o.Overtaken); missing > 0 {
		o.Overtaken = append(o.Overtaken, make([]int64, missing)...)
	}
	o.Overtaken[n-1]++
}

// NReordered returns how many chunks are n-reordered, from n = 1 on: the n chunks
// directly before such a chunk all lie above it (RFC 4737, Section 5.3).
func (o *Order) NReordered() []int64 {
	counts := slices.Clone(o.Overtaken)
	for n := len(counts) - 2; n >= 0; n-- {
		counts[n] += counts[n+1]
	}
	return counts
}

// firstAbove returns how many bytes of list are first arrivals at or above at. They
// must be subtracted because all pieces of a list entered the space together.
func firstAbove(at seq.DSN, list []dss.Piece) (n int64) {
	for i := range list {
		if k := &list[i]; k.Kind == dss.First && k.Data.Start >= at {
			n += k.Data.Len()
		}
	}
	return n
}

// late counts a late chunk. It is the index-th of the first arrivals.
func (o *Order) late(index, now int64) {
	o.Reordered++
	if o.filling {
		o.ExtentChunks.Add(index - o.gap.index)
		o.ExtentBytes.Add(float64(o.bytesAbove))
		o.ExtentMS.Add(ms(now - o.gap.at))
	}
}

// close ends the measurement.
func (o *Order) close(int64) {
	o.Peak = max(math.Abs(o.Offset.Min()), math.Abs(o.Offset.Max()))
	o.Buffer.close(o.Firsts)
	o.discontinuities, o.runs = nil, nil
}

func (*Order) reportConnection(v *view, out *report.ConnDir) {
	o, e := v.dir().Order(), atSender(v, report.SendOrder, report.Observed) // the order of sending, or that of arrival
	if v.cut != "" {
		v.Set("dsn_offset_bytes", v.cut)
		v.Set("out_of_order", v.cut)
		return
	}
	if o.Offset.N() > 0 {
		share := 100 * float64(o.Discontinuous) / float64(o.Offset.N())
		out.DSNOffset = v.Mem.Offsets.Of(report.OffsetStat{Stat: fill.StatOf(&o.Offset, e), Peak: o.Peak, Discontinuous: share})
	} else {
		v.Set("dsn_offset_bytes", "fewer than two chunks passed")
	}
	if o.Firsts == 0 {
		v.Set("out_of_order", noData)
		return
	}
	noExtent := "no chunk was late"
	if o.Reordered > 0 {
		noExtent = "what overtook the late chunks is no longer known"
	}
	out.OutOfOrder = v.Mem.Orders.Of(report.OutOfOrder{
		Chunks: o.Reordered, Ratio: float64(o.Reordered) / float64(o.Firsts),
		ExtentChunks: v.Stat("out_of_order.extent_chunks", o.ExtentChunks.Dist(), e, noExtent),
		ExtentBytes:  v.Stat("out_of_order.extent_bytes", &o.ExtentBytes, e, noExtent),
		ExtentMS:     v.Stat("out_of_order.extent_ms", &o.ExtentMS, e, noExtent),
		BufferChunks: v.Stat("out_of_order.buffer_chunks", o.Buffer.Chunks.Dist(), e, ""), Evidence: e,
	})
	out.OutOfOrder.MaxNReordering = o.MostOvertaken
	for _, n := range o.NReordered() {
		out.OutOfOrder.NReordering = append(out.OutOfOrder.NReordering, 100*float64(n)/float64(o.Firsts))
	}
	out.OutOfOrder.BufferDensity = density(o.Buffer.Counts, o.Firsts)
}

// density returns counts as percentages of all, without the zeros at the end.
func density(counts []int64, all int64) (out report.List[float64]) {
	for k, n := range counts {
		if n > 0 {
			out = append(out, make(report.List[float64], k-len(out))...)
			out = append(out, 100*float64(n)/float64(all))
		}
	}
	return out
}
