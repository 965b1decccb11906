package overlay

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"gotest.tools/v3/assert"

	"mpanalyze/internal/report"
)

// equal compares series in which a cell without a value is NaN.
func equal(a, b []float64) bool {
	return slices.EqualFunc(a, b, func(x, y float64) bool { return math.Abs(x-y) < 1e-9 || math.IsNaN(x) && math.IsNaN(y) })
}

// gather gives rows of a metric of subflow 0, each a time in ms and a value, to cells of 100 ms.
func gather(t *testing.T, x *Cells, metric string, rows ...[2]float64) {
	t.Helper()
	line := report.SeriesLine{Cell: &report.Cell{Direction: report.A2B}, Metric: metric}
	var list []report.SeriesRow
	for _, r := range rows {
		list = append(list, report.SeriesRow{SeriesLine: &line, T: int64(r[0] * 1e6), Value: r[1]})
	}
	assert.NilError(t, x.Series(list))
}

// TestCells: a value of throughput at 150 ms is of 150 to 250 ms, so half of it belongs to each of
// two cells; a state holds until the next row; a cell known for less than half has no value.
func TestCells(t *testing.T) {
	x := NewCells(&Set{}, 100e6)
	gather(t, x, throughput, [2]float64{150, 4}, [2]float64{250, 8}, [2]float64{350, 2})
	gather(t, x, timeAccount, [2]float64{0, 2}, [2]float64{30, 5}, [2]float64{230, 5}, [2]float64{240, 5})
	l := x.lines[lineID{0, report.A2B, 0}]
	nan := math.NaN()
	// 100 ms: half known, 4. 200: 4 and 8. 300: 8 and 2. 400: half known, 2.
	if got, want := l.rates(), []float64{nan, 4, 6, 5, 2}; !equal(got, want) {
		t.Errorf("rates %v, want %v", got, want)
	}
	// The third cell is known for 40 ms.
	if got, want := l.shares(2), []float64{0.3, 0, nan, nan, nan}; !equal(got, want) {
		t.Errorf("shares of state 2 %v, want %v", got, want)
	}
	if got, want := l.shares(5), []float64{0.7, 1, nan, nan, nan}; !equal(got, want) {
		t.Errorf("shares of state 5 %v, want %v", got, want)
	}
}

// TestPause: of a pause of 500 ms only the first and the last cell have a row; between values that
// are not 0, a cell without a row is not known.
func TestPause(t *testing.T) {
	x := NewCells(&Set{}, 100e6)
	gather(t, x, throughput, [2]float64{0, 4}, [2]float64{100, 0}, [2]float64{500, 0}, [2]float64{600, 4}, [2]float64{800, 4})
	want := []float64{4, 0, 0, 0, 0, 0, 4, math.NaN(), 4}
	if got := x.lines[lineID{0, report.A2B, 0}].rates(); !equal(got, want) {
		t.Errorf("rates %v, want %v", got, want)
	}
}

// TestLongLine: a long connection has wider cells, not more of them: 5000 cells of 100 ms become
// 1250 of 400 ms. The throughput is 1 in the first half and 3 in the second.
func TestLongLine(t *testing.T) {
	x := NewCells(&Set{}, 100e6)
	for i := range 5000 {
		v := 1.0
		if i >= 2500 {
			v = 3
		}
		gather(t, x, throughput, [2]float64{float64(i) * 100, v})
	}
	l := x.lines[lineID{0, report.A2B, 0}]
	want := append(slices.Repeat([]float64{1}, 625), slices.Repeat([]float64{3}, 625)...)
	if got := l.rates(); l.width != 400e6 || !equal(got, want) {
		t.Errorf("%d cells of %d ns, want 1250 of 400 ms", len(got), l.width)
	}
}

// TestManyLines: more lines than the bound are left out.
func TestManyLines(t *testing.T) {
	x := NewCells(&Set{}, 100e6)
	for i := range maxLines + 3 {
		if said := len(x.Warnings()); (said > 0) != (i > maxLines) {
			t.Errorf("%d warnings on %d lines", said, i)
		}
		line := report.SeriesLine{Cell: &report.Cell{Connection: i, Direction: report.A2B}, Metric: throughput}
		assert.NilError(t, x.Series([]report.SeriesRow{{SeriesLine: &line, T: 0, Value: 1}}))
	}
	assert.Check(t, len(x.lines) == maxLines, "%d lines, want %d", len(x.lines), maxLines)
}

