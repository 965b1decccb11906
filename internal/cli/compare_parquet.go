package cli

import (
	"context"
	"errors"
	"fmt"
	"io"

	"mpanalyze/internal/campaign"
	"mpanalyze/internal/csvtables"
	"mpanalyze/internal/output"
	"mpanalyze/internal/parquet"
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
	return checkSeries(o.series)
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
		table.Begin(m.Scenario, m.Name, m.Connection)
		if err = co.Rows(ctx, &m.Input, wanted, table); err != nil {
			break
		}
	}
	if n := table.OmittedCells(); n > 0 {
		a.sayWarnings([]string{fmt.Sprintf("series.parquet leaves out %d cells without data: of a long pause it has only the first and the last cell", n)})
	}
	return errors.Join(err, table.Close())
}
