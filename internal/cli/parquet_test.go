package cli_test

import (
	"bytes"
	"encoding/csv"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/parquet-go/parquet-go"
	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	"mpanalyze/internal/cli"
	"mpanalyze/internal/csvtables"
	"mpanalyze/internal/testrun"
)

// must runs the program, which may find damage and nothing worse.
func must(t *testing.T, args ...string) {
	t.Helper()
	code, _, said := trueProgram(args...)
	assert.Assert(t, code == cli.ExitOK || code == cli.ExitDamaged, "%q: status %d, %s", args, code, said)
}

// columnKinds returns the documented type of each column of each table.
func columnKinds(t *testing.T) map[string]map[string]string {
	t.Helper()
	tables := csvtables.Tables()
	out := map[string]map[string]string{}
	for _, table := range tables {
		kinds := map[string]string{}
		for _, c := range table.Columns {
			kinds[c.Name] = c.Type
		}
		out[strings.TrimSuffix(table.Name, ".csv")] = kinds
	}
	return out
}

// library is what the library for Parquet calls the types of columns.
var library = map[string]string{
	"text": "STRING", "numbers": "STRING", "integer": "INT(64,true)", "count": "INT(64,true)", "unsigned": "INT(64,false)", "number": "DOUBLE", "boolean": "BOOLEAN",
	"time": "TIMESTAMP(isAdjustedToUTC=true,unit=NANOS)",
}

// readParquet reads a table that is Parquet as its rows are in CSV, and checks the types of its columns.
func readParquet(t *testing.T, name string, kinds map[string]string) (rows [][]string) {
	t.Helper()
	text, err := os.ReadFile(name + ".parquet")
	assert.NilError(t, err)
	file, err := parquet.OpenFile(bytes.NewReader(text), int64(len(text)))
	assert.NilError(t, err)
	var head []string
	for _, f := range file.Schema().Fields() {
		head = append(head, f.Name())
		assert.Check(t, is.Equal(f.Type().String(), library[kinds[f.Name()]]), "%s: %s, want %s", name, f.Name(), kinds[f.Name()])
	}
	rows = append(rows, head)
	r := parquet.NewReader(file)
	defer r.Close()
	some := make([]parquet.Row, 100)
	for {
		n, err := r.ReadRows(some)
		for _, row := range some[:n] {
			cells := make([]string, len(head))
			for i, v := range row {
				cells[i] = textOf(v, kinds[head[i]])
			}
			rows = append(rows, cells)
		}
		if errors.Is(err, io.EOF) {
			return rows
		}
		assert.NilError(t, err)
	}
}

// textOf returns a value as CSV has it, numbers in their shortest form.
func textOf(v parquet.Value, kind string) string {
	if v.IsNull() {
		return ""
	}
	switch kind {
	case "text", "numbers":
		return string(v.ByteArray())
	case "integer", "count":
		return strconv.FormatInt(v.Int64(), 10)
	case "unsigned":
		return strconv.FormatUint(v.Uint64(), 10)
	case "boolean":
		return strconv.FormatBool(v.Boolean())
	case "time":
		return time.Unix(0, v.Int64()).UTC().Format("2006-01-02T15:04:05.000000000Z")
	}
	return strconv.FormatFloat(v.Double(), 'g', -1, 64)
}

// readCSV reads a table that is CSV, with numbers in their shortest form.
func readCSV(t *testing.T, name string, kinds map[string]string) [][]string {
	t.Helper()
	text, err := os.ReadFile(name + ".csv")
	assert.NilError(t, err)
	rows, err := csv.NewReader(bytes.NewReader(text)).ReadAll()
	assert.NilError(t, err)
	for _, row := range rows[1:] {
		for i := range row {
			if v, err := strconv.ParseFloat(row[i], 64); err == nil && kinds[rows[0][i]] == "number" {
				row[i] = strconv.FormatFloat(v, 'g', -1, 64)
			}
		}
	}
	return rows
}

// sameRows compares a table as CSV with the same as Parquet, value by value, and returns the
// number of rows.
func sameRows(t *testing.T, name string, kinds map[string]string) int {
	t.Helper()
	want := readCSV(t, name, kinds)
	equalRows(t, name, readParquet(t, name, kinds), want)
	return len(want) - 1
}

