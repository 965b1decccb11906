package cli

import (
	"context"
	"errors"
	"fmt"

	"mpanalyze/internal/csvtables"
	"mpanalyze/internal/output"
	"mpanalyze/internal/runs"
)

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
	for m := range s.set.Members() {
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
