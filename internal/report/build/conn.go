package build

import (
	"cmp"

	"mpanalyze/internal/conn"
	"mpanalyze/internal/metrics"
	"mpanalyze/internal/report"
)

// connDir reports one direction of a connection.
func (b *Builder) connDir(m *metrics.Connection, from conn.Side, subs []report.Subflow) *report.ConnDir {
	out := b.mem.connDirs.of(report.ConnDir{})
	d := m.Dir(from)
	db := dirBuilder{m: m, from: from, role: m.Role(from), cut: m.MapsCut(from), why: &b.why, mem: &b.mem}
	db.totals(out)
	all := m.First(nil, from)
	best := db.paths(out, subs, all)
	db.connDelays(out, d)
	db.order(out, d)
	db.rates(out, d)
	db.benefit(out, all, best)
	db.windows(out, d)
	db.blocking(out, d, subs)
	db.worth(out, all)
	out.Handovers = db.handovers()
	b.why.Set("end_to_end_delay_ms", twoCaptures)
	if m.Omits(metrics.AllFamilies) {
		db.withoutConn(out)
	}
	out.Unavailable = b.why.take()
	return out
}

// totals adds up the subflows.
func (b *dirBuilder) totals(out *report.ConnDir) {
	var segments, bytes, same int64
	for _, s := range b.m.Subs {
		h, l := &s.Sub.Senders[b.from], s.Sub.Spaces[b.from]
		out.Segments += h.Segments
		out.RetransmittedBytes += b.m.Carried(s, b.from).Retransmitted
		out.RetransmittedSegments += h.RexmitSegments
		segments += l.ReinjectedSegments
		bytes += l.ReinjectedBytes
		same += l.ReinjectedSame
	}
	if b.cut != "" {
		b.why.Set("bytes", b.cut)
		b.reinjectionsCut()
		return
	}
	out.Bytes = b.mem.ints.of(b.m.Conn.Spaces[b.from].AppBytes())
	out.ReinjectedSegments, out.ReinjectedBytes, out.ReinjectedSameSubflowBytes = b.mem.ints.of(segments), b.mem.ints.of(bytes), b.mem.ints.of(same)
}

// paths sums up the subflows by the label of their path; all is what they were
// the first to carry in the time that is looked at, in octets, best what one path
// of them was.
func (b *dirBuilder) paths(out *report.ConnDir, subs []report.Subflow, all int64) (best int64) {
	b.pathReasons(all)
	at := map[string]int{}
	var firsts []int64 // of each path
	for i, s := range b.m.Subs {
		k, ok := at[subs[i].Path]
		if !ok {
			k = len(out.Paths)
			at[subs[i].Path] = k
			out.Paths, firsts = append(out.Paths, report.PathShare{Path: subs[i].Path}), append(firsts, 0)
			if b.cut == "" {
				p := &out.Paths[k]
				p.Bytes, p.FirstBytes, p.ReinjectedBytes = b.mem.ints.of(0), b.mem.ints.of(0), b.mem.ints.of(0)
			}
		}
		p, l := &out.Paths[k], s.Sub.Spaces[b.from]
		p.Subflows = append(p.Subflows, s.Sub.ID)
		p.RetransmittedBytes += b.m.Carried(s, b.from).Retransmitted
		if b.cut != "" {
			continue
		}
		*p.Bytes += l.MappedBytes()
		*p.FirstBytes += l.FirstBytes
		*p.ReinjectedBytes += l.ReinjectedBytes
		firsts[k] += b.m.First(s, b.from)
		if all > 0 {
			p.Percent = b.mem.floats.of(100 * float64(firsts[k]) / float64(all))
		}
		best = max(best, firsts[k])
	}
	return best
}

// pathReasons says what is known of no path.
func (b *dirBuilder) pathReasons(all int64) {
	switch {
	case b.cut != "":
		for _, name := range []string{"paths[].bytes", "paths[].first_bytes", "paths[].share_percent", "paths[].reinjected_bytes"} {
			b.why.Set(name, b.cut)
		}
	case all == 0:
		b.why.Set("paths[].share_percent", b.nothing())
	}
}

// connDelays fills protocol delay and head-of-line figures.
func (b *dirBuilder) connDelays(out *report.ConnDir, d *metrics.Dir) {
	reason := b.m.DelayReason(b.from)
	if reason == "" {
		e := b.delayEvidence()
		out.ProtocolDelay = b.mem.stat(&d.Delays().Protocol, e)
		out.HoLDegree = b.mem.stat(&d.Delays().HoLDegree, e)
		out.HoLBlocking = b.mem.stat(&d.Delays().HoLBlocking, e)
		out.HoLDegreeAllPaths = b.mem.stat(&d.Delays().HoLDegreeAllPaths, e)
		b.holQueue(out, d)
		reason = "no data was covered by a DATA_ACK"
		if b.role == metrics.Receiver {
			reason = "no data was covered by a DATA_ACK, or no subflow shows a round-trip time"
		}
	}
	b.orWhy("protocol_delay_ms", out.ProtocolDelay, reason)
	b.orWhy("hol_degree_ms", out.HoLDegree, reason)
	b.orWhy("hol_blocking_ms", out.HoLBlocking, reason)
	b.orWhy("hol_degree_all_paths_ms", out.HoLDegreeAllPaths, reason)
	if out.HoLQueueBytes == nil && out.ProtocolDelay != nil {
		reason = noQueue
	}
	b.orWhy("hol_queue_bytes", out.HoLQueueBytes, reason)
	b.orWhy("hol_queue_segments", out.HoLQueueSegments, reason)
}

