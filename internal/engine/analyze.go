package engine

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"slices"
	"strings"

	"mpanalyze/internal/conn"
	"mpanalyze/internal/diagnose"
	"mpanalyze/internal/metrics"
	"mpanalyze/internal/report"
	"mpanalyze/internal/report/build"
)

// Analyze reads the captures and reports on every connection in them. Where a
// capture is damaged or ctx ends, the document holds what stood before, and
// comes with a [DamageError]. Where there is no such connection as is asked for,
// it fails with an [InputError].
func Analyze(ctx context.Context, o Options) (*report.Document, error) {
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

// AnalyzeStored is Analyze without the memory for all connections at once. The caller
// closes the report.
func AnalyzeStored(ctx context.Context, o Options) (*report.Stored, error) {
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

// analyzeOne reports on the captures of one host.
func analyzeOne(ctx context.Context, o Options) (stored *report.Stored, err error) {
	kept := report.NewStored(o.stored)
	defer func() {
		if stored == nil {
			err = errors.Join(err, kept.Close())
		}
	}()
	builder := &build.Builder{
		Into: kept, Mark: diagnose.Related,
		Label: o.label, Diagnose: diagnose.Connection, DiagnoseTCP: diagnose.TCP, Detail: o.Detail,
	}
	cfg := metrics.Config{Interval: o.Interval, Skip: o.Skip, Until: o.Until, QoE: o.QoE, Omit: o.Omit, Lines: o.Detail == report.Lines}
	var rows *build.Rows
	var modules []conn.Module
	if o.Rows != nil {
		rows = build.NewRows(o.Rows, builder.Path, o.selected, o.Direction)
		if o.Series != nil {
			cfg.Series, cfg.Wanted, cfg.Changes = rows.Series, o.Series, o.Changes
		}
	}
	var reports *building
	collector := metrics.NewCollector(cfg, func(m *metrics.Connection) {
		if o.selected(m.Conn) {
			reports.ended <- ended{figures: m}
		}
	})
	modules = append(modules, collector)
	if rows != nil {
		modules = append(modules, rows)
	}
	modules = append(modules, o.Modules...)
	p, err := open(ctx, o)
	if err != nil {
		return nil, &InputError{err}
	}
	defer p.close()
	ctx, give := context.WithCancelCause(ctx) // up, where a report cannot be stored
	defer give(nil)
	reports = startBuilding(builder, o.reuse(), give)
	to := conn.Options{Vantage: vantage(o.Vantage), MaxState: o.MaxState}
	if o.short() && o.Detail != report.Lines {
		to.OneSided = reports.fragment
	}
	if o.short() {
		to.LoneSYN = reports.lone
	}
	table := conn.NewTable(to, modules...)
	stop := p.run(ctx, table)
	table.Finish()
	if err := reports.wait(); err != nil {
		return nil, err
	}
	kept.Finish(p.document(table))
	if o.Detail != report.Lines {
		if err := diagnose.Stored(kept); err != nil {
			return nil, err
		}
	}
	if rows != nil {
		if err := rows.Finish(); err != nil {
			return nil, err
		}
	}
	met := p.outcome(stop)
	if o.missing(met, kept.NumConnections()) {
		return nil, o.noConnection()
	}
	return kept, met
}

// missing reports whether all was read and the only connection that was asked for is
// not there; met is what was met on the way, n how many are.
func (o *Options) missing(met error, n int) bool {
	return met == nil && o.Connection != AllConnections && n == 0
}

func (o *Options) noConnection() error {
	where := strings.Join(append(slices.Clone(o.Paths), o.Receiver...), ", ")
	return &InputError{fmt.Errorf("no connection %d in %s; mpanalyze connections lists what there is", o.Connection, where)}
}

// short reports whether of what shows little of a connection a short record is all that is
// asked for, so that no connection need be made of it.
func (o *Options) short() bool {
	return o.Rows == nil && len(o.Modules) == 0 && o.Connection == AllConnections && o.Omit == 0 && o.Detail != report.Full
}

// reuse returns what gives the memory of a connection back that was reported on.
// Rows and further modules may still know of it.
func (o *Options) reuse() func(*metrics.Connection) {
	if o.Rows != nil || len(o.Modules) > 0 {
		return forget
	}
	return (*metrics.Connection).GiveBack
}

// forget gives nothing back.
func forget(*metrics.Connection) {}

// selected reports whether the user asked for c.
func (o *Options) selected(c *conn.Conn) bool {
	return o.Connection == AllConnections || c.Kind == conn.Multipath && c.ID == o.Connection
}

// label returns the first label that fits either end of a path.
func (o *Options) label(a, b netip.Addr) string {
	for _, l := range o.Labels {
		if l.Prefix.Contains(a) || l.Prefix.Contains(b) {
			return l.Name
		}
	}
	return ""
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

// outcome turns what ended the reading, and the damage met, into an error.
func (p *pipeline) outcome(stop error) error {
	var errs []error
	for _, d := range p.source.Damage() {
		errs = append(errs, d)
	}
	if stop != nil {
		errs = append(errs, stop)
	}
	if len(errs) == 0 {
		return nil
	}
	return &DamageError{errors.Join(errs...)}
}
