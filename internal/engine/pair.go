package engine

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"strings"

	"mpanalyze/internal/build"
	"mpanalyze/internal/conn"
	"mpanalyze/internal/evidence"
	"mpanalyze/internal/fairness"
	"mpanalyze/internal/metrics"
	"mpanalyze/internal/packet"
	"mpanalyze/internal/pair"
	"mpanalyze/internal/pair/clock"
	"mpanalyze/internal/report"
	"mpanalyze/internal/report/rows"
	"mpanalyze/internal/storage"
)

// captureEnd is the analysis of one of two captures. All fields that change belong to
// the tracker.
type captureEnd struct {
	*reader
	table    *conn.Table
	builder  *build.Builder
	reports  *reporter
	progress Progress // of this capture
	late     *build.LatePackets
	fair     *fairness.Collector // nil if it is not asked for
	conns    int                 // Multipath TCP connections that have ended
	read     func() *batch       // returns the next batch; nil at the end
	batch    *batch              // the batch that is being tracked; nil before the first and at the end
	next     int                 // index of its first segment that was not tracked yet
}

// analyzePair reads the captures of both hosts of the same sessions at the same time,
// and makes one report of both.
func analyzePair(ctx context.Context, o Options) (*report.Document, error) {
	about, err := compareStarts(ctx, o)
	if err != nil {
		return nil, err
	}
	if about.same || sameFile(o.Paths, o.Receiver) {
		return nil, fmt.Errorf("%s and %s are the same capture; give one of each host", strings.Join(o.Paths, ", "), strings.Join(o.Receiver, ", "))
	}
	if o.Swap && about.swapped {
		o.Paths, o.Receiver, about.clockLead = o.Receiver, o.Paths, -about.clockLead
	}
	records, err := o.records()
	if err != nil {
		return nil, err
	}
	builder := &build.Builder{Judge: o.verdicts(), Label: o.Label, OnlyIn: hostOf(pair.AtSender), End: o.End} // builder for the sender's capture
	packets := packetRows{sink: o.Packets, path: builder.Path, options: &o}
	po := pair.Options{RoughLead: about.clockLead, CorrectDrift: o.Clock != clock.None}
	if o.Packets != nil {
		po.Packet = packets.packet
	}
	cfg := o.metricsConfig()
	stream := o.rows(builder.Path, &cfg)
	if stream != nil {
		po.Chunk, po.Alone = stream.Chunk, stream.Alone
	}
	both := pair.New(po)
	var ends [2]*captureEnd
	if ends[pair.AtSender], err = o.openSender(ctx, both, builder, cfg, stream, records); err != nil {
		return nil, err
	}
	defer ends[pair.AtSender].close()
	if ends[pair.AtReceiver], err = o.openReceiver(ctx, both); err != nil {
		return nil, err
	}
	defer ends[pair.AtReceiver].close()
	for _, e := range ends {
		e.reports = startReporter(e.builder, false, nil)
	}
	interleave(ctx, o, &ends, both, about.clockLead)
	for _, e := range ends {
		e.table.Finish()
		_ = e.reports.wait() // cannot fail: the report is in memory
		e.builder.AddLate(e.late)
	}
	doc := mergeEnds(&o, &ends, both, &about)
	if records != nil {
		records.Finish(doc)
		doc.Amend(records.Connection, records.TCP)
	}
	words := o.words(doc.Hosts)
	doc.Amend(words.Connection, words.TCP)
	if stream != nil {
		packets.err = cmp.Or(packets.err, stream.Finish())
	}
	packets.err = cmp.Or(packets.err, o.kernelSeries(records))
	if packets.err != nil {
		return nil, packets.err
	}
	met := cutRecords(records, errors.Join(ends[0].outcome(ends[0].failure), ends[1].outcome(ends[1].failure)))
	if flows, _ := both.Results(); len(flows) == 0 && ctx.Err() == nil {
		return nil, nothingInCommon(&o, met)
	}
	if o.missing(met, len(doc.Connections)) {
		return nil, o.noConnection()
	}
	if met == nil {
		met = o.unusedLabels(doc)
	}
	return doc, met
}

// nothingInCommon returns the error for captures without a common connection. met is
// the damage in them, nil for none. There is no report then.
func nothingInCommon(o *Options, met error) error {
	text := fmt.Sprintf("%s and %s have no TCP connection in common; a pair is captures of both hosts of the same sessions, and a capture of one host is analysed alone",
		strings.Join(o.Paths, ", "), strings.Join(o.Receiver, ", "))
	if met != nil {
		text = met.Error() + "\n" + text
	}
	return errors.New(text)
}

