package csvtables

import (
	"os"

	"mpanalyze/internal/output"
)

// tableBlock is how many octets of a table are written at once: whole pages,
// so that none is touched twice. Linux keeps what comes in 64 KiB and more in
// larger pieces of memory, which are cheaper to fill, but not in a virtual machine
// whose host has to bring them in first: there they cost five times as much. Of
// smaller ones it makes pieces of up to eight pages, powers of two at multiples of
// their size: two for each 48 KiB, but three or four for 56.
const tableBlock = 48 << 10

// tableRoom has room for rows that are not yet written. A longer row is still
// written, at the price of an allocation. The mask has all places before which
// a row can begin, so that none need be checked.
type tableRoom [tableMask + phraseLine]byte

const tableMask = 64<<10 - 1

// table is one CSV file that grows row by row. After the first error it
// ignores rows; the error stands until close.
type table struct {
	file *os.File
	name string      // for errors
	dir  *output.Dir // for errors; nil: they go out as they are
	buf  []byte      // rows that are not yet written, between two rows less than a block, with room for tableRoom
	err  error
	room reserved
	memo *memo // of a table whose rows it makes; else nil
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
	t := &table{file: f, buf: make([]byte, 0, len(tableRoom{}))}
	t.write(append(t.row(), header...))
	return t
}

// row returns what is not yet written, to append a row to.
func (t *table) row() []byte { return t.buf }

// begin begins a row with a text, and returns the line behind it, of which
// nothing is part of the row before end says so.
func (t *table) begin(with *phrase) (p *line) {
	n, size := len(t.buf), with.size
	if size > phraseRoom {
		t.buf, p = lineBehind(append(t.buf, with.text...))
		return p
	}
	to := (*[phraseLine]byte)((*tableRoom)(t.buf[:len(tableRoom{})])[n&tableMask:])
	with.put(to)
	t.buf = t.buf[:n+size]
	return (*line)(to[size&phraseMask:])
}

// end ends the row at spot i of the line that begin returned.
func (t *table) end(p *line, i spot) {
	p[i] = '\n'
	t.buf = t.buf[:len(t.buf)+int(i)+1]
	if len(t.buf) >= tableBlock {
		t.flushBlocks()
	}
}

// write ends the row at the end of b, to which row gave the beginning.
func (t *table) write(b []byte) {
	t.buf = append(b, '\n')
	if len(t.buf) >= tableBlock {
		t.flushBlocks()
	}
}

// flushBlocks writes whole blocks.
func (t *table) flushBlocks() { t.flush(len(t.buf) / tableBlock * tableBlock) }

// flush writes the first n octets of what is not yet written.
func (t *table) flush(n int) {
	if t.err == nil {
		t.room.grow(t.file, n)
		written, err := t.file.Write(t.buf[:n])
		t.room.written += int64(written)
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
	t.room.giveBack(t.file)
	if err := t.file.Close(); t.err == nil {
		t.err = t.failed(err)
	}
	return t.err
}
