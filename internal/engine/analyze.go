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
)

// Analyze reads the captures and reports on every connection in them. Where a
// capture is damaged or ctx ends, the document holds what stood before, and
// comes with a [DamageError]. Where there is no such connection as is asked for,
// it fails with an [InputError].
func Analyze(ctx context.Context, o Options) (*report.Document, error) {
	if len(o.Receiver) > 0 {
		return analyzePair(ctx, o)
	}
	builder := &report.Builder{Label: o.label, Diagnose: diagnose.Connection, DiagnoseTCP: diagnose.TCP, Detail: o.Detail}
	cfg := metrics.Config{Interval: o.Interval, Skip: o.Skip, Until: o.Until, QoE: o.QoE, Omit: o.Omit}
	var rows *report.Rows
	var modules []conn.Module
	if o.Rows != nil {
		rows = report.NewRows(o.Rows, builder.Path, o.selected, o.Direction)
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
	reports = build(builder, o.reuse(collector))
	table := conn.NewTable(conn.Options{Vantage: vantage(o.Vantage)}, modules...)
	stop := p.run(ctx, table)
	table.Finish()
	reports.wait()
	doc := p.document(table)
	doc.Connections, doc.TCP = builder.Lists()
	if o.Detail != report.Lines {
		diagnose.Document(doc)
	}
	if rows != nil {
		if err := rows.Finish(); err != nil {
			return nil, err
		}
	}
	return o.found(doc, p.outcome(stop))
}

// found returns a document and what was met on the way to it. Where all was read
// and the only connection that was asked for is not there, it returns that instead.
func (o *Options) found(doc *report.Document, met error) (*report.Document, error) {
	if met == nil && o.Connection != AllConnections && len(doc.Connections) == 0 {
		where := strings.Join(append(slices.Clone(o.Paths), o.Receiver...), ", ")
		return nil, &InputError{fmt.Errorf("no connection %d in %s; mpanalyze connections lists what there is", o.Connection, where)}
	}
	return doc, met
}

// reuse returns what gives the memory of a connection back that was reported on.
// Rows and further modules may still know of it.
func (o *Options) reuse(k *metrics.Collector) func(*metrics.Connection) {
	if o.Rows != nil || len(o.Modules) > 0 {
		return k.Reuse
	}
	return func(m *metrics.Connection) {
		c := m.Conn
		k.Reuse(m)
		c.GiveBack()
	}
}

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
