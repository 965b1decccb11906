package csvtables

import (
	"bufio"
	"errors"
	"io"
	"os"

	"mpanalyze/internal/output"
)

// tableBlock is how many bytes of a table are written at once. It is a multiple of the page
// size, so that no page is written twice. For writes of 64 KiB and more, Linux takes larger
// pieces of memory. They are cheaper to fill, but not in a virtual machine whose host must
// first supply them: there they cost five times as much. For smaller writes, Linux takes pieces
// of up to eight pages; their size is a power of two, and they are aligned to it. So 48 KiB
// need two pieces, but 56 KiB need three or four.
const tableBlock = 48 << 10

// table is one table that grows row by row, as CSV, as Parquet or as both. After the first
// error it ignores rows; the error stands until close.
type table struct {
	file    *os.File      // nil without CSV
	name    string        // for errors
	dir     *output.Dir   // for errors; if it is nil, errors are returned unchanged
	out     *bufio.Writer // of the file; of nothing without CSV
	columns *parquetFile  // nil without Parquet
	err     error

	prefixes rowPrefixes // of streamed rows
}

// createTable begins a table of the directories.
func (w *Writer) createTable(name string, columns []Column) (*table, error) {
	t := &table{dir: w.dir, name: name, out: bufio.NewWriterSize(io.Discard, tableBlock)}
	var err error
	if w.dir != nil {
		if t.file, err = w.dir.Create(name); err != nil {
			return nil, err
		}
		t.out.Reset(t.file)
		t.write(append(t.row(), header(columns)...))
	}
	if w.parquet != nil {
		if t.columns, err = newParquet(w.parquet, name, columns); err != nil {
			return nil, errors.Join(err, t.close())
		}
	}
	return t, nil
}

// failed adds the name of the table to an error of its file.
func (t *table) failed(err error) error {
	if t.dir == nil {
		return err
	}
	return t.dir.Failed(t.name, err)
}

// row returns an empty slice to which the caller appends a row. It is the free part of the buffer,
// so that no row is copied but the last one before a block is full.
func (t *table) row() []byte { return t.out.AvailableBuffer() }

// write ends a row. b is the slice that row returned, with the row appended.
func (t *table) write(b []byte) {
	if t.err == nil && t.columns != nil {
		t.err = t.columns.line(b)
	}
	if t.err == nil && t.file != nil {
		_, err := t.out.Write(append(b, '\n'))
		t.err = t.failed(err)
	}
}

// close flushes the files; it is safe on a nil table.
func (t *table) close() error {
	if t == nil {
		return nil
	}
	if t.columns != nil {
		if err := t.columns.close(); t.err == nil {
			t.err = err
		}
	}
	if t.file == nil {
		return t.err
	}
	err := t.out.Flush()
	if e := t.file.Close(); err == nil {
		err = e
	}
	if t.err == nil {
		t.err = t.failed(err)
	}
	return t.err
}