func equalRows(t *testing.T, name string, got, want [][]string) {
	t.Helper()
	assert.Assert(t, len(got) == len(want), "%s: %d rows, as CSV %d", name, len(got), len(want))
	for i := range want {
		assert.Assert(t, slices.Equal(got[i], want[i]), "%s, row %d: %q, as CSV %q", name, i, got[i], want[i])
	}
}

// TestParquetOfSessions: the tables of bundled sessions have the same rows as CSV and as
// Parquet, in one directory or without CSV.
func TestParquetOfSessions(t *testing.T) {
	kinds := columnKinds(t)
	all := []string{ // IPv6, many connections, plain TCP, fallback, and version 0
		client("v1/i-v6-v4"), client("v1/k-short-bursts"), client("v1/j-plain-server"), client("v1/j-strip-synack"), client("v0/abort"),
	}
	if testrun.All() {
		var err error
		all, err = filepath.Glob(filepath.Join(sessions, "v*", "*", "*.pcap*"))
		assert.NilError(t, err)
	}
	rows := 0
	for _, capture := range all {
		dir := t.TempDir()
		must(t, "analyze", capture, "--csv", dir, "--parquet", dir, "--label", "10.0.0.0/8==x,\"y\"")
		tables, err := filepath.Glob(filepath.Join(dir, "*.parquet"))
		assert.Assert(t, err == nil && len(tables) == 7, "%s: %q, %v", capture, tables, err)
		for _, table := range tables {
			name := strings.TrimSuffix(table, ".parquet")
			rows += sameRows(t, name, kinds[filepath.Base(name)])
		}
	}
	assert.Check(t, rows >= 1000, "%d rows", rows)
}

// TestParquetOfPair: packets.parquet, and tables without CSV beside them, of a session that both hosts
// captured.
func TestParquetOfPair(t *testing.T) {
	dir, alone, kinds := t.TempDir(), t.TempDir(), columnKinds(t)
	session := filepath.Join(sessions, "v1", "l-single-loss")
	analyze := []string{"analyze", "--both", filepath.Join(session, "client.pcap.zst"), filepath.Join(session, "server.pcap.zst"), "--tables", "chunks,series,packets"}
	must(t, append(analyze, "--csv", dir, "--parquet", dir)...)
	must(t, append(analyze, "--parquet", alone)...)
	for name, columns := range kinds {
		n := sameRows(t, filepath.Join(dir, name), columns)
		assert.Check(t, n != 0 || name == "tcp", "%s has no row", name)
		beside, err1 := os.ReadFile(filepath.Join(dir, name+".parquet"))
		text, err2 := os.ReadFile(filepath.Join(alone, name+".parquet"))
		assert.Check(t, err1 == nil && err2 == nil && bytes.Equal(text, beside), "%s: %d bytes without CSV, %d beside it; %v, %v", name, len(text), len(beside), err1, err2)
	}
	files, err := os.ReadDir(alone)
	assert.Check(t, err == nil && len(files) == len(kinds), "%d files, want %d; %v", len(files), len(kinds), err)
}

// campaignKinds are the types of the columns of a campaign's table, or of the values of its runs.
func campaignKinds(t *testing.T, name string) map[string]string {
	t.Helper()
	kinds := map[string]string{}
	for i, column := range readCSV(t, name, nil)[0] {
		// The first five of the table are metric, statistic, unit, figure and end. A test has its
		// name and that of the size of its effect.
		values := filepath.Base(name) == "values"
		if kinds[column] = "number"; values && column != "value" || !values && i < 6 || column == "test" || column == "effect_size" {
			kinds[column] = "text"
		}
	}
	return kinds
}

// client is the capture of a session at its client.
func client(session string) string { return filepath.Join(sessions, session, "client.pcap.zst") }

// TestParquetOfCampaign: the tables of a campaign have the same rows as CSV and as Parquet.
func TestParquetOfCampaign(t *testing.T) {
	dir := t.TempDir()
	must(t, "compare", "x="+client("v1/l-single-loss"), "y="+client("v1/i-v6-v4"), "--no-cache",
		"--csv", filepath.Join(dir, "table.csv"), "--values", filepath.Join(dir, "values.csv"), "--parquet", dir)
	for _, name := range []string{"table", "values"} {
		name = filepath.Join(dir, name)
		n := sameRows(t, name, campaignKinds(t, name))
		assert.Check(t, n >= 3, "%s: %d rows", name, n)
	}
}
