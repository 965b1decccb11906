package csvtables

import (
	"os"
	"strings"

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

// newParquet begins the table that has the name as CSV.
func newParquet(dir *output.Dir, name string, columns []Column) (*parquetFile, error) {
	name = strings.TrimSuffix(name, ".csv") + ".parquet"
	f, err := dir.Create(name)
	if err != nil {
		return nil, err
	}
	typed := make([]parquet.Column, len(columns))
	for i, c := range columns {
		typed[i] = parquet.Column{Name: c.Name, Type: parquetTypes[c.Type]}
	}
	return &parquetFile{f, name, dir, parquet.NewWriter(f, typed)}, nil
}

func (p *parquetFile) line(b []byte) error { return p.dir.Failed(p.name, p.w.Line(b)) }

func (p *parquetFile) close() error {
	err := p.w.Close()
	if e := p.file.Close(); err == nil {
		err = e
	}
	return p.dir.Failed(p.name, err)
}
