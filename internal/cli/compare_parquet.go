package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"mpanalyze/internal/campaign"
	"mpanalyze/internal/catalogue"
	"mpanalyze/internal/csvtables"
	"mpanalyze/internal/engine"
	"mpanalyze/internal/output"
	"mpanalyze/internal/parquet"
	"mpanalyze/internal/report"
	"mpanalyze/internal/runs"
)

// parquetTables writes the tables of --csv and --values as Parquet into a directory.
func parquetTables(dir *output.Dir, s *study, look *tableOptions) error {
	table := look.forCSV(s.table)
	return errors.Join(
		parquetTable(dir, "table.parquet", table.WriteCSV, func(column int, _ string) parquet.Type {
			if table.TextColumn(column) {
				return parquet.Text
			}
			return parquet.Number
		}),
		parquetTable(dir, "values.parquet", s.set.WriteValues, func(_ int, name string) parquet.Type {
			if name == campaign.ValueColumn {
				return parquet.Number
			}
			return parquet.Text
		}))
}

// parquetTable writes a table that write writes as CSV.
func parquetTable(dir *output.Dir, name string, write func(io.Writer) error, types func(int, string) parquet.Type) error {
	return dir.Write(name, func(f io.Writer) error {
		w := parquet.FromCSV(f, types)
		if err := write(w); err != nil {
			return err
		}
		return w.Close()
	})
}

// checkSeries refuses --series without a place for it, and runs of which only figures are known.
func (o *compareOptions) checkSeries() error {
	switch {
	case o.series == "none":
		return nil
	case o.parquet == "":
		return errors.New("--series needs --parquet DIR, the directory for series.parquet")
	case len(o.results) > 0:
		return errors.New("--series beside --results: results have no series; name the captures")
	}
	return checkSeries(o.series, csvtables.PairSeries()...)
}

// runSeries analyses the captures of the runs again, one after the other, and writes their
// series into one table.
func (a *app) runSeries(ctx context.Context, o *compareOptions, co *runs.Options, s *study, dir *output.Dir) error {
	wanted := wantedSeries(o.series)
	if wanted == nil {
		return nil
	}
	table, err := csvtables.NewRunSeries(dir)
	if err != nil {
		return err
	}
	for _, m := range s.set.Members() {
		if err = seriesOf(ctx, co, m, wanted, table); err != nil {
			break
		}
	}
	if n := table.OmittedCells(); n > 0 {
		a.sayWarnings([]string{fmt.Sprintf("series.parquet leaves out %d cells without data: of a long pause it has only the first and the last cell", n)})
	}
	return errors.Join(err, table.Close())
}

// seriesOf writes the series of a run. With captures of both hosts they are those of the end that the
// figures are of, beside those that take both captures. The rows of such a run are those of the
// sender's capture, so those of the receiver's come from an analysis of that one alone.
func seriesOf(ctx context.Context, co *runs.Options, m *campaign.Member, wanted func(string) bool, table *csvtables.RunSeries) error {
	run := csvtables.SeriesRun{Scenario: m.Scenario, Run: m.Name, Connection: m.Connection, End: m.SeriesEnd, Wants: wanted}
	rows := func(run csvtables.SeriesRun, change func(*engine.Options)) error {
		table.Begin(run)
		_, err := co.Again(ctx, &m.Input, func(eo *engine.Options) {
			eo.Rows, eo.Series, eo.Changes = table, run.Wants, true
			change(eo)
		})
		return err
	}
	if !m.Both {
		return rows(run, func(*engine.Options) {})
	}
	basic := func(eo *engine.Options) { eo.Omit, eo.Evidence = catalogue.AllFamilies, nil }
	both, err := co.Again(ctx, &m.Input, basic) // the difference of the clocks
	if err != nil {
		return err
	}
	atReceiver := m.End == report.ReceiverHost
	if run.Both = both; atReceiver {
		run.Wants = func(metric string) bool { return wanted(metric) && slices.Contains(csvtables.PairSeries(), metric) }
	}
	if !atReceiver || slices.ContainsFunc(csvtables.PairSeries(), wanted) {
		err = rows(run, func(eo *engine.Options) { eo.Packets = table })
	}
	if err != nil || !atReceiver {
		return err
	}
	alone := func(eo *engine.Options) {
		eo.Paths, eo.Receiver, eo.Swap, eo.End = capturesOf(both, report.ReceiverHost), nil, false, ""
	}
	doc, err := co.Again(ctx, &m.Input, func(eo *engine.Options) { basic(eo); alone(eo) })
	if err != nil {
		return err
	}
	c := both.Connection(m.Connection)
	there := c.Same(doc)
	if there == nil {
		return fmt.Errorf("%s: the capture of the receiver has no such connection as connection %d of both captures", m.Name, m.Connection)
	}
	run.Both, run.Wants, run.Connection, run.To, run.Subflows = nil, wanted, there.ID, c.ID, map[int]int{}
	for i := range there.Subflows {
		if s := c.SameSubflow(&there.Subflows[i]); s != nil {
			run.Subflows[there.Subflows[i].ID] = s.ID
		}
	}
	return rows(run, alone)
}
