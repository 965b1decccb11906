package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
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
func (s *study) parquetTables(dir *output.Dir) error {
	table := s.look.forCSV(s.shown)
	return errors.Join(
		parquetTable(dir, "table.parquet", slices.Values(table.Numbers()), func(column int, _ string) bool { return !table.TextColumn(column) }),
		parquetTable(dir, "values.parquet", s.set.Values(), func(_ int, name string) bool { return name == campaign.ValueColumn }))
}

// parquetTable writes a table, whose first line names the columns. Columns that have no numbers have text.
func parquetTable(dir *output.Dir, name string, lines iter.Seq[[]string], numbers func(column int, name string) bool) error {
	return dir.Write(name, func(f io.Writer) error {
		var w *parquet.Writer
		for line := range lines {
			if w != nil {
				w.Row(line) // an error stands until Close
				continue
			}
			columns := make([]parquet.Column, len(line))
			for i, n := range line {
				if columns[i].Name = n; numbers(i, n) {
					columns[i].Type = parquet.Number
				}
			}
			w = parquet.NewWriter(f, columns)
		}
		return w.Close()
	})
}

// checkTables refuses --tables without a place for it, and runs of which only figures are known.
func (o *compareOptions) checkTables() error {
	switch {
	case o.tables.text() == "none":
		return nil
	case o.parquet == "":
		return errors.New("--tables needs --parquet DIR, the directory for series.parquet")
	case len(o.results) > 0:
		return errors.New("--tables beside --results: results have no series; name the captures")
	}
	return o.tables.check(csvtables.PairSeries()...)
}

// runSeries analyses the captures of the runs again, one after the other, and writes their
// series into one table.
func (a *app) runSeries(ctx context.Context, co *runs.Options, s *study, dir *output.Dir) error {
	wanted := s.tables.wanted()
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
	into := func(eo *engine.Options) { eo.Rows, eo.Series, eo.Changes = table, run.Wants, true }
	if !m.Both {
		table.Begin(run)
		_, err := co.Again(ctx, &m.Input, into)
		return err
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
		table.Begin(run)
		_, err = co.Again(ctx, &m.Input, func(eo *engine.Options) { into(eo); eo.Packets = table })
	}
	if err != nil || !atReceiver {
		return err
	}
	doc, err := co.AtReceiver(ctx, &m.Input, both, basic)
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
	table.Begin(run)
	_, err = co.AtReceiver(ctx, &m.Input, both, into)
	return err
}
