package export

import (
	"bufio"
	"os"
	"path/filepath"
)

// tableBuffer is the size in bytes of a table's write buffer; rowRoom is what
// must be free in it before a row is put together in place. A longer row is
// still written, at the price of an allocation.
const (
	tableBuffer = 64 << 10
	rowRoom     = 4 << 10
)

// table is one CSV file that grows row by row. After the first error it
// ignores rows; the error stands until close.
type table struct {
	file *os.File
	w    *bufio.Writer
	err  error
	memo memo
}

func createTable(dir, name, header string) (*table, error) {
	f, err := os.Create(filepath.Join(dir, name))
	if err != nil {
		return nil, err
	}
	t := &table{file: f, w: bufio.NewWriterSize(f, tableBuffer)}
	t.write(append(t.row(), header...))
	return t, nil
}

// row returns an empty slice inside the write buffer to append a row to.
func (t *table) row() []byte {
	if t.w.Available() < rowRoom {
		t.w.Flush() // its error returns with the next Write
	}
	return t.w.AvailableBuffer()
}

// write ends the row and commits it.
func (t *table) write(row []byte) {
	if t.err == nil {
		_, t.err = t.w.Write(append(row, '\n'))
	}
}

// close flushes the file; it is safe on a nil table.
func (t *table) close() error {
	if t == nil {
		return nil
	}
	if err := t.w.Flush(); t.err == nil {
		t.err = err
	}
	if err := t.file.Close(); t.err == nil {
		t.err = err
	}
	return t.err
}
