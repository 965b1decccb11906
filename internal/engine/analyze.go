package engine

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"slices"
	"strings"

	"mpanalyze/internal/build"
	"mpanalyze/internal/capture"
	"mpanalyze/internal/conn"
	"mpanalyze/internal/decode"
	"mpanalyze/internal/fairness"
	"mpanalyze/internal/metrics"
	"mpanalyze/internal/report"
	"mpanalyze/internal/report/rows"
	"mpanalyze/internal/storage"
)

// Analyze reads the captures and reports on every connection in them. Where a capture
// is damaged or ctx ends, the document holds what was read before, and comes with a
// [DamageError]. It fails if the connection that is asked for does not exist.
func Analyze(ctx context.Context, o Options) (*report.Document, error) {
	o.oneReading()
	if len(o.Receiver) > 0 {
		return analyzePair(ctx, o)
	}
	stored, met := analyzeOne(ctx, o)
	if stored == nil {
		return nil, met
	}
	doc, err := stored.Document()
	if err = errors.Join(err, stored.Close()); err != nil {
		return nil, err
	}
	return doc, met
}

// AnalyzeStored does what [Analyze] does, but does not hold the whole report in memory.
// The caller must close the report.
func AnalyzeStored(ctx context.Context, o Options) (*report.Stored, error) {
	o.oneReading()
	if len(o.Receiver) == 0 {
		return analyzeOne(ctx, o)
	}
	doc, met := analyzePair(ctx, o)
	if doc == nil {
		return nil, met
	}
	stored, err := report.Store(doc)
	if err != nil {
		return nil, err
	}
	return stored, met
}

// oneReading makes sure that an analysis that opens a file several times reads one file.
func (o *Options) oneReading() {
	if o.Files == nil {
		o.Files = &storage.Files{}
	}
}

// analyzeOne reports on the captures of one host.
func analyzeOne(ctx context.Context, o Options) (*report.Stored, error) {
	stored := report.NewStored(o.stored)
	if err := o.analyzeInto(ctx, stored); err != nil {
		if Damaged(err) {
			return stored, err
		}
		return nil, errors.Join(err, stored.Close())
	}
	return stored, nil
}

// analyzeInto puts the report on the captures of one host into stored.
func (o *Options) analyzeInto(ctx context.Context, stored *report.Stored) error {
	builder := &build.Builder{Into: stored, Judge: o.verdicts(), Label: o.Label, Detail: o.Detail}
	cfg := o.metricsConfig()
	cfg.Lines = o.Detail == report.Lines
	stream := o.rows(builder.Path, &cfg)
	records, err := o.records()
	if err != nil {
		return err
	}
	r, err := open(ctx, *o)
	if err != nil {
		return err
	}
	defer r.close()
	ctx, stop := context.WithCancelCause(ctx) // stop ends the reading if a report cannot be stored
	defer stop(nil)
	reports := startReporter(builder, o.reuses(), stop)
	done := func(m *metrics.Connection) {
		if o.selected(m.Conn) {
			reports.ended <- ended{figures: m}
		}
	}
	if o.live != nil {
		cfg.Opened, done = o.live.figures.Opened, o.live.closed(done)
	}
	late := build.NewLatePackets()
	modules := []conn.Module{metrics.NewCollector(cfg, done), late}
	if stream != nil {
		modules = append(modules, stream)
	}
	fair := o.fairness()
	if fair != nil {
		modules = append(modules, fair)
	}
	if records != nil {
		modules = append(modules, records.Module(builder.Path))
	}
	options := o.tableOptions(reports)
	if fair == nil && records == nil { // these keep what connections share
		options.Goroutines = o.goroutines()
	}
	table := conn.NewTable(options, append(modules, o.Modules...)...)
	stopped := o.track(ctx, r, table)
	if err := reports.wait(); err != nil {
		return err
	}
	doc := r.document(table)
	doc.LeftOutTCP = builder.LeftOut
	if fair != nil {
		doc.Fairness = fair.Result()
	}
	if records != nil {
		records.Finish(doc)
	}
	stored.Finish(doc)
	late.Amend(stored)
	if records != nil && o.Detail != report.Lines {
		stored.Amend(records.Connection, records.TCP)
	}
	if o.Detail != report.Lines {
		if err := o.verdicts().Stored(stored); err != nil {
			return err
		}
		words := o.words(doc.Hosts)
		stored.Amend(words.Connection, words.TCP)
	}
	if stream != nil {
		if err := stream.Finish(); err != nil {
			return err
		}
	}
	if err := o.kernelSeries(records); err != nil {
		return err
	}
	met := cutRecords(records, r.outcome(stopped))
	if o.missing(met, stored.NumConnections()) {
		return o.noConnection()
	}
	if met == nil {
		return o.unusedLabels(stored)
	}
	return met
}

