package engine

import (
	"context"
	"errors"

	"mpanalyze/internal/conn"
	"mpanalyze/internal/decode"
	"mpanalyze/internal/diagnose"
	"mpanalyze/internal/metrics"
	"mpanalyze/internal/report"
	"mpanalyze/internal/report/build"
	"mpanalyze/internal/split"
	"mpanalyze/internal/storage"
)

// merge puts the report on the parts into stored. met is the damage of the whole
// capture.
func (o *Options) merge(ctx context.Context, dir string, x *split.Index, stored *report.Stored) (met, err error) {
	builder, late := o.builder(stored), build.NewLatePackets(o.Detail)
	for i := range x.Parts {
		part := &x.Parts[i]
		used, err := o.resultInto(dir, part, builder)
		if err == nil && !used {
			err = o.partInto(ctx, builder, late, dir, x, part)
		}
		if err != nil {
			return nil, err
		}
	}
	stored.Finish(&report.Document{Schema: report.SchemaName, MadeBy: o.MadeBy(), Captures: x.Captures, Warnings: x.Warnings, LeftOutTCP: builder.LeftOut})
	late.Amend(stored)
	if err := o.verdicts().Stored(stored); err != nil {
		return nil, err
	}
	if err := damageOf(x.Captures, x.Warnings); err != nil {
		return err, nil
	}
	return nil, o.checkLabels(stored)
}

func (o *Options) builder(into *report.Stored) *build.Builder {
	return &build.Builder{Into: into, Mark: diagnose.Related, Label: o.Label, Detail: o.Detail}
}

// damageOf returns what is damaged of captures, as [reader.outcome] did when they were read.
func damageOf(all []report.Capture, warnings []report.Warning) error {
	var errs []error
	nothing, packets, unknown := true, int64(0), int64(0)
	for i := range warnings {
		if warnings[i].Code == decode.UnknownLink.String() {
			unknown = warnings[i].Count
		}
	}
	for i := range all {
		packets += all[i].Packets
		nothing = nothing && all[i].Packets == 0
		if d := all[i].Damage; d != nil {
			errs = append(errs, errors.New(d.Message))
		}
	}
	if len(errs) == 0 {
		return noneKnown(packets, unknown)
	}
	return &DamageError{Err: errors.Join(errs...), Nothing: nothing}
}

// partInto analyses a part.
func (o *Options) partInto(ctx context.Context, builder *build.Builder, late *build.LatePackets, dir string, x *split.Index, part *split.Part) error {
	plan, done, err := part.Plan(dir)
	if err != nil {
		return &InputError{err}
	}
	defer done() // opened for reading only
	r, err := o.openPart(ctx, storage.Join(dir, part.File), x)
	if err != nil {
		return &InputError{err}
	}
	defer r.close()
	ctx, stop := context.WithCancelCause(ctx) // where a report cannot be stored
	defer stop(nil)
	reports := startReporter(builder, o.verdicts(), (*metrics.Connection).GiveBack, stop)
	collector := metrics.NewCollector(o.metricsConfig(), func(m *metrics.Connection) { reports.ended <- ended{figures: m} })
	options := o.tableOptions(reports)
	options.Plan = plan
	table := conn.NewTable(options, collector, late)
	stopped := r.trackPart(ctx, table)
	table.FinishPlan()
	table.Finish()
	if err := errors.Join(reports.wait(), stopped); err != nil {
		return err
	}
	for _, d := range r.source.Damage() {
		return &InputError{d} // parts are written whole, so damage is an error
	}
	if err := part.Check(plan); err != nil {
		return &InputError{err}
	}
	return nil
}

// openPart opens a part. Its packets are in order, and it has no duplicates.
func (o *Options) openPart(ctx context.Context, file string, x *split.Index) (*reader, error) {
	one := *o
	one.Paths, one.Filter, one.HashLimit = []string{file}, "", 0
	r, err := openFiles(ctx, one)
	if err != nil {
		return nil, err
	}
	r.decoder = decode.New(decode.Options{Decap: o.Decap, KeepDuplicates: true})
	r.clock, r.payloadAt = nil, x.PayloadFrom
	return r, nil
}

// trackPart gives every segment to the table.
func (r *reader) trackPart(ctx context.Context, table *conn.Table) error {
	defer r.decoder.Finish()
	return r.eachBatch(ctx, func(b *batch) {
		table.SegmentsInOrder(b.segs[:b.n])
		r.free <- b
	})
}
