package report

import (
	"mpanalyze/internal/conn"
	"mpanalyze/internal/metrics"
)

// connDir reports one direction of a connection.
func (b *Builder) connDir(out *ConnDir, m *metrics.Connection, from conn.Side, subs []Subflow) {
	sp, d := &m.Conn.Spaces[from], &m.Dirs[from]
	out.Bytes = sp.Bytes
	db := dirBuilder{m: m, from: from, role: m.Role(from), why: &b.why}
	totals(out, m, from)
	out.Paths = paths(m, from, subs, sp.Bytes)
	db.connDelays(out, d)
	db.order(out, d)
	db.rates(out, d)
	db.windows(out, d)
	db.blocking(out, d, subs)
	db.worth(out, sp.Bytes)
	out.Handovers = handovers(m, from)
	b.why.Set("end_to_end_delay_ms", twoCaptures)
	out.Unavailable = b.reasons()
}

// totals adds up the subflows.
func totals(out *ConnDir, m *metrics.Connection, from conn.Side) {
	for _, s := range m.Subs {
		h, l := &s.Sub.Half[from], s.Sub.Lanes[from]
		out.Segments += h.Segments
		out.RetransmittedBytes += h.RexmitBytes
		out.RetransmittedSegments += h.RexmitSegments
		out.ReinjectedSegments += l.ReinjectedSegments
		out.ReinjectedBytes += l.ReinjectedBytes
		out.ReinjectedSameSubflowBytes += l.ReinjectedSame
	}
}

// paths sums up the subflows by the label of their path.
func paths(m *metrics.Connection, from conn.Side, subs []Subflow, total int64) (out List[PathShare]) {
	at := map[string]int{}
	for i, s := range m.Subs {
		k, ok := at[subs[i].Path]
		if !ok {
			k = len(out)
			at[subs[i].Path] = k
			out = append(out, PathShare{Path: subs[i].Path})
		}
		p, l := &out[k], s.Sub.Lanes[from]
		p.Subflows = append(p.Subflows, s.Sub.ID)
		p.Bytes += l.MappedBytes
		p.FirstBytes += l.FirstBytes
		p.RetransmittedBytes += s.Sub.Half[from].RexmitBytes
		p.ReinjectedBytes += l.ReinjectedBytes
		if total > 0 {
			p.Percent = new(100 * float64(p.FirstBytes) / float64(total))
		}
	}
	return out
}

// connDelays fills protocol delay and head-of-line figures.
func (b *dirBuilder) connDelays(out *ConnDir, d *metrics.Dir) {
	reason := b.m.DelayReason(b.from)
	if reason == "" {
		e := b.delayEvidence()
		out.ProtocolDelay = stat(&d.ProtocolDelay, e)
		out.HoLDegree = stat(&d.HoLDegree, e)
		out.HoLDegreeAllPaths = stat(&d.HoLDegreeAllPaths, e)
		queue, units := d.HoLQueue()
		out.HoLQueueBytes, out.HoLQueueSegments = stat(queue, Observed), stat(units, Observed)
		reason = "no data was covered by a DATA_ACK"
		if b.role == metrics.Receiver {
			reason = "no data was covered by a DATA_ACK, or no subflow shows a round-trip time"
		}
	}
	b.orWhy("protocol_delay_ms", out.ProtocolDelay, reason)
	b.orWhy("hol_degree_ms", out.HoLDegree, reason)
	b.orWhy("hol_degree_all_paths_ms", out.HoLDegreeAllPaths, reason)
	b.orWhy("hol_queue_bytes", out.HoLQueueBytes, reason)
	b.orWhy("hol_queue_segments", out.HoLQueueSegments, reason)
}

// orderEvidence says whose order the capture shows.
func (b *dirBuilder) orderEvidence() Evidence {
	if b.role == metrics.Sender {
		return SendOrder
	}
	return Observed
}

// order fills the order of arrival.
func (b *dirBuilder) order(out *ConnDir, d *metrics.Dir) {
	o, e := &d.Order, b.orderEvidence()
	if o.Offset.N() > 0 {
		out.DSNOffset = &OffsetStat{Stat: statOf(&o.Offset, e), Peak: o.Peak, Discontinuous: 100 * float64(o.Discontinuous) / float64(o.Offset.N())}
	} else {
		b.why.Set("dsn_offset_bytes", "fewer than two chunks passed")
	}
	if o.Firsts == 0 {
		b.why.Set("out_of_order", noData)
		return
	}
	out.OutOfOrder = &OutOfOrder{
		Chunks: o.Reordered, Ratio: float64(o.Reordered) / float64(o.Firsts),
		ExtentChunks: stat(&o.ExtentChunks, e), ExtentBytes: stat(&o.ExtentBytes, e), ExtentMS: stat(&o.ExtentMS, e), Evidence: e,
	}
	for _, n := range o.NReordered {
		if n == 0 {
			break
		}
		out.OutOfOrder.NReordering = append(out.OutOfOrder.NReordering, 100*float64(n)/float64(o.Firsts))
	}
}

// rates fills throughput, goodput and what follows from them.
func (b *dirBuilder) rates(out *ConnDir, d *metrics.Dir) {
	out.Throughput, out.Goodput = rateStat(&d.Throughput, Observed), rateStat(&d.Goodput, Observed)
	const missing = "fewer than two moments at which data passed"
	if out.Throughput == nil {
		b.why.Set("throughput_mbps", missing)
	}
	if out.Goodput == nil {
		b.why.Set("goodput_mbps", missing)
	}
	best := int64(0)
	for _, s := range b.m.Subs {
		best = max(best, s.Sub.Lanes[b.from].FirstBytes)
	}
	if best == 0 {
		b.why.Set("aggregation_benefit", noData)
		return
	}
	// Both goodputs are over the connection's active time, which cancels.
	out.AggregationBenefit = new(float64(b.m.Conn.Spaces[b.from].Bytes) / float64(best))
}

// windows fills the connection-level receive window.
func (b *dirBuilder) windows(out *ConnDir, d *metrics.Dir) {
	out.Rwnd, out.RwndFree = stat(&d.Window.Rwnd, Observed), stat(&d.Window.Free, Observed)
	if d.Window.Known {
		out.RwndLimited = new(ms(d.Window.Limited))
		return
	}
	for _, name := range []string{"rwnd_bytes", "rwnd_free_bytes", "rwnd_limited_ms"} {
		b.why.Set(name, noWindow)
	}
}

// worth fills overhead and the value of reinjections.
func (b *dirBuilder) worth(out *ConnDir, bytes int64) {
	if bytes > 0 {
		out.Overhead = new(100 * float64(out.RetransmittedBytes+out.ReinjectedBytes) / float64(bytes))
	} else {
		b.why.Set("overhead_percent", noData)
	}
	w, why := b.m.Worth(b.from)
	if w == nil {
		b.why.Set("reinjection_worth", why)
		return
	}
	out.ReinjectionWorth = &ReinjectionWorth{FirstBytes: w.First, WastedBytes: w.Wasted, Evidence: Inferred}
}