// track gives every segment of the captures to the table, and finishes the table. It
// returns the error that ended the reading early, if any.
func (o *Options) track(ctx context.Context, r *reader, table *conn.Table) (stopped error) {
	if o.live != nil {
		return o.live.run(ctx, r, table)
	}
	stopped = r.track(ctx, table)
	table.Finish()
	return stopped
}

// rows returns the stream that makes the rows of tables, and sets cfg so that the
// stream gets the series. It returns nil if no rows are asked for.
func (o *Options) rows(path func(*conn.Subflow) string, cfg *metrics.Config) *rows.Stream {
	if o.Rows == nil {
		return nil
	}
	stream := rows.New(o.Rows, path, o.selected, o.Direction)
	if o.Series != nil {
		cfg.Series, cfg.Wanted, cfg.Changes = stream.Series, o.Series, o.Changes
	}
	return stream
}

// metricsConfig returns the configuration of the metrics.
func (o *Options) metricsConfig() metrics.Config {
	return metrics.Config{Interval: o.Interval, Skip: o.Skip, Until: o.Until, QoE: o.QoE, Player: o.Player, Regret: o.Regret, Omit: o.Omit}
}

// tableOptions returns the options of the table of connections. The table gives short
// records to the reporter if these suffice.
func (o *Options) tableOptions(to *reporter) conn.Options {
	out := conn.Options{Vantage: vantage(o.Vantage), MaxState: o.MaxState}
	if o.shortRecords() {
		out.LoneSYN = to.loneSYN
		if o.Detail != report.Lines {
			out.OneSided = to.oneSided
		}
		if o.live != nil {
			o.live.shortRecords(&out)
		}
	}
	return out
}

// missing reports whether a connection that was asked for by number does not exist
// although everything was read. met is the error of the reading, n the number of
// connections in the report.
func (o *Options) missing(met error, n int) bool {
	return met == nil && o.Connection != AllConnections && n == 0
}

func (o *Options) noConnection() error {
	where := strings.Join(append(slices.Clone(o.Paths), o.Receiver...), ", ")
	return fmt.Errorf("no connection %d in %s; mpanalyze connections lists what there is", o.Connection, where)
}

// shortRecords reports whether short records suffice for connections with few packets,
// because no option asks for more. Then the table does not make these connections.
func (o *Options) shortRecords() bool {
	return o.Rows == nil && len(o.Modules) == 0 && o.Connection == AllConnections && o.Omit == 0 && o.Detail != report.Full
}

// reuses reports whether the memory of figures is used again after the reporter has reported
// on them: rows or further modules may still use the connection.
func (o *Options) reuses() bool { return o.Rows == nil && len(o.Modules) == 0 }

// selected reports whether the user asked for c.
func (o *Options) selected(c *conn.Conn) bool {
	return o.Connection == AllConnections || c.Kind == conn.Multipath && c.ID == o.Connection
}

// Label returns the first label that fits either end of a path.
func (o *Options) Label(a, b netip.Addr) string {
	for _, l := range o.Labels {
		if l.Prefix.Contains(a) || l.Prefix.Contains(b) {
			return l.Name
		}
	}
	return ""
}

// fairness returns the module that compares Multipath TCP with plain TCP; nil if it is
// not asked for.
func (o *Options) fairness() *fairness.Collector {
	if !o.Fairness {
		return nil
	}
	return &fairness.Collector{Label: o.Label}
}

func vantage(v report.Vantage) conn.Vantage {
	switch v {
	case report.VantageA:
		return conn.AtA
	case report.VantageB:
		return conn.AtB
	case report.VantageMiddle:
		return conn.Middle
	}
	return conn.Unknown
}

// outcome returns one error for what ended the reading and for damage of the captures.
func (r *reader) outcome(stopped error) error {
	var errs []error
	for _, d := range r.source.Damage() {
		errs = append(errs, d)
	}
	if stopped != nil {
		errs = append(errs, stopped)
	}
	if len(errs) == 0 {
		packets := uint64(0)
		for _, f := range r.source.Files() {
			packets += f.Packets
		}
		return noneKnown(int64(packets), int64(r.decoder.Counts().Anomaly(decode.UnknownLink).Count))
	}
	nothing := stopped == nil && !slices.ContainsFunc(r.source.Files(), func(f capture.FileInfo) bool { return f.Packets > 0 })
	return &DamageError{errors.Join(errs...), nothing}
}

// noneKnown returns an error if the link type of no packet is known. Then nothing was analysed,
// though no capture is damaged.
func noneKnown(packets, unknown int64) error {
	if packets == 0 || unknown < packets {
		return nil
	}
	err := errors.New("no packet could be read, because the link type of the capture is not known; capture on another interface")
	return &DamageError{Err: err, Nothing: true}
}
