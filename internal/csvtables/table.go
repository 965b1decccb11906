package csvtables

import (
	"bufio"
	"errors"
	"os"
	"strings"

	"mpanalyze/internal/output"
	"mpanalyze/internal/parquet"
)

// tableBlock is how many bytes of a table are written at once. It is a multiple of the page
// size, so that no page is written twice. For writes of 64 KiB and more, Linux takes larger
// pieces of memory. They are cheaper to fill, but not in a virtual machine whose host must
// first supply them: there they cost five times as much. For smaller writes, Linux takes pieces
// of up to eight pages; their size is a power of two, and they are aligned to it. So 48 KiB
// need two pieces, but 56 KiB need three or four.
const tableBlock = 48 << 10

// table is one table that grows row by row, as CSV, as Parquet or as both: so these cannot differ.
// After the first error it ignores rows; the error stands until close. close is safe on a nil table.
type table struct {
	forms []form
	line  []byte // the latest row
	err   error

	prefixes rowPrefixes // of streamed rows
}

// form is a file of a table.
type form struct {
	dir   *output.Dir
	name  string
	file  *os.File
	write func(line []byte) error
	flush func() error
}

// parquetTypes are the types of values by the types of columns ([Column.Type]).
var parquetTypes = map[string]parquet.Type{
	"integer": parquet.Integer, "unsigned": parquet.Unsigned, "number": parquet.Number, "boolean": parquet.Boolean, "text": parquet.Text,
	"time": parquet.Time, "numbers": parquet.Text, "count": parquet.Integer,
}

// createTable begins a table of the directories; name is that of the CSV file.
func (w *Writer) createTable(name string, columns []Column) (*table, error) {
	t := &table{}
	if w.dir != nil {
		file, err := w.dir.Create(name)
		if err != nil {
			return nil, err
		}
		out := bufio.NewWriterSize(file, tableBlock)
		write := func(line []byte) error {
			if _, err := out.Write(line); err != nil {
				return err
			}
			return out.WriteByte('\n')
		}
		t.forms = append(t.forms, form{w.dir, name, file, write, out.Flush})
		t.write([]byte(header(columns)))
	}
	if w.parquet != nil {
		name = strings.TrimSuffix(name, ".csv") + ".parquet"
		file, err := w.parquet.Create(name)
		if err != nil {
			return nil, errors.Join(err, t.close())
		}
		typed := make([]parquet.Column, len(columns))
		for i, c := range columns {
			typed[i] = parquet.Column{Name: c.Name, Type: parquetTypes[c.Type]}
		}
		out := parquet.NewWriter(file, typed)
		t.forms = append(t.forms, form{w.parquet, name, file, out.Line, out.Close})
	}
	return t, nil
}

// row returns an empty slice to which the caller appends a row.
func (t *table) row() []byte { return t.line[:0] }

// write ends a row. b is the slice that row returned, with the row appended.
func (t *table) write(b []byte) {
	t.line = b
	for i := range t.forms {
		if f := &t.forms[i]; t.err == nil {
			t.err = f.dir.Failed(f.name, f.write(b))
		}
	}
}

// close flushes the files.
func (t *table) close() error {
	if t == nil {
		return nil
	}
	for i := range t.forms {
		f := &t.forms[i]
		err := f.flush()
		if e := f.file.Close(); err == nil {
			err = e
		}
		if t.err == nil {
			t.err = f.dir.Failed(f.name, err)
		}
	}
	return t.err
}
