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
)

var everyType = []Column{{"text", Text}, {"integer", Integer}, {"unsigned", Unsigned}, {"number", Number}, {"boolean", Boolean}, {"time", Time}, {"nothing", Number}}

// readAll reads a file with the library.
func readAll(t testing.TB, file []byte) (names []string, rows []library.Row, groups int) {
	t.Helper()
	f, err := library.OpenFile(bytes.NewReader(file), int64(len(file)))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range f.Schema().Columns() {
		names = append(names, strings.Join(c, "."))
	}
	for _, g := range f.RowGroups() {
		all := g.Rows()
		for {
			some := make([]library.Row, 64)
			n, err := all.ReadRows(some)
			for _, r := range some[:n] {
				rows = append(rows, r.Clone())
			}
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		if err := all.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if f.NumRows() != int64(len(rows)) {
		t.Errorf("the footer says %d rows, there are %d", f.NumRows(), len(rows))
	}
	return names, rows, len(f.RowGroups())
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

// TestWriter: the library reads what was written, over several row groups.
func TestWriter(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 0))
	var file bytes.Buffer
	w := NewWriter(&file, everyType)
	var want [][]any
	for range 400_000 {
		record, values := drawn(r)
		var line bytes.Buffer
		c := csv.NewWriter(&line)
		if err := c.Write(record); err != nil {
			t.Fatal(err)
		}
		c.Flush()
		if err := w.Line(bytes.TrimSuffix(line.Bytes(), []byte("\n"))); err != nil {
			t.Fatal(err)
		}
		want = append(want, values)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	names, rows, groups := readAll(t, file.Bytes())
	if groups < 2 || len(rows) != len(want) || len(names) != len(everyType) {
		t.Fatalf("%d groups, %d rows of %q; want several, %d rows of %d columns", groups, len(rows), names, len(want), len(everyType))
	}
	for i, row := range rows {
		for j, v := range row {
			if names[j] != everyType[j].Name || !equal(v, want[i][j]) {
				t.Fatalf("row %d, column %s: %v, want %v", i, names[j], v, want[i][j])
			}
		}
	}
}

// TestEmpty: a table without rows has its columns and their types.
func TestEmpty(t *testing.T) {
	var file bytes.Buffer
	if err := NewWriter(&file, everyType).Close(); err != nil {
		t.Fatal(err)
	}
	names, rows, _ := readAll(t, file.Bytes())
	if len(names) != len(everyType) || len(rows) != 0 {
		t.Errorf("columns %q and %d rows", names, len(rows))
	}
	f, err := library.OpenFile(bytes.NewReader(file.Bytes()), int64(file.Len()))
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"STRING", "INT(64,true)", "INT(64,false)", "DOUBLE", "BOOLEAN", "TIMESTAMP(isAdjustedToUTC=true,unit=NANOS)", "DOUBLE"}
	for i, field := range f.Schema().Fields() {
		if got := field.Type().String(); got != want[i] || !field.Optional() {
			t.Errorf("%s is %s, optional %v; want %s", field.Name(), got, field.Optional(), want[i])
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
	if err := write(&file); err != nil {
		t.Fatal(err)
	}
	for n := range file.Len() {
		if err := write(&failing{n}); !errors.Is(err, io.ErrShortWrite) {
			t.Fatalf("room for %d of %d bytes: %v", n, file.Len(), err)
		}
	}
}

// TestBounded: a row group ends by its number of values, whatever the width of the table, so what is
// kept of a table does not grow with its rows.
func TestBounded(t *testing.T) {
	for _, width := range []int{1, 7, 600} {
		columns := make([]Column, width)
		row := make([]string, width)
		for i := range columns {
			columns[i], row[i] = Column{"c" + strconv.Itoa(i), Integer}, "17"
		}
		var file bytes.Buffer
		w := NewWriter(&file, columns)
		rows := 5 * groupValues / width / 2
		for range rows {
			if err := w.Row(row); err != nil {
				t.Fatal(err)
			}
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		f, err := library.OpenFile(bytes.NewReader(file.Bytes()), int64(file.Len()))
		if err != nil {
			t.Fatal(err)
		}
		if n := len(f.RowGroups()); n != 3 || f.NumRows() != int64(rows) {
			t.Errorf("%d columns: %d row groups, %d rows; want 3, %d", width, n, f.NumRows(), rows)
		}
		for _, g := range f.RowGroups() {
			if n := g.NumRows() * int64(width); n > groupValues+blockRows*int64(width) {
				t.Errorf("%d columns: a row group of %d values", width, n)
			}
		}
	}
}

// TestSameBytes: equal rows make equal files, which name the program.
func TestSameBytes(t *testing.T) {
	write := func(seed uint64) string {
		r := rand.New(rand.NewPCG(seed, 0))
		var file bytes.Buffer
		w := NewWriter(&file, everyType)
		for range 2 * groupValues / len(everyType) {
			record, _ := drawn(r)
			if err := w.Row(record); err != nil {
				t.Fatal(err)
			}
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		return file.String()
	}
	first := write(1)
	if write(2) == first {
		t.Error("other rows make an equal file")
	}
	if write(1) != first {
		t.Error("equal rows make another file")
	}
	f, err := library.OpenFile(strings.NewReader(first), int64(len(first)))
	if err != nil {
		t.Fatal(err)
	}
	meta := f.Metadata()
	if meta.CreatedBy != "mpanalyze" || len(meta.KeyValueMetadata) != 0 || meta.RowGroups[0].Columns[0].MetaData.Codec.String() != "ZSTD" {
		t.Errorf("made by %q, with %v", meta.CreatedBy, meta.KeyValueMetadata)
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
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		if _, rows, _ := readAll(t, file.Bytes()); len(rows) != 1 {
			t.Errorf("%d rows of %q", len(rows), line)
		}
	})
}

// TestNames: columns keep their order and names, also those that the library's own tags cannot have.
func TestNames(t *testing.T) {
	want := []string{"z", `a "b"`, "fifo, cake mean", "a.b", "é"}
	var columns []Column
	for _, name := range want {
		columns = append(columns, Column{name, Text})
	}
	var file bytes.Buffer
	w := NewWriter(&file, columns)
	if err := w.Row([]string{"1", "2", "", "4", "5"}); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	names, rows, _ := readAll(t, file.Bytes())
	if !slices.Equal(names, want) || len(rows) != 1 {
		t.Fatalf("columns %q, %d rows", names, len(rows))
	}
	for i, text := range []any{"1", "2", nil, "4", "5"} {
		if !equal(rows[0][i], text) {
			t.Errorf("%s: %v, want %v", names[i], rows[0][i], text)
		}
	}
}
