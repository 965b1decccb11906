package cli_test

import (
	"encoding/csv"
	"encoding/json"
	"errors"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/parquet-go/parquet-go"

	"mpanalyze/internal/cli"
	"mpanalyze/internal/csvtables"
	"mpanalyze/internal/testrun"
)

// must runs the program, which may find damage and nothing worse.
func must(t *testing.T, args ...string) {
	t.Helper()
	if code, _, said := trueProgram(args...); code != cli.ExitOK && code != cli.ExitDamaged {
		t.Fatalf("%q: status %d, %s", args, code, said)
	}
}

// columnKinds returns the documented type of each column of each table.
func columnKinds(t *testing.T) map[string]map[string]string {
	t.Helper()
	tables, err := csvtables.Tables()
	if err != nil {
		t.Fatal(err)
	}
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

// sameRows compares a table as CSV with the same as Parquet, value by value, and returns the
// number of rows.
func sameRows(t *testing.T, name string, kinds map[string]string) (rows int) {
	t.Helper()
	c, err := os.Open(name + ".csv")
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	text := csv.NewReader(c)
	head, err := text.Read()
	if err != nil {
		t.Fatal(err)
	}
	p, err := os.Open(name + ".parquet")
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	info, err := p.Stat()
	if err != nil {
		t.Fatal(err)
	}
	file, err := parquet.OpenFile(p, info.Size())
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, f := range file.Schema().Fields() {
		names = append(names, f.Name())
		if got := f.Type().String(); got != library[kinds[f.Name()]] {
			t.Errorf("%s: %s is %s, want %s", name, f.Name(), got, kinds[f.Name()])
		}
	}
	if !slices.Equal(names, head) {
		t.Fatalf("%s: columns %q, as CSV %q", name, names, head)
	}
	for _, group := range file.RowGroups() {
		all := group.Rows()
		some := make([]parquet.Row, 100)
		for end := false; !end; {
			n, err := all.ReadRows(some)
			if end = errors.Is(err, io.EOF); err != nil && !end {
				t.Fatal(err)
			}
			for _, row := range some[:n] {
				want, err := text.Read()
				if err != nil {
					t.Fatalf("%s, row %d: %v", name, rows, err)
				}
				rows++
				for i, v := range row {
					if !sameValue(v, want[i], kinds[head[i]]) {
						t.Fatalf("%s, row %d: %s is %v, as CSV %q", name, rows, head[i], v, want[i])
					}
				}
			}
		}
		all.Close()
	}
	if _, err := text.Read(); !errors.Is(err, io.EOF) {
		t.Errorf("%s has more rows as CSV: %v", name, err)
	}
	return rows
}

func sameValue(v parquet.Value, text, kind string) bool {
	if v.IsNull() {
		return text == ""
	}
	switch kind {
	case "text", "numbers":
		return string(v.ByteArray()) == text
	case "integer", "count":
		return strconv.FormatInt(v.Int64(), 10) == text
	case "unsigned":
		return strconv.FormatUint(v.Uint64(), 10) == text
	case "boolean":
		return strconv.FormatBool(v.Boolean()) == text
	case "time":
		return time.Unix(0, v.Int64()).UTC().Format("2006-01-02T15:04:05.000000000Z") == text
	}
	want, err := strconv.ParseFloat(text, 64)
	return err == nil && v.Double() == want
}

// TestParquetOfSessions: the tables of bundled sessions have the same rows as CSV and as
// Parquet, in one directory or without CSV.
func TestParquetOfSessions(t *testing.T) {
	kinds := columnKinds(t)
	all, err := filepath.Glob(filepath.Join(sessions, "v*", "*", "*.pcap*"))
	if err != nil || len(all) < 20 {
		t.Fatalf("%d captures, %v", len(all), err)
	}
	rows := 0
	for _, capture := range testrun.Sample(all) {
		dir := t.TempDir()
		must(t, "analyze", capture, "--csv", dir, "--parquet", dir, "--label", "10.0.0.0/8==x,\"y\"")
		tables, err := filepath.Glob(filepath.Join(dir, "*.parquet"))
		if err != nil || len(tables) != 7 {
			t.Fatalf("%s: %q, %v", capture, tables, err)
		}
		for _, table := range tables {
			name := strings.TrimSuffix(table, ".parquet")
			rows += sameRows(t, name, kinds[filepath.Base(name)])
		}
	}
	if rows < 1000 {
		t.Errorf("%d rows", rows)
	}
}

// parquetOfPair writes all tables of a session that both hosts captured.
func parquetOfPair(t *testing.T) (dir string) {
	t.Helper()
	dir = t.TempDir()
	host := func(name string) string { return filepath.Join(sessions, "v1", "l-single-loss", name+".pcap.zst") }
	must(t, "analyze", "--both", host("client"), host("server"), "--packets", "--csv", dir, "--parquet", dir)
	return dir
}

// TestParquetOfPair: packets.parquet, and tables without CSV beside them.
func TestParquetOfPair(t *testing.T) {
	dir, kinds := parquetOfPair(t), columnKinds(t)
	for name, columns := range kinds {
		if n := sameRows(t, filepath.Join(dir, name), columns); n == 0 && name != "tcp" {
			t.Errorf("%s has no row", name)
		}
	}
	alone := t.TempDir()
	host := func(name string) string { return filepath.Join(sessions, "v1", "l-single-loss", name+".pcap.zst") }
	must(t, "analyze", "--both", host("client"), host("server"), "--packets", "--parquet", alone)
	for name := range kinds {
		beside, err := os.ReadFile(filepath.Join(dir, name+".parquet"))
		if err != nil {
			t.Fatal(err)
		}
		if text, err := os.ReadFile(filepath.Join(alone, name+".parquet")); err != nil || string(text) != string(beside) {
			t.Errorf("%s: %d bytes without CSV, %d beside it; %v", name, len(text), len(beside), err)
		}
	}
	if files, err := os.ReadDir(alone); err != nil || len(files) != len(kinds) {
		t.Errorf("%d files, want %d; %v", len(files), len(kinds), err)
	}
}

// campaignKinds are the types of the columns of a campaign's tables.
func campaignKinds(t *testing.T, dir string) map[string]map[string]string {
	t.Helper()
	out := map[string]map[string]string{}
	for _, name := range []string{"table", "values"} {
		text, err := os.ReadFile(filepath.Join(dir, name+".csv"))
		if err != nil {
			t.Fatal(err)
		}
		head, err := csv.NewReader(strings.NewReader(string(text))).Read()
		if err != nil {
			t.Fatal(err)
		}
		kinds := map[string]string{}
		for i, column := range head {
			kinds[column] = "text"
			// The first five of the table are metric, statistic, unit, figure and end. A test has its
			// name and that of the size of its effect.
			text := name == "values" && column != "value" || name == "table" && i < 5 || column == "test" || column == "effect_size"
			if !text {
				kinds[column] = "number"
			}
		}
		out[name] = kinds
	}
	return out
}

// parquetOfCampaign writes the tables of the bundled campaign.
func parquetOfCampaign(t *testing.T) (dir string) {
	t.Helper()
	dir = t.TempDir()
	must(t, "compare", "--pattern", filepath.Join(sessions, "campaign", "{scenario}", "run{run}", "{host}.pcap*"), "--no-cache",
		"--csv", filepath.Join(dir, "table.csv"), "--values", filepath.Join(dir, "values.csv"), "--parquet", dir)
	return dir
}

// TestParquetOfCampaign: the tables of a campaign have the same rows as CSV and as Parquet.
func TestParquetOfCampaign(t *testing.T) {
	dir := parquetOfCampaign(t)
	for name, kinds := range campaignKinds(t, dir) {
		if n := sameRows(t, filepath.Join(dir, name), kinds); n < 3 {
			t.Errorf("%s: %d rows", name, n)
		}
	}
}

// duckDB compares tables with DuckDB: rows that are in one form alone, with the number of
// the row, so that the order counts.
const duckDB = `
import duckdb, json, os, sys
kind = {"integer": "BIGINT", "count": "BIGINT", "unsigned": "UBIGINT", "number": "DOUBLE", "boolean": "BOOLEAN", "text": "VARCHAR",
        "numbers": "VARCHAR", "time": "TIMESTAMP WITH TIME ZONE"}
out = {}
for name, columns in json.load(sys.stdin).items():
    types = [r[:2] for r in duckdb.sql(f"describe from '{name}.parquet'").fetchall()]
    assert {c for c, _ in types} == set(columns), (name, types)
    for column, got in types:
        want = kind[columns[column]]
        assert got == want or want.startswith("TIMESTAMP") and got.startswith("TIMESTAMP"), (name, column, got)
    declared = ", ".join("'" + c.replace("'", "''") + "': '" + kind[columns[c]] + "'" for c, _ in types)
    numbered = "select row_number() over () as row_number_here, * from "
    csv = numbered + f"read_csv('{name}.csv', header=true, delim=',', quote='\"', escape='\"', columns={{{declared}}})"
    parquet = numbered + f"'{name}.parquet'"
    count = lambda text: duckdb.sql(f"select count(*) from ({text})").fetchall()[0][0]
    out[os.path.basename(name)] = [count(csv), count(parquet), count(f"({csv}) except ({parquet})"), count(f"({parquet}) except ({csv})")]
json.dump(out, sys.stdout)
`

// TestDuckDB compares all tables with DuckDB's Python package, where that is installed:
// $PYTHON names the interpreter, else python3.
func TestDuckDB(t *testing.T) {
	python := os.Getenv("PYTHON")
	if python == "" {
		python = "python3"
	}
	if err := testrun.Command(t, python, "-c", "import duckdb").Run(); err != nil {
		t.Skip("no Python package duckdb; pip install duckdb, or name an interpreter that has it in PYTHON")
	}
	pair, study := parquetOfPair(t), parquetOfCampaign(t)
	tables := map[string]map[string]string{}
	for name, kinds := range columnKinds(t) {
		tables[filepath.Join(pair, name)] = kinds
	}
	for name, kinds := range campaignKinds(t, study) {
		tables[filepath.Join(study, name)] = kinds
	}
	asked, err := json.Marshal(tables)
	if err != nil {
		t.Fatal(err)
	}
	cmd := testrun.Command(t, python, "-c", duckDB)
	cmd.Stdin, cmd.Stderr = strings.NewReader(string(asked)), os.Stderr
	text, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	var got map[string][4]int
	if err := json.Unmarshal(text, &got); err != nil || len(got) != len(tables) {
		t.Fatalf("%s: %v", text, err)
	}
	for name, n := range got {
		if n[0] != n[1] || n[2]+n[3] != 0 || n[0] == 0 && name != "tcp" {
			t.Errorf("%s: %d rows as CSV, %d as Parquet, %d and %d in one alone", name, n[0], n[1], n[2], n[3])
		}
	}
}

// TestParquetSeriesOfCampaign: series.parquet of a campaign has, for each run, the rows that
// series.csv has of it.
func TestParquetSeriesOfCampaign(t *testing.T) {
	dir, place := t.TempDir(), filepath.Join(sessions, "campaign")
	must(t, "compare", "--pattern", filepath.Join(place, "{scenario}", "run{run}", "client.pcap*"), "--no-cache", "--parquet", dir, "--series", "srtt,goodput")
	p, err := os.Open(filepath.Join(dir, "series.parquet"))
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	info, err := p.Stat()
	if err != nil {
		t.Fatal(err)
	}
	file, err := parquet.OpenFile(p, info.Size())
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, f := range file.Schema().Fields() {
		names = append(names, f.Name())
	}
	if got := strings.Join(names, ","); got != "scenario,run,end,connection,direction,subflow,path,metric,t_s,value" {
		t.Errorf("columns %s", got)
	}
	of := map[string][][]string{} // rows by run
	for _, group := range file.RowGroups() {
		all := group.Rows()
		some := make([]parquet.Row, 100)
		for end := false; !end; {
			n, err := all.ReadRows(some)
			if end = errors.Is(err, io.EOF); err != nil && !end {
				t.Fatal(err)
			}
			for _, r := range some[:n] {
				key := string(r[0].ByteArray()) + "/run" + string(r[1].ByteArray())
				if end := string(r[2].ByteArray()); end != "sender" && end != "receiver" {
					t.Fatalf("%s: end %q", key, end)
				}
				subflow := ""
				if !r[5].IsNull() {
					subflow = strconv.FormatInt(r[5].Int64(), 10)
				}
				of[key] = append(of[key], []string{
					strconv.FormatInt(r[3].Int64(), 10), string(r[4].ByteArray()), subflow, string(r[6].ByteArray()), string(r[7].ByteArray()),
					strconv.FormatFloat(r[8].Double(), 'g', -1, 64), strconv.FormatFloat(r[9].Double(), 'g', -1, 64),
				})
			}
		}
		all.Close()
	}
	if len(of) != 4 {
		t.Fatalf("%d runs, want 4", len(of))
	}
	for run, got := range of {
		tables := t.TempDir()
		must(t, "analyze", filepath.Join(place, run, "client.pcap.zst"), "--csv", tables, "--series", "srtt,goodput")
		f, err := os.Open(filepath.Join(tables, "series.csv"))
		if err != nil {
			t.Fatal(err)
		}
		want, err := csv.NewReader(f).ReadAll()
		f.Close()
		if err != nil || len(got) != len(want)-1 || len(got) < 10 {
			t.Fatalf("%s: %d rows, want %d; %v", run, len(got), len(want)-1, err)
		}
		for i, r := range want[1:] {
			for _, k := range []int{5, 6} {
				v, err := strconv.ParseFloat(r[k], 64)
				if err != nil {
					t.Fatal(err)
				}
				r[k] = strconv.FormatFloat(v, 'g', -1, 64)
			}
			if !slices.Equal(got[i], r) {
				t.Fatalf("%s, row %d: %q, want %q", run, i, got[i], r)
			}
		}
	}
}

// seriesOfCampaign reads the values of series.parquet, by run, end, direction, subflow and metric.
func seriesOfCampaign(t *testing.T, dir string) map[string][]float64 {
	t.Helper()
	rows, err := parquet.ReadFile[struct {
		Run       string  `parquet:"run"`
		End       string  `parquet:"end"`
		Direction string  `parquet:"direction"`
		Path      string  `parquet:"path,optional"`
		Metric    string  `parquet:"metric"`
		Value     float64 `parquet:"value"`
	}](filepath.Join(dir, "series.parquet"))
	if err != nil {
		t.Fatal(err)
	}
	all := map[string][]float64{}
	for _, r := range rows {
		key := strings.Join([]string{r.Run, r.End, r.Direction, r.Path, r.Metric}, " ")
		all[key] = append(all[key], r.Value)
	}
	return all
}

// TestSeriesOfOneEnd: with captures of both hosts, the series are those of the end that the figures are of,
// and say so; those of packets in both captures agree with the figures, which other code computes.
func TestSeriesOfOneEnd(t *testing.T) {
	for _, end := range []string{"sender", "receiver"} {
		dir := t.TempDir()
		if err := os.CopyFS(dir, os.DirFS(filepath.Join(sessions, "v1", "p-skew"))); err != nil {
			t.Fatal(err)
		}
		manifest := filepath.Join(dir, "runs.csv")
		const line = "scenario,run,sender,receiver\nx,1,server.pcap.zst,client.pcap.zst\n"
		if err := os.WriteFile(manifest, []byte(line), 0o644); err != nil {
			t.Fatal(err)
		}
		must(t, "compare", "--manifest", manifest, "--end", end, "--no-cache", "--parquet", dir, "--series", "srtt,owd,jitter,end_to_end_delay")
		all := seriesOfCampaign(t, dir)
		values, err := parquet.ReadFile[struct {
			Direction string  `parquet:"direction"`
			Path      string  `parquet:"path,optional"`
			Metric    string  `parquet:"metric"`
			Value     float64 `parquet:"value"`
		}](filepath.Join(dir, "values.parquet"))
		if err != nil {
			t.Fatal(err)
		}
		checked := 0
		for _, v := range values {
			metric, unit := strings.CutSuffix(v.Metric, "_ms.max")
			from := map[string]string{"srtt": end, "owd": "both", "jitter": "both", "end_to_end_delay": "both"}[metric]
			if !unit || from == "" || v.Direction != "b2a" {
				continue
			}
			got := all[strings.Join([]string{"1", from, "b2a", v.Path, metric}, " ")]
			if metric == "owd" && len(got) == 0 && v.Path == "10.2.2.1-10.2.100.2" {
				continue // no packet with payload arrived there: the figure is of the others
			}
			if len(got) == 0 || math.Abs(slices.Max(got)-v.Value) > 2e-3*v.Value {
				t.Errorf("--end %s: %d values of %s of path %q, the highest is not %v", end, len(got), metric, v.Path, v.Value)
			}
			checked++
		}
		if checked < 4 {
			t.Errorf("--end %s: %d figures were compared", end, checked)
		}
	}
}
