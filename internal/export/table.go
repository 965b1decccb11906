package export

import (
	"os"
	"path/filepath"
)

// tableBuffer is the size in bytes of a table's write buffer; it is written
// once less than rowRoom is free. A row that is longer than what is free is
// still written, at the price of an allocation.
const (
	tableBuffer = 64 << 10
	rowRoom     = 4 << 10
)

// table is one CSV file that grows row by row. After the first error it
// ignores rows; the error stands until close.
type table struct {
	file *os.File
	buf  []byte // rows that are not yet written
	err  error
	memo memo
}

func createTable(dir, name, header string) (*table, error) {
	f, err := os.Create(filepath.Join(dir, name))
	if err != nil {
		return nil, err
	}
	t := &table{file: f, buf: make([]byte, 0, tableBuffer)}
	t.write(append(t.row(), header...))
	return t, nil
}

// row returns what is not yet written, to append a row to.
func (t *table) row() []byte { return t.buf }

// write ends the row at the end of b, to which row gave the beginning.
func (t *table) write(b []byte) {
	t.buf = append(b, '\n')
	if len(t.buf) > tableBuffer-rowRoom {
		t.flush()
	}
}

// flush writes what is not yet written.
func (t *table) flush() {
	if t.err == nil {
		_, t.err = t.file.Write(t.buf)
	}
	t.buf = t.buf[:0]
}

// close flushes the file; it is safe on a nil table.
func (t *table) close() error {
	if t == nil {
		return nil
	}
	t.flush()
	if err := t.file.Close(); t.err == nil {
		t.err = err
	}
	return t.err
}