const noQueue = "the last data segment passed before the first acknowledgment: there is no time to weigh by"

// holQueue fills the head-of-line queue. Its distribution ends with the last data
// segment, its maximum does not.
func (b *dirBuilder) holQueue(out *report.ConnDir, d *metrics.Dir) {
	queue := d.HoLQueue()
	if queue.Bytes.N() == 0 {
		return
	}
	out.HoLQueueBytes, out.HoLQueueSegments = b.mem.stat(&queue.Bytes, report.Observed), b.mem.stat(&queue.Segments, report.Observed)
	mostBytes, mostSegments := queue.Peak()
	out.HoLQueueBytes.Max, out.HoLQueueSegments.Max = float64(mostBytes), float64(mostSegments)
}

// orderEvidence says whose order the capture shows.
func (b *dirBuilder) orderEvidence() report.Evidence {
	if b.role == metrics.Sender {
		return report.SendOrder
	}
	return report.Observed
}

// order fills the order of arrival.
func (b *dirBuilder) order(out *report.ConnDir, d *metrics.Dir) {
	o, e := d.Order(), b.orderEvidence()
	if b.cut != "" {
		b.why.Set("dsn_offset_bytes", b.cut)
		b.why.Set("out_of_order", b.cut)
		return
	}
	if o.Offset.N() > 0 {
		share := 100 * float64(o.Discontinuous) / float64(o.Offset.N())
		out.DSNOffset = b.mem.offsets.of(report.OffsetStat{Stat: statOf(&o.Offset, e), Peak: o.Peak, Discontinuous: share})
	} else {
		b.why.Set("dsn_offset_bytes", "fewer than two chunks passed")
	}
	if o.Firsts == 0 {
		b.why.Set("out_of_order", noData)
		return
	}
	noExtent := "no chunk was late"
	if o.Reordered > 0 {
		noExtent = "what overtook the late chunks is no longer known"
	}
	out.OutOfOrder = b.mem.orders.of(report.OutOfOrder{
		Chunks: o.Reordered, Ratio: float64(o.Reordered) / float64(o.Firsts),
		ExtentChunks: b.orWhy("out_of_order.extent_chunks", b.mem.stat(&o.ExtentChunks, e), noExtent),
		ExtentBytes:  b.orWhy("out_of_order.extent_bytes", b.mem.stat(&o.ExtentBytes, e), noExtent),
		ExtentMS:     b.orWhy("out_of_order.extent_ms", b.mem.stat(&o.ExtentMS, e), noExtent),
		BufferChunks: b.mem.stat(&o.Buffer.Chunks, e), Evidence: e,
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

// rates fills throughput, goodput and what follows from them.
func (b *dirBuilder) rates(out *report.ConnDir, d *metrics.Dir) {
	out.Throughput = b.rate(&throughputName, d.Throughput())
	if b.cut != "" {
		b.why.Set("goodput_mbps", b.cut)
		return
	}
	out.Goodput = b.rate(&goodputName, d.Goodput())
}

// benefit fills what all paths achieved against the best one, of the octets of
// data that they were the first to carry.
func (b *dirBuilder) benefit(out *report.ConnDir, all, best int64) {
	switch {
	case b.cut != "":
		b.why.Set("aggregation_benefit", b.cut)
	case best == 0:
		b.why.Set("aggregation_benefit", b.nothing())
	default: // both goodputs are over the connection's active time, which cancels
		out.AggregationBenefit = b.mem.floats.of(float64(all) / float64(best))
	}
}

// windows fills the connection-level receive window.
func (b *dirBuilder) windows(out *report.ConnDir, d *metrics.Dir) {
	why := b.windowReason(d)
	if why == "" {
		out.Rwnd = b.mem.stat(&d.Window().Rwnd, report.Observed)
	} else {
		b.why.Set("rwnd_bytes", why)
	}
	if why = cmp.Or(why, b.cut); why == "" {
		out.RwndFree, out.RwndLimited = b.mem.stat(&d.Window().Free, report.Observed), b.mem.floats.of(ms(d.Window().Limited))
		return
	}
	b.why.Set("rwnd_free_bytes", why)
	b.why.Set("rwnd_limited_ms", why)
}

// windowReason returns why the window is not known; empty where it is.
func (b *dirBuilder) windowReason(d *metrics.Dir) string {
	if why := b.m.AcksCut(b.from); why != "" || d.Window().Known {
		return why
	}
	return noWindow
}

// worth fills overhead and the value of reinjections.
func (b *dirBuilder) worth(out *report.ConnDir, all int64) {
	switch {
	case b.cut != "":
		b.why.Set("overhead_percent_of_data", b.cut)
	case all > 0:
		out.Overhead = b.mem.floats.of(100 * float64(b.m.Again(b.from)) / float64(all))
	default:
		b.why.Set("overhead_percent_of_data", b.nothing())
	}
	w, why := b.m.Worth(b.from)
	if w == nil {
		b.why.Set("reinjection_worth", why)
		return
	}
	out.ReinjectionWorth = b.mem.worths.of(report.ReinjectionWorth{FirstBytes: w.First, WastedBytes: w.Wasted, UndecidedBytes: w.Undecided, Evidence: report.Inferred})
	b.why.Set("reinjection_worth.lead_ms", twoCaptures)
}
