// Package parquet writes tables of plain columns as Apache Parquet files, with the library
// parquet-go. It adds what tables of text need: columns in a given order, values from texts, and
// row groups that end early enough to bound memory.
package parquet

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"io"

	library "github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/compress/zstd"
)

// The library keeps a row group, compressed, until it ends, and a page of each column as it is. So a group
// ends after groupValues values, whatever the width of the table. Smaller groups take less memory, but a file
// has at most 32,767 of them, here 69 thousand million values. The library gets blockRows rows at once,
// which takes less time.
const (
	groupValues = 1 << 21
	blockRows   = 128
	pageBytes   = 64 << 10
)

// Column is a column of a table. Every column may have nulls.
type Column struct {
	Name string
	Type Type
}

// Writer writes one table. Only one goroutine may use it at a time. After the first error it
// ignores rows; the error stands until Close.
type Writer struct {
	out     *library.GenericWriter[any]
	columns []Column
	values  [][]library.Value // by column, of rows that out does not have yet
	rows    int               // how many rows these are
	group   int               // values in the row group that is not yet ended
	err     error

	text  bytes.Buffer // what Line got and cells has not yet read
	cells *csv.Reader
}

// NewWriter begins a table.
func NewWriter(out io.Writer, columns []Column) *Writer {
	w := &Writer{columns: columns, values: make([][]library.Value, len(columns))}
	root := &ordered{}
	for _, c := range columns {
		root.fields = append(root.fields, library.Group{c.Name: library.Optional(c.Type.node())}.Fields()...)
	}
	w.out = library.NewGenericWriter[any](out, &library.WriterConfig{
		Schema:          library.NewSchema("schema", root),
		Compression:     &zstd.Codec{Level: zstd.SpeedFastest},
		CreatedBy:       "mpanalyze", // by default the library names itself
		DataPageVersion: 1,           // which every program reads
		PageBufferSize:  pageBytes,
	}, library.DataPageStatistics(false)) // the index of the pages has the same
	w.cells = csv.NewReader(&w.text)
	w.cells.ReuseRecord = true
	w.cells.FieldsPerRecord = -1 // Row counts them
	return w
}

// ordered is a group whose columns keep their order; those of a [library.Group] are sorted by name.
type ordered struct {
	library.Group
	fields []library.Field
}

// Fields implements [library.Node].
func (o *ordered) Fields() []library.Field { return o.fields }

// Line takes a record of CSV (RFC 4180) as a row. line has no end of line. "\r\n" in a text becomes
// "\n", as for every reader of the package [csv].
func (w *Writer) Line(line []byte) error {
	w.text.Write(line) // never fails, nor does the next
	w.text.WriteByte('\n')
	cells, err := w.cells.Read()
	if err != nil && w.err == nil {
		w.err = fmt.Errorf("a row as CSV: %w", err)
	}
	return w.Row(cells)
}

// Row takes the texts of a row's values; an empty text is null.
func (w *Writer) Row(cells []string) error {
	if w.err == nil && len(cells) != len(w.columns) {
		w.err = fmt.Errorf("a row has %d values, want %d", len(cells), len(w.columns))
	}
	if w.err != nil {
		return w.err
	}
	for i, text := range cells {
		var v library.Value // null
		if text != "" {
			if v, w.err = w.columns[i].Type.value(text); w.err != nil {
				w.err = fmt.Errorf("column %s: %w", w.columns[i].Name, w.err)
				return w.err
			}
			v.SetDefinitionLevel(1)
		}
		w.values[i] = append(w.values[i], v)
	}
	if w.rows++; w.rows == blockRows {
		w.flush()
	}
	return w.err
}

// flush gives the library the rows that it does not have yet, and ends the row group if it is full.
func (w *Writer) flush() {
	for i, column := range w.out.ColumnWriters() {
		if w.err == nil && w.rows > 0 {
			_, w.err = column.WriteRowValues(w.values[i])
		}
		w.values[i] = w.values[i][:0]
	}
	w.group += w.rows * len(w.columns)
	if w.rows = 0; w.err == nil && w.group >= groupValues {
		w.err, w.group = w.out.Flush(), 0
	}
}

// Close writes the rest. It does not close what NewWriter got.
func (w *Writer) Close() error {
	if w.flush(); w.err == nil {
		w.err = w.out.Close()
	}
	return w.err
}
