package cli

import (
	"errors"
	"io"

	"mpanalyze/internal/campaign"
	"mpanalyze/internal/output"
	"mpanalyze/internal/parquet"
)

// writeParquet writes the tables of --csv and --values as Parquet into a directory, and what
// more writes.
func writeParquet(name string, s *study, look *tableOptions, more func(*output.Dir) error) error {
	return output.WriteDir(name, func(dir *output.Dir) error {
		if err := parquetTables(dir, s, look); err != nil {
			return err
		}
		return more(dir)
	})
}

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
