package csvtables

import (
	"fmt"
	"os"
	"strings"
	"sync"

	"mpanalyze/internal/output"
	"mpanalyze/internal/parquet"
)

// parquetFile is a table as Parquet. Its rows are those of the CSV file, field by field, so
// that the two cannot differ.
type parquetFile struct {
	file *os.File
	name string
	dir  *output.Dir
	w    *parquet.Writer
}

// parquetTypes are the types of values by the types of columns ([Column.Type]).
var parquetTypes = map[string]parquet.Type{
	"integer": parquet.Integer, "unsigned": parquet.Unsigned, "number": parquet.Number, "boolean": parquet.Boolean, "text": parquet.Text,
	"time": parquet.Time, "numbers": parquet.Text, "count": parquet.Integer,
}

// described are the tables with the types of their columns.
var described = sync.OnceValues(Tables)

// createParquet begins the table that has the name as CSV.
func createParquet(dir *output.Dir, name string) (*parquetFile, error) {
	columns, err := parquetColumns(name)
	if err != nil {
		return nil, err
	}
	return newParquet(dir, strings.TrimSuffix(name, ".csv")+".parquet", columns)
}

// newParquet begins a table with these columns.
func newParquet(dir *output.Dir, name string, columns []parquet.Column) (*parquetFile, error) {
	f, err := dir.Create(name)
	if err != nil {
		return nil, err
	}
	return &parquetFile{f, name, dir, parquet.NewWriter(f, columns)}, nil
}

// parquetColumns returns the columns of a table.
func parquetColumns(name string) (out []parquet.Column, err error) {
	tables, err := described()
	if err != nil {
		return nil, err
	}
	for i := range tables {
		if tables[i].Name != name {
			continue
		}
		for _, c := range tables[i].Columns {
			out = append(out, parquet.Column{Name: c.Name, Type: parquetTypes[c.Type]})
		}
		return out, nil
	}
	return nil, fmt.Errorf("%s: no such table", name) // a mistake of this package
}

func (p *parquetFile) line(b []byte) error { return p.dir.Failed(p.name, p.w.Line(b)) }

func (p *parquetFile) close() error {
	err := p.w.Close()
	if e := p.file.Close(); err == nil {
		err = e
	}
	return p.dir.Failed(p.name, err)
}
