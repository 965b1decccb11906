package csvtables

import (
	"errors"
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

// rowRoom is the space in the buffer for a row behind a block, in bytes. A longer row costs an
// allocation.
const rowRoom = 4 << 10

// table is one table that grows row by row, as CSV, as Parquet or as both. After the first
// error it ignores rows; the error stands until close.
type table struct {
	file    *os.File     // nil without CSV
	name    string       // for errors
	dir     *output.Dir  // for errors; if it is nil, errors are returned unchanged
	buf     []byte       // rows that are not yet written; after each row it holds less than a block
	columns *parquetFile // nil without Parquet
	err     error

	prefixes rowPrefixes // of streamed rows
}

// createTable begins a table of the directories.
func (w *Writer) createTable(name string, columns []Column) (*table, error) {
	t := &table{dir: w.dir, name: name, buf: make([]byte, 0, tableBlock+rowRoom)}
	var err error
	if w.dir != nil {
		if t.file, err = w.dir.Create(name); err != nil {
			return nil, err
		}
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

// row returns the bytes that are not yet written. The caller appends a row to them.
func (t *table) row() []byte { return t.buf }

// write ends a row. b is the slice that row returned, with the row appended.
func (t *table) write(b []byte) {
	if t.columns != nil {
		t.line(b[len(t.buf):])
	}
	if t.file == nil {
		t.buf = b[:0]
		return
	}
	t.buf = append(b, '\n')
	if len(t.buf) >= tableBlock {
		t.flush(len(t.buf) / tableBlock * tableBlock) // whole blocks
	}
}

// flush writes the first n of the bytes that are not yet written.
func (t *table) flush(n int) {
	if t.err == nil {
		_, err := t.file.Write(t.buf[:n])
		t.err = t.failed(err)
	}
	t.buf = t.buf[:copy(t.buf, t.buf[n:])]
}

// line gives a row to the Parquet file.
func (t *table) line(b []byte) {
	if t.err == nil {
		t.err = t.columns.line(b)
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
	t.flush(len(t.buf))
	if err := t.file.Close(); t.err == nil {
		t.err = t.failed(err)
	}
	return t.err
}
