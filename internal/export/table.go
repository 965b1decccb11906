package export

import (
	"os"
	"path/filepath"
)

// tableBlock is how many octets of a table are written at once: whole pages,
// so that none is touched twice. Linux keeps what comes in 64 KiB and more in
// larger pieces of memory, which are cheaper to fill, but not in a virtual machine
// whose host has to bring them in first: there they cost five times as much.
const tableBlock = 56 << 10

// rowRoom is how many octets are free behind the rows that are not yet
// written. A longer row is still written, at the price of an allocation.
const rowRoom = 4 << 10

// table is one CSV file that grows row by row. After the first error it
// ignores rows; the error stands until close.
type table struct {
	file *os.File
	buf  []byte // rows that are not yet written, less than a block between two rows
	err  error
	memo memo
}

func createTable(dir, name, header string) (*table, error) {
	f, err := os.Create(filepath.Join(dir, name))
	if err != nil {
		return nil, err
	}
	t := &table{file: f, buf: make([]byte, 0, tableBlock+rowRoom)}
	t.write(append(t.row(), header...))
	return t, nil
}

// row returns what is not yet written, to append a row to.
func (t *table) row() []byte { return t.buf }

// write ends the row at the end of b, to which row gave the beginning.
func (t *table) write(b []byte) {
	t.buf = append(b, '\n')
	if len(t.buf) >= tableBlock {
		t.flush(len(t.buf) / tableBlock * tableBlock)
	}
}

// flush writes the first n octets of what is not yet written.
func (t *table) flush(n int) {
	if t.err == nil {
		_, t.err = t.file.Write(t.buf[:n])
	}
	t.buf = t.buf[:copy(t.buf, t.buf[n:])]
}

// close flushes the file; it is safe on a nil table.
func (t *table) close() error {
	if t == nil {
		return nil
	}
	t.flush(len(t.buf))
	if err := t.file.Close(); t.err == nil {
		t.err = err
	}
	return t.err
}
