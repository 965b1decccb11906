package engine

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"mpanalyze/internal/conn"
	"mpanalyze/internal/crash"
	"mpanalyze/internal/diagnose"
	"mpanalyze/internal/dss"
	"mpanalyze/internal/metrics"
	"mpanalyze/internal/packet"
	"mpanalyze/internal/pair"
	"mpanalyze/internal/pair/clock"
	"mpanalyze/internal/report"
	"mpanalyze/internal/report/build"
)

// end is the analysis of one of two captures.
type end struct {
	*pipeline
	table    *conn.Table
	builder  *build.Builder
	reports  *building
	progress Progress
	conns    int // MPTCP connections that have ended
	batch    *batch
	next     int
	failure  error
}

// analyzePair reads the captures of both hosts of the same sessions in step
// and reports on them as one.
func analyzePair(ctx context.Context, o Options) (*report.Document, error) {
	about, err := glance(ctx, o)
	if err != nil {
		return nil, &InputError{err}
	}
	if o.Swap && about.swap {
		o.Paths, o.Receiver, about.rough = o.Receiver, o.Paths, -about.rough
	}
	rows := pairRows{sink: o.Packets, options: &o}
	po := pair.Options{RoughLead: about.rough, CorrectDrift: o.Clock != clock.None}
	if o.Packets != nil {
		po.Packet = rows.packet
	}
	var ends [2]*end
	var streamed *build.Rows
	if o.Rows != nil {
		po.Chunk = func(k *pair.Chunk) { streamed.Chunk(k) }
		po.Alone = func(s *conn.Subflow, from conn.Side, k *dss.Chunk) { streamed.Alone(s, from, k) }
	}
	both := pair.New(po)
	for e, paths := range [2][]string{o.Paths, o.Receiver} {
		if ends[e], err = o.openEnd(ctx, paths, pair.End(e), both, &streamed); err != nil {
			for _, x := range ends[:e] {
				_ = x.reports.wait() // what stays in memory cannot fail
			}
			return nil, &InputError{err}
		}
		defer ends[e].close()
	}
	rows.builder = ends[pair.AtSender].builder
	interleave(ctx, o, &ends, both, about.rough)
	for _, e := range ends {
		e.table.Finish()
		_ = e.reports.wait()
	}
	doc := mergeEnds(&o, &ends, both)
	if streamed != nil {
		rows.err = cmp.Or(rows.err, streamed.Finish())
	}
	if rows.err != nil {
		return nil, rows.err
	}
	met := errors.Join(ends[0].outcome(ends[0].failure), ends[1].outcome(ends[1].failure))
	if o.missing(met, len(doc.Connections)) {
		return nil, o.noConnection()
	}
	return doc, met
}

// openEnd prepares the analysis of one capture. Rows of the streamed tables
// come from the sender's, but for chunks, of which both tell.
func (o Options) openEnd(ctx context.Context, paths []string, which pair.End, both *pair.Pair, rows **build.Rows) (*end, error) {
	e := &end{builder: &build.Builder{Label: o.label, Diagnose: diagnose.Connection, DiagnoseTCP: diagnose.TCP, Keep: true}}
	cfg := metrics.Config{Interval: o.Interval, Skip: o.Skip, Until: o.Until, QoE: o.QoE, Omit: o.Omit}
	modules := []conn.Module{both.Module(which)}
	if which == pair.AtReceiver { // verdicts, with their proofs, are those of the sender's capture
		e.builder.Diagnose = func(m *metrics.Connection, c *report.Connection) {
			if !e.reports.paired {
				diagnose.Connection(m, c)
			}
		}
		e.builder.DiagnoseTCP = func(m *metrics.Connection, c *report.TCP) {
			if !e.reports.paired {
				diagnose.TCP(m, c)
			}
		}
	}
	if which == pair.AtSender && o.Rows != nil {
		*rows = build.NewRows(o.Rows, e.builder.Path, o.selected, o.Direction)
		(*rows).LeaveChunks(both.Joined)
		if o.Series != nil {
			cfg.Series, cfg.Wanted, cfg.Changes = (*rows).Series, o.Series, o.Changes
		}
		modules = append(modules, *rows)
	}
	collector := metrics.NewCollector(cfg, func(m *metrics.Connection) {
		if m.Conn.Kind == conn.Multipath {
			e.conns++
		}
		if which == pair.AtReceiver || o.selected(m.Conn) {
			e.reports.ended <- ended{figures: m, paired: both.Paired(m.Conn)}
		}
	})
	o.Paths, o.Progress = paths, &e.progress
	p, err := open(ctx, o)
	if err != nil {
		return nil, err
	}
	e.pipeline = p
	e.reports = startBuilding(e.builder, forget, nil)
	e.table = conn.NewTable(conn.Options{Vantage: vantage(o.Vantage), MaxState: o.MaxState / 2}, append([]conn.Module{collector}, modules...)...)
	return e, nil
}

// stay is by how much one capture may run ahead of the other, ns: a run of
// packets of one capture at a time is kinder to the processor's caches, and
// matching takes either order.
const stay = 2e6

