package parquet

import (
	"fmt"
	"io"

	"github.com/klauspost/compress/zstd"
)

const magic = "PAR1"

// A row group ends when its columns have groupBytes, so that memory is bounded whatever the
// width of the table. The footer keeps about 50 bytes for each column of a group.
const groupBytes = 4 << 20

// Writer writes one table. Only one goroutine may use it at a time. After the first error it
// ignores rows; the error stands until Close.
type Writer struct {
	out     io.Writer
	at      int64 // bytes written
	columns []column
	next    int // column of the next value
	err     error

	rows       int64 // of all groups that were written
	groupRows  int
	groupSize  int
	groups     int
	groupTexts []byte // RowGroup of each

	zstd         *zstd.Encoder
	page, packed []byte // scratch
}

// NewWriter begins a table.
func NewWriter(out io.Writer, columns []Column) *Writer {
	w := &Writer{out: out, columns: make([]column, len(columns))}
	for i, c := range columns {
		w.columns[i].Column = c
	}
	w.zstd, w.err = zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1), zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithEncoderCRC(false), zstd.WithLowerEncoderMem(true))
	w.write([]byte(magic))
	return w
}

// Add takes the text of the next value of the row; an empty text is null.
func (w *Writer) Add(text []byte) {
	if w.err != nil {
		return
	}
	if w.next == len(w.columns) {
		w.err = fmt.Errorf("a row has more than %d values", len(w.columns))
		return
	}
	n, err := w.columns[w.next].add(text)
	w.groupSize, w.err = w.groupSize+n, err
	w.next++
}

// End ends a row.
func (w *Writer) End() error {
	if w.err == nil && w.next != len(w.columns) {
		w.err = fmt.Errorf("a row has %d values, want %d", w.next, len(w.columns))
	}
	w.next = 0
	if w.groupRows++; w.groupSize >= groupBytes {
		w.endGroup()
	}
	return w.err
}

// Close writes the rest. It does not close what NewWriter got.
func (w *Writer) Close() error {
	w.endGroup()
	w.write(w.footer())
	return w.err
}

// endGroup writes the row group that was filled.
func (w *Writer) endGroup() {
	if w.groupRows == 0 || w.err != nil {
		return
	}
	total := 0
	group := thrift{b: w.groupTexts}
	group.begin()
	group.list(1, structType, len(w.columns))
	for i := range w.columns {
		at := w.writePage(&w.columns[i])
		total += at.size
		group.columnChunk(w.columns[i].Column, at)
	}
	group.int64(2, int64(total))
	group.int64(3, int64(w.groupRows))
	group.end()
	w.groupTexts = group.b
	w.rows += int64(w.groupRows)
	w.groups, w.groupRows, w.groupSize = w.groups+1, 0, 0
}

// writePage writes the one page that a column has in a group.
func (w *Writer) writePage(c *column) chunk {
	w.page = c.page(w.page[:0])
	w.packed = w.zstd.EncodeAll(w.page, w.packed[:0])
	var header thrift
	header.pageHeader(w.groupRows, len(w.page), len(w.packed))
	at := chunk{w.groupRows, len(header.b) + len(w.page), len(header.b) + len(w.packed), w.at}
	w.write(header.b)
	w.write(w.packed)
	return at
}

func (w *Writer) write(b []byte) {
	if w.err == nil {
		var n int
		n, w.err = w.out.Write(b)
		w.at += int64(n)
	}
}
