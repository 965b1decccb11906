package csvtables

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"gotest.tools/v3/assert"

	"mpanalyze/internal/report"
)

// someLines are more series than beginnings of rows are kept for. Some have no number, some have
// names that need quotes, and some have long names.
func someLines() (lines []report.SeriesLine) {
	for i := range 1300 {
		c := &report.Cell{Place: uint64(i), Connection: i, Direction: report.B2A, Subflow: i%4 - 1}
		if i%4 > 0 {
			c.Path = strings.Repeat("p", i%7*i%60) + []string{"", `a, "b"`}[i%2]
		}
		l := report.SeriesLine{Cell: c, Line: uint64(i), Metric: fmt.Sprint("m", i%24)}
		if i%100 == 0 {
			l.Line, c.Place = 0, 0
		}
		lines = append(lines, l)
	}
	return lines
}

// plainCell returns the first columns of a row.
func plainCell(c *report.Cell) string {
	subflow, path := "", c.Path
	if c.Subflow >= 0 {
		subflow = strconv.Itoa(c.Subflow)
	}
	if strings.Contains(path, ",") {
		path = `"` + strings.ReplaceAll(path, `"`, `""`) + `"`
	}
	return fmt.Sprintf("%d,%s,%s,%s,", c.Connection, c.Direction, subflow, path)
}

// plainTime returns a column with a time.
func plainTime(ns int64) string {
	switch {
	case ns == report.NoTime:
		return ""
	case ns%1000 == 0:
		return fmt.Sprintf("%d.%06d", ns/1e9, ns%1e9/1000)
	}
	return fmt.Sprintf("%d.%09d", ns/1e9, ns%1e9)
}

// TestRows writes rows whose lines and times repeat, and compares them with rows that are written
// without any stored text.
func TestRows(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 0))
	lines, busy := someLines(), 20
	dir := t.TempDir()
	w, err := New(filepath.Join(dir, "tables"), Options{Series: true, Chunks: true})
	assert.NilError(t, err)
	series, chunks := []string{header(streamed("series"))}, []string{header(streamed("chunks"))}
	times := []int64{report.NoTime, 0, 1, 1000, 1e9, 123_456_789_012}
	for i := range 30_000 {
		if i%500 == 0 {
			busy = 1 + r.IntN(len(lines))
		}
		if r.IntN(3) == 0 {
			times[r.IntN(len(times))] = r.Int64N(1e12) / []int64{1, 1000}[i%2] * []int64{1, 1000}[i%2]
		}
		at := func() int64 { return times[r.IntN(len(times))] }
		l := &lines[r.IntN(busy)]
		row := report.SeriesRow{SeriesLine: l, T: at(), Value: float64(r.IntN(1e6)) / 8}
		series = append(series, plainCell(l.Cell)+l.Metric+","+plainTime(row.T)+","+strconv.FormatFloat(row.Value, 'f', -1, 64))
		k := report.ChunkRow{
			Cell: l.Cell, Packet: r.Int64N(1e9), DSN: r.Int64(), SSN: r.Int64N(1e12), Length: r.Int64N(9000), Kind: report.ChunkFirst,
			Sent: at(), Acked: at(), DataAcked: at(), Arrived: at(), Delivered: at(),
		}
		chunks = append(chunks, fmt.Sprintf("%s%d,%d,%d,%d,%s,%s,%s,%s,%s,%s", plainCell(l.Cell), k.Packet, k.DSN, k.SSN, k.Length, k.Kind,
			plainTime(k.Sent), plainTime(k.Acked), plainTime(k.DataAcked), plainTime(k.Arrived), plainTime(k.Delivered)))
		assert.NilError(t, w.Series([]report.SeriesRow{row}))
		assert.NilError(t, w.Chunks([]report.ChunkRow{k}))
	}
	assert.NilError(t, w.Close())
	for name, want := range map[string][]string{"series.csv": series, "chunks.csv": chunks} {
		text, err := os.ReadFile(filepath.Join(dir, "tables", name))
		assert.NilError(t, err)
		got := strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
		assert.Assert(t, len(got) == len(want), "%s has %d lines, want %d", name, len(got), len(want))
		for i := range want {
			if got[i] != want[i] {
				t.Fatalf("%s, line %d: %q, want %q", name, i, got[i], want[i])
			}
		}
	}
}