// interleave gives both tables their packets in the order of time, nearly, the
// receiver's clock set back by rough.
func interleave(ctx context.Context, o Options, ends *[2]*end, both *pair.Pair, rough int64) {
	for _, e := range ends {
		go func() {
			defer close(e.full)
			defer crash.Catch()
			e.failure = e.read(ctx, func(b *batch) { e.full <- b })
		}()
	}
	heads := [2]*packet.Segment{ends[0].head(), ends[1].head()}
	lead := [2]int64{0, rough}
	for e := pair.AtSender; heads[0] != nil || heads[1] != nil; e = e.Other() {
		limit := int64(math.MaxInt64)
		if o := heads[e.Other()]; o != nil {
			limit = o.Time - lead[e.Other()] + stay + lead[e]
		}
		side := ends[e]
		for heads[e] != nil && heads[e].Time <= limit {
			side.track(limit)
			if heads[e] = side.head(); heads[e] == nil {
				both.Ended(e)
			}
		}
		o.report(ends)
	}
	for _, e := range ends {
		e.decoder.Finish()
	}
}

// report adds up how far both ends have come.
func (o *Options) report(ends *[2]*end) {
	if o.Progress == nil {
		return
	}
	var bytes, total, packets int64
	for _, e := range ends {
		bytes += e.progress.Bytes.Load()
		total += e.progress.Total.Load()
		packets += e.progress.Packets.Load()
	}
	o.Progress.Bytes.Store(bytes)
	o.Progress.Total.Store(total)
	o.Progress.Packets.Store(packets)
}

// track takes the segments of its batch up to the first behind a time.
func (e *end) track(limit int64) {
	e.next += e.table.Segments(e.batch.segs[e.next:e.batch.n], limit)
}

// head returns the next segment of a capture, nil at its end.
func (e *end) head() *packet.Segment {
	for e.batch == nil || e.next >= e.batch.n {
		if e.batch != nil {
			e.free <- e.batch
			e.batch = nil
		}
		b, ok := <-e.full
		if !ok {
			return nil
		}
		e.batch, e.next = b, 0
	}
	return &e.batch.segs[e.next]
}

// mergeEnds makes one document of both.
func mergeEnds(o *Options, ends *[2]*end, both *pair.Pair) *report.Document {
	s, r := ends[pair.AtSender], ends[pair.AtReceiver]
	doc, other := s.document(s.table), r.document(r.table)
	for i := range doc.Captures {
		doc.Captures[i].Host = hostOf(pair.AtSender)
	}
	for i := range other.Captures {
		other.Captures[i].Host = hostOf(pair.AtReceiver)
	}
	doc.Captures = append(doc.Captures, other.Captures...)
	for _, w := range other.Warnings {
		w.Message = "receiver's capture: " + w.Message
		doc.Warnings = append(doc.Warnings, w)
	}
	clocks := both.Clock(o.Clock)
	if first := doc.Captures[0].First; first != nil {
		clocks.Begin(int64(*first))
	}
	flows, conns := both.Results()
	if n := s.builder.Merge(r.builder, flows, conns, &clocks, s.conns); n > 0 {
		const text = "connections began with a subflow that only the receiver's capture shows: tables count from the first packet in the sender's"
		doc.Warnings = append(doc.Warnings, warning("start_moved", text, 0, n))
	}
	doc.Clock = build.NewClock(&clocks)
	for e, lead := range [2]int64{0, int64(clocks.OffsetMS * 1e6)} { // of the clock of that capture on the sender's
		ends[e].clockStep(pair.End(e), doc.Clock, s.clock.Begin()+lead)
	}
	doc.Connections, doc.TCP = s.builder.Lists()
	o.plainOfBoth(doc)
	if o.Connection != AllConnections { // of those in the receiver's capture alone the numbers are known just now
		doc.Connections = slices.DeleteFunc(doc.Connections, func(c report.Connection) bool { return c.ID != o.Connection })
		doc.TCP = doc.TCP[:0]
	}
	if text := clocks.Warning(); text != "" {
		doc.Warnings = append(doc.Warnings, warning("clock_step", text, 0, 1))
	}
	for e, n := range both.Unpaired() {
		if n > 0 {
			text := fmt.Sprintf("TCP connections of the %s's capture are not in the other one; their figures are those of one capture", *hostOf(pair.End(e)))
			doc.Warnings = append(doc.Warnings, warning("unpaired_"+string(*hostOf(pair.End(e))), text, 0, n))
		}
	}
	if len(flows) == 0 {
		doc.Warnings = append(doc.Warnings, warning("nothing_paired", "the two captures have no TCP connection in common", 0, 1))
	}
	diagnose.Document(doc)
	return doc
}

// plainOfBoth leaves of plain TCP what was asked for.
func (o *Options) plainOfBoth(doc *report.Document) {
	switch o.Detail {
	case report.NoTCP:
		doc.TCP = nil
	case report.Summary:
		for i := range doc.TCP {
			doc.TCP[i].Shorten()
		}
	}
}

func hostOf(e pair.End) *report.Host {
	h := [...]report.Host{report.SenderHost, report.ReceiverHost}[e]
	return &h
}