// sameFile reports whether a file is given for both hosts.
func sameFile(sender, receiver []string) bool {
	for _, s := range sender {
		for _, r := range receiver {
			a, errA := storage.Stat(s)
			b, errB := storage.Stat(r)
			if errA == nil && errB == nil && storage.SameFile(a, b) {
				return true
			}
		}
	}
	return false
}

// openSender prepares the analysis of the sender's capture. It provides the verdicts
// and the rows of tables; chunks come from both captures.
func (o Options) openSender(ctx context.Context, both *pair.Pair, builder *build.Builder, cfg metrics.Config, stream *rows.Stream, records *evidence.Records) (*captureEnd, error) {
	e := &captureEnd{builder: builder}
	modules := []conn.Module{both.Module(pair.AtSender)}
	if stream != nil {
		stream.LeaveChunks(both.Paired)
		modules = append(modules, stream)
	}
	if records != nil {
		modules = append(modules, records.Module(builder.Path))
	}
	return e, e.open(ctx, o, o.Paths, cfg, modules, func(m *metrics.Connection) {
		if o.selected(m.Conn) {
			e.reports.ended <- ended{figures: m}
		}
	})
}

// openReceiver prepares the analysis of the receiver's capture. All its connections are
// reported on, because the one that was asked for is known only when the captures are
// merged.
func (o Options) openReceiver(ctx context.Context, both *pair.Pair) (*captureEnd, error) {
	e := &captureEnd{builder: &build.Builder{Judge: o.verdicts(), Label: o.Label, OnlyIn: hostOf(pair.AtReceiver)}}
	return e, e.open(ctx, o, o.Receiver, o.metricsConfig(), []conn.Module{both.Module(pair.AtReceiver)}, func(m *metrics.Connection) {
		e.reports.ended <- ended{figures: m, noVerdicts: both.Paired(m.Conn)}
	})
}

// open opens the captures of one end and makes its table. done takes the metrics of
// each connection that has ended.
func (e *captureEnd) open(ctx context.Context, o Options, paths []string, cfg metrics.Config, modules []conn.Module, done func(*metrics.Connection)) (err error) {
	o.Paths, o.Progress = paths, &e.progress
	if e.reader, err = open(ctx, o); err != nil {
		return err
	}
	collector := metrics.NewCollector(cfg, func(m *metrics.Connection) {
		if m.Conn.Kind == conn.Multipath {
			e.conns++
		}
		done(m)
	})
	if e.fair = o.fairness(); e.fair != nil {
		modules = append(modules, e.fair)
	}
	e.late = build.NewLatePackets()
	e.table = conn.NewTable(conn.Options{Vantage: vantage(o.Vantage), MaxState: o.MaxState / 2}, append([]conn.Module{collector, e.late}, modules...)...)
	return nil
}

// maxAhead is how far one capture may be read ahead of the other, ns. Several packets
// of one capture in a row use the processor's caches better, and matching works in
// either order.
const maxAhead = 2e6

// interleave gives both tables their packets, in the order of time within maxAhead.
// clockLead is about how far the receiver's clock is ahead of the sender's, ns.
func interleave(ctx context.Context, o Options, ends *[2]*captureEnd, both *pair.Pair, clockLead int64) {
	for _, e := range ends {
		e.read = e.batches(ctx)
	}
	heads := [2]*packet.Segment{ends[0].head(), ends[1].head()}
	lead := [2]int64{0, clockLead}
	for e := pair.AtSender; heads[0] != nil || heads[1] != nil; e = e.Other() {
		limit := int64(math.MaxInt64)
		if o := heads[e.Other()]; o != nil {
			limit = o.Time - lead[e.Other()] + maxAhead + lead[e]
		}
		side := ends[e]
		for heads[e] != nil && heads[e].Time <= limit {
			side.takeUntil(limit)
			if heads[e] = side.head(); heads[e] == nil {
				both.Ended(e)
			}
		}
		o.addProgress(ends)
	}
	for _, e := range ends {
		e.decoder.Finish()
	}
}

// addProgress sets the progress to that of both captures together.
func (o *Options) addProgress(ends *[2]*captureEnd) {
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

// takeUntil gives segments of the batch to the table, up to the first one later than
// limit, ns.
func (e *captureEnd) takeUntil(limit int64) {
	e.next += e.table.Segments(e.batch.segs[e.next:e.batch.n], limit)
}

// head returns the next segment of a capture; nil at its end.
func (e *captureEnd) head() *packet.Segment {
	for e.batch == nil || e.next >= e.batch.n {
		if e.batch != nil {
			e.giveBack(e.batch)
			e.batch = nil
		}
		b := e.read()
		if b == nil {
			return nil
		}
		e.batch, e.next = b, 0
	}
	return &e.batch.segs[e.next]
}
