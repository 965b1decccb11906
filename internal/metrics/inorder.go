package metrics

import (
	"cmp"

	"mpanalyze/internal/catalogue"
	"mpanalyze/internal/dss"
	"mpanalyze/internal/report"
	"mpanalyze/internal/stats"
)

// inOrderUnit derives in_order_wait at the receiver. A fallback does not end it: a lost
// segment of plain TCP delays later data, too, and this can be seen without DATA_ACKs.
var inOrderUnit = &unit{
	key:    "in_order",
	series: []*Series{seriesInOrderWait},
	family: catalogue.FamilyDelays,
	places: []Role{Receiver},
	meter:  hasInOrder,
	report: new(inOrderMeter),
}

var seriesInOrderWait = &Series{name: "in_order_wait", maps: true}

type inOrderMeter struct {
	nop
	d    *DataDir
	subs perSub[stats.Dist] // weighted by bytes, ms
}

func (x *inOrderMeter) renew(d *DataDir) {
	*x = inOrderMeter{d: d, subs: x.subs.renewed((*stats.Dist).Reset)}
}

// take takes chunks that are in order now.
func (x *inOrderMeter) take(chunks []*dss.Chunk, now int64) {
	for len(chunks) > 0 {
		n := together(chunks)
		s := x.d.m.Subs[chunks[0].Sub].dirs[x.d.from]
		waits := x.d.m.scratch.delays[0][:n]
		since(waits, chunks, now)
		x.subs.of(s).AddWeightedSlice(waits)
		s.out.emitAll(seriesInOrderWait, now, waits, 0)
		chunks = chunks[n:]
	}
}

// InOrderWait returns how long data waited for lower data, weighted by bytes, ms. It
// covers the data that the subflow was the first to carry.
func (s *SubflowDir) InOrderWait() *stats.Dist {
	return cmp.Or(s.dir.inOrder, noDir.inOrder).subs.at(s.id)
}

func (*inOrderMeter) reportSubflow(v *view, out *report.SubDir) {
	switch {
	case v.role != Receiver:
		v.Set("in_order_wait_ms", atReceiverOnly)
	case v.cut != "":
		v.Set("in_order_wait_ms", v.cut)
	default:
		out.InOrderWait = v.Stat("in_order_wait_ms", v.sub.Dir(v.from).InOrderWait(), report.Observed, noData)
	}
}
