package parquet

import (
	"bytes"
	"encoding/csv"
	"errors"
	"io"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	library "github.com/parquet-go/parquet-go"
	"gotest.tools/v3/assert"
)

var everyType = []Column{{"text", Text}, {"integer", Integer}, {"unsigned", Unsigned}, {"number", Number}, {"boolean", Boolean}, {"time", Time}, {"nothing", Number}}

// opened opens a file with the library.
func opened(t testing.TB, file []byte) *library.File {
	t.Helper()
	f, err := library.OpenFile(bytes.NewReader(file), int64(len(file)))
	assert.NilError(t, err)
	return f
}

// readAll reads a file with the library.
func readAll(t testing.TB, file []byte) (names []string, rows []library.Row) {
	t.Helper()
	f := opened(t, file)
	for _, c := range f.Schema().Columns() {
		names = append(names, strings.Join(c, "."))
	}
	for _, g := range f.RowGroups() {
		all := g.Rows()
		for err := error(nil); !errors.Is(err, io.EOF); {
			some, n := make([]library.Row, 64), 0
			if n, err = all.ReadRows(some); err != nil && !errors.Is(err, io.EOF) {
				t.Fatal(err)
			}
			for _, r := range some[:n] {
				rows = append(rows, r.Clone())
			}
		}
		assert.NilError(t, all.Close())
	}
	if f.NumRows() != int64(len(rows)) {
		t.Errorf("the footer says %d rows, there are %d", f.NumRows(), len(rows))
	}
	return names, rows
}

// drawn are a record and the values that it stands for, nil for null.
func drawn(r *rand.Rand) (record []string, want []any) {
	text := []string{"a", "wifi, \"5 GHz\"", "zwei\nZeilen", "Zürich", strings.Repeat("long ", 50)}[r.IntN(5)]
	n, u, x := int64(r.Uint64()), r.Uint64(), math.Float64frombits(r.Uint64())
	if math.IsNaN(x) {
		x = -0.125
	}
	yes, at := r.IntN(2) == 1, time.Unix(0, r.Int64N(math.MaxInt64)).UTC()
	record = []string{
		text, strconv.FormatInt(n, 10), strconv.FormatUint(u, 10), strconv.FormatFloat(x, 'g', -1, 64), strconv.FormatBool(yes), at.Format(time.RFC3339Nano), "",
	}
	want = []any{text, n, u, x, yes, at.UnixNano(), nil}
	for i := range record {
		if r.IntN(4) == 0 {
			record[i], want[i] = "", nil
		}
	}
	return record, want
}

// equal reports whether a value that the library read is the one that was written.
func equal(got library.Value, want any) bool {
	switch w := want.(type) {
	case nil:
		return got.IsNull()
	case string:
		return string(got.ByteArray()) == w
	case int64:
		return got.Int64() == w
	case uint64:
		return got.Uint64() == w
	case float64:
		return got.Double() == w
	case bool:
		return got.Boolean() == w
	}
	return false
}

// made writes so many random rows, each as a line of CSV or as a row.
func made(t *testing.T, seed uint64, rows int, asLine bool) (file []byte, want [][]any) {
	t.Helper()
	r := rand.New(rand.NewPCG(seed, 0))
	var out bytes.Buffer
	w := NewWriter(&out, everyType)
	for range rows {
		record, values := drawn(r)
		want = append(want, values)
		if !asLine {
			assert.NilError(t, w.Row(record))
			continue
		}
		var line bytes.Buffer
		c := csv.NewWriter(&line)
		err := c.Write(record)
		c.Flush()
		assert.NilError(t, errors.Join(err, w.Line(bytes.TrimSuffix(line.Bytes(), []byte("\n")))))
	}
	assert.NilError(t, w.Close())
	return out.Bytes(), want
}

// TestWriter: the library reads what was written, over many blocks of rows. Equal rows make equal
// files, which name the program.
func TestWriter(t *testing.T) {
	const seed, many = 3, 100*blockRows + 1
	file, want := made(t, seed, many, true)
	names, rows := readAll(t, file)
	assert.Assert(t, len(rows) == len(want) && len(names) == len(everyType), "%d rows of %q, want %d rows of %d columns", len(rows), names, len(want), len(everyType))
	for i, row := range rows {
		for j, v := range row {
			if names[j] != everyType[j].Name || !equal(v, want[i][j]) {
				t.Fatalf("row %d, column %s: %v, want %v", i, names[j], v, want[i][j])
			}
		}
	}
	if again, _ := made(t, seed, many, false); !bytes.Equal(again, file) {
		t.Error("equal rows make another file")
	}
	meta := opened(t, file).Metadata()
	if meta.CreatedBy != "mpanalyze" || len(meta.KeyValueMetadata) != 0 || meta.RowGroups[0].Columns[0].MetaData.Codec.String() != "ZSTD" {
		t.Errorf("made by %q, with %v", meta.CreatedBy, meta.KeyValueMetadata)
	}
}

