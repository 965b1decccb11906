package csvtables

import (
	"bufio"
	"io"
	"slices"

	"mpanalyze/internal/output"
	"mpanalyze/internal/report"
)

// RunSeries writes the series of many runs into one table, series.parquet: the columns scenario
// and run, and those of series.csv. It has one connection of each run.
type RunSeries struct {
	report.NopRows
	table      *table
	lead       []byte // scenario and run of the rows that come
	connection int
	omitted    int64
}

var _ report.Omitting = (*RunSeries)(nil)

// NewRunSeries begins the table in a directory.
func NewRunSeries(dir *output.Dir) (*RunSeries, error) {
	lead := []Column{column("scenario", "text", ""), column("run", "text", "")}
	f, err := newParquet(dir, "series.csv", slices.Concat(lead, seriesColumns))
	if err != nil {
		return nil, err
	}
	return &RunSeries{table: &table{dir: dir, name: f.name, columns: f, out: bufio.NewWriter(io.Discard)}}, nil
}

// Begin says of which run and connection the next rows are.
func (s *RunSeries) Begin(scenario, run string, connection int) {
	s.lead = append(appendText(append(appendText(s.lead[:0], scenario), ','), run), ',')
	s.connection = connection
	s.table.prefixes = rowPrefixes{} // numbers of lines are those of one analysis
}

// Series implements [report.RowSink].
func (s *RunSeries) Series(rows []report.SeriesRow) error {
	for i := range rows {
		if rows[i].Connection == s.connection {
			s.table.seriesRow(s.lead, &rows[i])
		}
	}
	return s.table.err
}

// Omitted counts cells without data that have no row ([report.Omitting]).
func (s *RunSeries) Omitted(n int64) { s.omitted += n }

// OmittedCells returns how many cells without data have no row, of all connections of the runs.
func (s *RunSeries) OmittedCells() int64 { return s.omitted }

// Close writes the rest of the table.
func (s *RunSeries) Close() error { return s.table.close() }
