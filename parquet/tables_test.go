package main

import (
	"bytes"
	"context"
	"encoding/csv"
	"encoding/json"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/parquet-go/parquet-go"

	"mpanalyze/internal/csvtables"
	"mpanalyze/internal/engine"
	"mpanalyze/internal/metrics"
	"mpanalyze/internal/testrun"
)

const capture = "../testdata/sessions/v1/l-single-loss/client.pcap.zst"

// tables writes both tables of one real run, and one that is no capture.
func tables(t *testing.T) (dir string) {
	t.Helper()
	dir = t.TempDir()
	text := filepath.Join(dir, "notes.pcap")
	if err := os.WriteFile(text, []byte("notes"), 0o644); err != nil {
		t.Fatal(err)
	}
	var messages bytes.Buffer
	args := []string{"-out", dir, "-label", "10.2.1.0/24=one", "X=" + capture + "," + text}
	if status := run(context.Background(), args, &messages); status != exitSkipped {
		t.Fatalf("exit status %d: %s", status, messages.String())
	}
	if !strings.Contains(messages.String(), "skipped X, run "+text) {
		t.Errorf("the run that cannot be used is not named: %s", messages.String())
	}
	return dir
}

// reference analyses the same run alone, into CSV tables.
func reference(t *testing.T) (delay float64, bytes int64, series [][]string) {
	t.Helper()
	dir := t.TempDir()
	sink, err := csvtables.New(dir, csvtables.Options{Series: true})
	if err != nil {
		t.Fatal(err)
	}
	doc, err := engine.Analyze(context.Background(), engine.Options{
		Paths: []string{capture}, Connection: engine.AllConnections, Interval: 100 * time.Millisecond,
		QoE: metrics.DefaultQoE, Rows: sink, Series: func(string) bool { return true },
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := sink.Close(); err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(filepath.Join(dir, "series.csv"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if series, err = csv.NewReader(f).ReadAll(); err != nil {
		t.Fatal(err)
	}
	c := doc.Connections[0]
	return c.B2A.ProtocolDelay.Avg, *c.B2A.Bytes, series[1:]
}

func TestTables(t *testing.T) {
	dir := tables(t)
	delay, n, series := reference(t)
	runs, err := parquet.ReadFile[runRow](filepath.Join(dir, "runs.parquet"))
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]float64{}
	for _, r := range runs {
		if r.Scenario != "X" || r.Run != capture {
			t.Fatalf("row of %s, run %s", r.Scenario, r.Run)
		}
		got[r.Metric] = r.Value
		whole := r.Direction + "." + r.Name
		if r.Path != nil {
			whole = r.Direction + "." + *r.Path + "." + r.Name
		}
		if whole != r.Metric {
			t.Errorf("%s is taken apart as %s", r.Metric, whole)
		}
		if want := map[string]string{"b2a.protocol_delay_ms.avg": "ms", "b2a.bytes": "bytes", "b2a.one.srtt_ms.max": "ms"}[r.Metric]; want != "" && r.Unit != want {
			t.Errorf("%s in %s, want %s", r.Metric, r.Unit, want)
		}
	}
	if got["b2a.protocol_delay_ms.avg"] != delay || got["b2a.bytes"] != float64(n) {
		t.Errorf("delay %v and %v bytes, want %v and %v", got["b2a.protocol_delay_ms.avg"], got["b2a.bytes"], delay, n)
	}
	values, err := parquet.ReadFile[cellRow](filepath.Join(dir, "cells.parquet"))
	if err != nil {
		t.Fatal(err)
	}
	if len(values) != len(series) {
		t.Fatalf("%d values, series.csv has %d", len(values), len(series))
	}
	for i, want := range series {
		v := values[i]
		subflow := ""
		if v.Subflow != nil {
			subflow = strconv.Itoa(int(*v.Subflow))
		}
		value, err := strconv.ParseFloat(want[6], 64)
		if err != nil {
			t.Fatal(err)
		}
		if v.Direction != want[1] || subflow != want[2] || v.Metric != want[4] || abs(v.Value-value) > 1e-6*max(1, abs(value)) {
			t.Fatalf("value %d is %+v, series.csv has %v", i, v, want)
		}
	}
}

func abs(v float64) float64 { return max(v, -v) }

// schemas are the columns that readers rely on, with DuckDB's types.
var schemas = map[string][][2]string{
	"runs.parquet": {
		{"scenario", "VARCHAR"},
		{"run", "VARCHAR"},
		{"files", "VARCHAR"},
		{"connection", "INTEGER"},
		{"vantage", "VARCHAR"},
		{"metric", "VARCHAR"},
		{"value", "DOUBLE"},
		{"direction", "VARCHAR"},
		{"path", "VARCHAR"},
		{"name", "VARCHAR"},
		{"unit", "VARCHAR"},
		{"factors", "MAP(VARCHAR, VARCHAR)"},
		{"labels", "MAP(VARCHAR, VARCHAR)"},
	},
	"cells.parquet": {
		{"scenario", "VARCHAR"},
		{"run", "VARCHAR"},
		{"connection", "INTEGER"},
		{"direction", "VARCHAR"},
		{"subflow", "INTEGER"},
		{"path", "VARCHAR"},
		{"metric", "VARCHAR"},
		{"t_s", "DOUBLE"},
		{"value", "DOUBLE"},
	},
}

const duckdb = `
import duckdb, json, sys
q = lambda text: duckdb.sql(text).fetchall()
d = sys.argv[1]
out = {"schemas": {f: [r[:2] for r in q(f"describe from '{d}/{f}'")] for f in ("runs.parquet", "cells.parquet")}}
out["delay"] = q(f"select value from '{d}/runs.parquet' where metric = 'b2a.protocol_delay_ms.avg'")[0][0]
out["cells"], out["whole"] = q(f"select count(*), count(*) filter (subflow is null and path is null) from '{d}/cells.parquet'")[0]
json.dump(out, sys.stdout)
`

// TestDuckDB reads both tables with DuckDB's Python package, where that is
// installed: $PYTHON names the interpreter, else python3.
func TestDuckDB(t *testing.T) {
	python := os.Getenv("PYTHON")
	if python == "" {
		python = "python3"
	}
	if err := testrun.Command(t, python, "-c", "import duckdb").Run(); err != nil {
		t.Skip("no Python package duckdb; pip install duckdb, or name an interpreter that has it in PYTHON")
	}
	dir := tables(t)
	text, err := testrun.Command(t, python, "-c", duckdb, dir).Output()
	if err != nil {
		t.Fatal(err)
	}
	var got struct {
		Schemas      map[string][][2]string
		Delay        float64
		Cells, Whole int
	}
	if err := json.Unmarshal(text, &got); err != nil {
		t.Fatal(err)
	}
	delay, _, series := reference(t)
	whole := 0
	for _, row := range series {
		if row[2] == "" {
			whole++
		}
	}
	if got.Delay != delay || got.Cells != len(series) || got.Whole != whole {
		t.Errorf("delay %v, %d cells, %d of the whole connection; want %v, %d, %d", got.Delay, got.Cells, got.Whole, delay, len(series), whole)
	}
	for file, want := range schemas {
		if len(got.Schemas[file]) != len(want) {
			t.Errorf("%s has columns %v, want %v", file, got.Schemas[file], want)
			continue
		}
		for i, column := range want {
			if got.Schemas[file][i] != column {
				t.Errorf("%s: column %d is %v, want %v", file, i, got.Schemas[file][i], column)
			}
		}
	}
}

func TestMistakes(t *testing.T) {
	for _, args := range [][]string{{}, {"A"}, {"-label", "x", "A=b"}, {"-label", "x=y", "A=b"}, {"-pattern", "{run}"}, {"-nonsense"}} {
		var messages bytes.Buffer
		if status := run(context.Background(), args, &messages); status != exitFailed || messages.Len() == 0 {
			t.Errorf("%q: exit status %d, says %q", args, status, messages.String())
		}
	}
}

// TestFactorsOfPairs: a run of both hosts has figures that take both, and its factors.
func TestFactorsOfPairs(t *testing.T) {
	dir := t.TempDir()
	var messages bytes.Buffer
	args := []string{"-out", dir, "-series", "srtt", "-pattern", "../testdata/sessions/v1/{set}-{loss}-loss/{host}.pcap.zst"}
	if status := run(context.Background(), args, &messages); status != exitOK {
		t.Fatalf("exit status %d: %s", status, messages.String())
	}
	rows, err := parquet.ReadFile[runRow](filepath.Join(dir, "runs.parquet"))
	if err != nil {
		t.Fatal(err)
	}
	found := false
	for _, r := range rows {
		if r.Factors["set"] != "l" || r.Factors["loss"] != "single" || len(r.Factors) != 2 || !strings.Contains(r.Files, ";") {
			t.Fatalf("factors %v of %s", r.Factors, r.Files)
		}
		found = found || r.Name == "end_to_end_delay_ms.avg" && r.Path == nil && r.Unit == "ms"
	}
	if !found {
		t.Error("no end-to-end delay")
	}
}
