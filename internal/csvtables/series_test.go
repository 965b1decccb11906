package csvtables

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mpanalyze/internal/report"
)

// plainRow makes a row of series.csv of plain functions.
func plainRow(r *report.SeriesRow) string {
	b := appendTime(append(append(appendCell(nil, r.Cell), r.Metric...), ','), r.T)
	return string(append(appendNumber(b, r.Value), '\n'))
}

// seriesLines are more lines than are remembered, some with long texts, some
// without a number.
func seriesLines() (lines []report.SeriesLine) {
	for i := range 900 {
		l := report.SeriesLine{Cell: &report.Cell{Connection: i, Direction: report.B2A, Subflow: i%4 - 1}, Line: uint64(i), Metric: fmt.Sprint("m", i%24)}
		if i%4 > 0 {
			l.Path = strings.Repeat("p", i%7*i%60) + []string{"", "a, b"}[i%2]
		}
		if i%100 == 0 {
			l.Line = 0
		}
		lines = append(lines, l)
	}
	return lines
}

// seriesRowsOf returns rows of some lines, of which most but not all are as usual:
// times of any distance, and all kinds of values.
func seriesRowsOf(lines []report.SeriesLine, r *rand.Rand) []report.SeriesRow {
	values := []float64{
		0, math.Copysign(0, -1), 1, 99_999_999, 1e8, -1, 0.5, -0.5, 0.4e-6, -0.4e-6, 0.5e-6, 1e-6, 99.999999, 99.9999995, 100, 100.000001,
		1234.5, -1234.567891, 9007199254.740991, -9007199254.740991, 9007199254.740992, 1e300, math.NaN(), math.Inf(-1),
	}
	rows := make([]report.SeriesRow, 1+r.IntN(300))
	now := r.Int64N(1e9) << r.IntN(20)
	for i := range rows {
		if r.IntN(2) == 0 {
			now += r.Int64N(3e6)
		}
		rows[i] = report.SeriesRow{SeriesLine: &lines[r.IntN(len(lines))], T: now, Value: float64(r.Int64N(400e6)-100e6) / 1e6}
		switch r.IntN(40) {
		case 39:
			for again := min(r.IntN(300), i); again > 0; again-- { // of one moment
				rows[i-again].SeriesLine, rows[i-again].T = rows[i].SeriesLine, now
			}
		case 0:
			rows[i].T = []int64{report.NoTime, -1, 0, stampEnd - 1, stampEnd, math.MaxInt64}[r.IntN(6)]
		case 1, 2, 3, 4:
			rows[i].Value = values[r.IntN(len(values))]
		}
	}
	return rows
}

// TestSeriesBlocks compares blocks of rows, which fill several blocks of the
// table, with rows made of plain functions.
func TestSeriesBlocks(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 0))
	lines := seriesLines()
	dir := t.TempDir()
	f, err := os.Create(filepath.Join(dir, "series.csv"))
	if err != nil {
		t.Fatal(err)
	}
	table := newTable(f, "head")
	table.memo = new(memo)
	want := []byte("head\n")
	busy := lines[:20]
	for range 400 {
		if r.IntN(10) == 0 {
			busy = lines[:1+r.IntN(len(lines))]
		}
		rows := seriesRowsOf(busy, r)
		for i := range rows {
			want = append(want, plainRow(&rows[i])...)
		}
		table.seriesRows(rows)
	}
	if err := table.close(); err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(filepath.Join(dir, "series.csv"))
	if err != nil {
		t.Fatal(err)
	}
	if len(want) < 2*tableBlock {
		t.Fatalf("only %d octets", len(want))
	}
	gotLines, wantLines := strings.Split(string(got), "\n"), strings.Split(string(want), "\n")
	for i, w := range wantLines {
		if i >= len(gotLines) || gotLines[i] != w {
			t.Fatalf("row %d of %d: %q, want %q", i, len(gotLines), gotLines[min(i, len(gotLines)-1)], w)
		}
	}
}

// TestUsualRows: what is to be usual is so, and what is not ends the run: a line
// that is not the one remembered, a time beyond the tenth of a second, and what is
// no number.
func TestUsualRows(t *testing.T) {
	short := report.SeriesLine{Cell: &report.Cell{Connection: 1, Path: "wifi"}, Line: 5, Metric: "rtt"}
	other := report.SeriesLine{Cell: &report.Cell{Connection: 1, Path: "lte"}, Line: 5 + 512, Metric: "rtt"}
	long := report.SeriesLine{Cell: &report.Cell{Path: strings.Repeat("x", phraseRoom)}, Line: 6, Metric: "rtt"}
	usual := []report.SeriesRow{
		{SeriesLine: &short, T: 100e6, Value: 20},
		{SeriesLine: &short, T: 100e6, Value: -0.25},
		{SeriesLine: &short, T: 199_999_999, Value: 1e9 + 1e-6},
		{SeriesLine: &short, T: 150e6, Value: 99.999999},
	}
	for name, tt := range map[string]struct {
		next report.SeriesRow
		want int
	}{
		"usual":      {report.SeriesRow{SeriesLine: &short, T: 101e6, Value: 7}, len(usual) + 1},
		"other line": {report.SeriesRow{SeriesLine: &other, T: 101e6, Value: 7}, len(usual)},
		"long line":  {report.SeriesRow{SeriesLine: &long, T: 101e6, Value: 7}, len(usual)},
		"next tenth": {report.SeriesRow{SeriesLine: &short, T: 200e6, Value: 7}, len(usual)},
		"tenth past": {report.SeriesRow{SeriesLine: &short, T: 99_999_999, Value: 7}, len(usual)},
		"no time":    {report.SeriesRow{SeriesLine: &short, T: report.NoTime, Value: 7}, len(usual)},
		"no number":  {report.SeriesRow{SeriesLine: &short, T: 101e6, Value: math.NaN()}, len(usual)},
		"too large":  {report.SeriesRow{SeriesLine: &short, T: 101e6, Value: 1e10}, len(usual)},
	} {
		table := scratch()
		table.otherRow(&report.SeriesRow{SeriesLine: &long, T: 100e6})
		table.otherRow(&report.SeriesRow{SeriesLine: &short, T: 100e6})
		if got := table.usualRows(append(usual[:len(usual):len(usual)], tt.next)); got != tt.want {
			t.Errorf("%s: %d rows, want %d", name, got, tt.want)
		}
	}
	table := scratch()
	table.otherRow(&usual[0])
	table.buf = table.buf[:tableBlock]
	if got := table.usualRows(usual); got != 0 {
		t.Errorf("%d rows behind a full block", got)
	}
}