// TestEmpty: a table without rows has its columns and their types, in their order, and names that the
// library's own tags cannot have.
func TestEmpty(t *testing.T) {
	columns := slices.Clone(everyType)
	for i, name := range []string{"z", `a "b"`, "fifo, cake mean", "a.b", "é"} {
		columns[i].Name = name
	}
	var file bytes.Buffer
	assert.NilError(t, NewWriter(&file, columns).Close())
	fields := opened(t, file.Bytes()).Schema().Fields()
	want := []string{"STRING", "INT(64,true)", "INT(64,false)", "DOUBLE", "BOOLEAN", "TIMESTAMP(isAdjustedToUTC=true,unit=NANOS)", "DOUBLE"}
	assert.Assert(t, len(fields) == len(want), "columns %v", fields)
	for i, field := range fields {
		if got := field.Type().String(); got != want[i] || field.Name() != columns[i].Name || !field.Optional() {
			t.Errorf("%s is %s, optional %v; want %s of %s", field.Name(), got, field.Optional(), columns[i].Name, want[i])
		}
	}
}

// TestMistakes: a text that is no value of its column, and a row of another width, are errors
// until the end.
func TestMistakes(t *testing.T) {
	for _, line := range []string{
		",1.5,,,,,", ",99999999999999999999,,,,,", ",,-1,,,,", ",,,fast,,,", ",,,,perhaps,,", ",,,,,yesterday,", "", "a,1", ",,,,,,,", "\"",
	} {
		w := NewWriter(io.Discard, everyType)
		if err := w.Line([]byte(line)); err == nil || w.Line([]byte(",,,,,,")) == nil || w.Close() == nil {
			t.Errorf("%q: %v", line, err)
		}
	}
}

// failing takes some bytes and then fails.
type failing struct{ left int }

func (f *failing) Write(b []byte) (int, error) {
	if f.left -= len(b); f.left < 0 {
		return 0, io.ErrShortWrite
	}
	return len(b), nil
}

// TestFullDisk: an error of the file stands, wherever it came.
func TestFullDisk(t *testing.T) {
	var file bytes.Buffer
	write := func(out io.Writer) error {
		w := NewWriter(out, everyType)
		for range 3 {
			_ = w.Line([]byte("a,1,2,3.5,true,,")) // the error stands
		}
		return w.Close()
	}
	assert.NilError(t, write(&file))
	for n := range file.Len() {
		if err := write(&failing{n}); !errors.Is(err, io.ErrShortWrite) {
			t.Fatalf("room for %d of %d bytes: %v", n, file.Len(), err)
		}
	}
}

// TestBounded: a row group ends by its number of values, whatever the width of the table, so what is
// kept of a table does not grow with its rows. Each group goes on where the one before ends.
func TestBounded(t *testing.T) {
	for _, width := range []int{1, 7, 600} {
		columns := make([]Column, width)
		row := make([]string, width)
		for i := range columns {
			columns[i] = Column{"c" + strconv.Itoa(i), Integer}
		}
		var file bytes.Buffer
		w := NewWriter(&file, columns)
		rows := 5 * groupValues / width / 2
		for n := range rows {
			for i := range row {
				row[i] = strconv.Itoa(n)
			}
			assert.NilError(t, w.Row(row))
		}
		assert.NilError(t, w.Close())
		f := opened(t, file.Bytes())
		if n := len(f.RowGroups()); n != 3 || f.NumRows() != int64(rows) {
			t.Errorf("%d columns: %d row groups, %d rows; want 3, %d", width, n, f.NumRows(), rows)
		}
		begin, first := int64(0), make([]library.Row, 1)
		for _, g := range f.RowGroups() {
			if n := g.NumRows() * int64(width); n > groupValues+blockRows*int64(width) {
				t.Errorf("%d columns: a row group of %d values", width, n)
			}
			if _, err := g.Rows().ReadRows(first); err != nil || first[0][width-1].Int64() != begin {
				t.Errorf("%d columns: a row group begins with row %v, want %d: %v", width, first[0][width-1], begin, err)
			}
			begin += g.NumRows()
		}
	}
}

// FuzzLine: no record makes the writer fail in itself.
func FuzzLine(f *testing.F) {
	for _, s := range []string{",,,,,,", "a,1,2,3,true,2026-01-02T03:04:05Z,", `"a ""b"", c",,,,,,`, `"`, `"a`, `"a"b,,,,,,`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		var file bytes.Buffer
		w := NewWriter(&file, everyType)
		if err := w.Line(line); err != nil {
			return
		}
		assert.NilError(t, w.Close())
		if _, rows := readAll(t, file.Bytes()); len(rows) != 1 {
			t.Errorf("%d rows of %q", len(rows), line)
		}
	})
}
