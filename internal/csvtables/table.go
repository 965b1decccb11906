package csvtables

import (
	"os"

	"mpanalyze/internal/output"
)

// tableBlock is how many bytes of a table are written at once: whole pages,
// so that none is touched twice. Linux keeps what comes in 64 KiB and more in
// larger pieces of memory, which are cheaper to fill, but not in a virtual machine
// whose host has to bring them in first: there they cost five times as much. Of
// smaller ones it makes pieces of up to eight pages, powers of two at multiples of
// their size: two for each 48 KiB, but three or four for 56.
const tableBlock = 48 << 10

// rowRoom is room for a row behind a block. A longer one is still written, at the price
// of an allocation.
const rowRoom = 4 << 10

// table is one CSV file that grows row by row. After the first error it
// ignores rows; the error stands until close.
type table struct {
	file *os.File
	name string      // for errors
	dir  *output.Dir // for errors; nil: they go out as they are
	buf  []byte      // rows that are not yet written, between two rows less than a block
	err  error

	prefixes rowPrefixes // of streamed rows
	times    [5]timeText // by column
}

// createTable begins a table of a directory.
func createTable(d *output.Dir, name, header string) (*table, error) {
	f, err := d.Create(name)
	if err != nil {
		return nil, err
	}
	t := newTable(f, header)
	t.dir, t.name = d, name
	return t, nil
}

// failed names the table in an error of its file.
func (t *table) failed(err error) error {
	if t.dir == nil {
		return err
	}
	return t.dir.Failed(t.name, err)
}

// newTable begins the table that goes into a file.
func newTable(f *os.File, header string) *table {
	t := &table{file: f, buf: make([]byte, 0, tableBlock+rowRoom)}
	t.write(append(t.row(), header...))
	return t
}

// row returns what is not yet written, to append a row to.
func (t *table) row() []byte { return t.buf }

// write ends the row at the end of b, to which row gave the beginning.
func (t *table) write(b []byte) {
	t.buf = append(b, '\n')
	if len(t.buf) >= tableBlock {
		t.flushBlocks()
	}
}

// flushBlocks writes whole blocks.
func (t *table) flushBlocks() { t.flush(len(t.buf) / tableBlock * tableBlock) }

// flush writes the first n bytes of what is not yet written.
func (t *table) flush(n int) {
	if t.err == nil {
		_, err := t.file.Write(t.buf[:n])
		t.err = t.failed(err)
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
		t.err = t.failed(err)
	}
	return t.err
}
