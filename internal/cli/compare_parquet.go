package cli

import (
	"errors"
	"io"
	"iter"
	"slices"

	"mpanalyze/internal/campaign"
	"mpanalyze/internal/output"
	"mpanalyze/internal/parquet"
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