// TestValues: values hold until the next one; their mean in a cell of 100 is weighted by time. The
// last value holds no longer than its own time.
func TestValues(t *testing.T) {
	list := []Point{{-50, 1}, {20, 2}, {120, 4}, {130, 6}, {320, 8}, {330, 9}}
	// 0 to 100: 1 for 20, 2 for 80. 100 to 200: 2 for 20, 4 for 10, 6 for 70. 200 to 300: 6. 300 to
	// 400: known for 30.
	want := []float64{1.8, 5, 6, math.NaN(), math.NaN()}
	want[1] = (2*20 + 4*10 + 6*70) / 100.0
	if got := values(list, 100, 5); !equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	if got := values(nil, 100, 1); !equal(got, []float64{math.NaN()}) {
		t.Errorf("%v of no value", got)
	}
}

// session has 40 s of throughput on subflow 0 that is 8 Mbit/s, and 2 Mbit/s where the signal of the
// file is weak: in random-looking seconds. Subflow 1 and the other direction have nothing.
func session(t *testing.T, unit string) (*Cells, *report.Connection) {
	t.Helper()
	var file strings.Builder
	file.WriteString("time,value,name,unit\n")
	level := func(second int, weak, strong float64) float64 {
		if second*second*7%11 < 5 {
			return weak
		}
		return strong
	}
	for s := range 41 {
		file.WriteString(fmt.Sprintf("%02d,%v,signal,%s\n%02d,1,constant,\n", s, level(s, -100, -70), unit, s))
	}
	set, err := Parse(strings.NewReader(file.String()))
	assert.NilError(t, err)
	x := NewCells(set, 100e6)
	for i := range 400 {
		gather(t, x, throughput, [2]float64{float64(i) * 100, level(i/10, 2, 8) + float64(i%3)/10})
	}
	c := &report.Connection{Start: 0, Subflows: report.List[report.Subflow]{{ID: 0, Path: "lte"}}, A2B: &report.ConnDir{}, B2A: &report.ConnDir{}}
	c.A2B.Bytes, c.B2A.Bytes = new(int64(25_000_000)), new(int64(100))
	return x, c
}

// TestMoved: throughput that follows the signal moved with it, beyond chance; with a constant
// series it has no correlation, and the reason.
func TestMoved(t *testing.T) {
	x, c := session(t, "dBm")
	got := x.Of(c, 0)
	assert.Assert(t, len(got) == 2, "%d findings, want throughput with each of two series", len(got))
	m := &got[0]
	if m.Series != "signal" || m.Unit != "dBm" || m.Figure != "throughput" || *m.Path != "lte" || *m.Subflow != 0 || m.Cells != 400 || m.CellS != 0.1 || !m.Beyond() || *m.Spearman < 0.5 || *m.LagS != 0 {
		t.Errorf("%+v", m)
	}
	if *m.Independent > 400 {
		t.Errorf("%v independent cells of 400", *m.Independent)
	}
	m = &got[1]
	if m.Series != "constant" || m.Spearman != nil || m.Unavailable == nil || !strings.Contains(*m.Unavailable, "constant") || m.Beyond() {
		t.Errorf("%+v", m)
	}
	// A gap of the capture from 1.05 to 2.95 s takes cells 10 to 29 out.
	c.CaptureGaps = report.List[report.CaptureGap]{{Before: report.GapEnd{TS: 1.05}, After: report.GapEnd{TS: 2.95}}}
	if got := x.Of(c, 0); got[0].Cells != 380 {
		t.Errorf("%d cells beside a gap, want 380", got[0].Cells)
	}
	// A direction with hardly any data is not compared.
	c.A2B.Bytes, c.B2A.Bytes = c.B2A.Bytes, c.A2B.Bytes
	if got := x.Of(c, 0); len(got) != 0 {
		t.Errorf("%d findings of 100 bytes", len(got))
	}
}
