package metrics

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"mpanalyze/internal/conn"
	"mpanalyze/internal/stats"
)

// zeros takes the values of series that are 0.
type zeros struct {
	at      []int64
	omitted int64
}

func (z *zeros) Value(_ *Series, t int64, v float64) {
	if v == 0 {
		z.at = append(z.at, t)
	}
}
func (*zeros) Values(*Series, int64, []stats.Weighted, float64) {}
func (z *zeros) Omitted(_ *Series, n int64)                     { z.omitted += n }

func seriesWriterTo(z *zeros) *seriesWriter {
	m := &Connection{k: &Collector{}}
	return &seriesWriter{m: m, from: conn.A, sink: z, wanted: 1 << seriesThroughput.index}
}

// TestEmptyCells: up to maxEmptyRun cells have a zero each, of more the first and the last.
func TestEmptyCells(t *testing.T) {
	z := &zeros{}
	o := seriesWriterTo(z)
	o.emitEmpty(seriesThroughput, 700, 100, 3)
	if d := cmp.Diff([]int64{700, 800, 900}, z.at); d != "" || z.omitted != 0 {
		t.Errorf("three cells: %s, %d omitted", d, z.omitted)
	}
	*z = zeros{}
	o.emitEmpty(seriesThroughput, 700, 100, maxEmptyRun)
	if len(z.at) != maxEmptyRun || z.omitted != 0 {
		t.Errorf("%d rows and %d omitted of %d cells", len(z.at), z.omitted, maxEmptyRun)
	}
	*z = zeros{}
	o.emitEmpty(seriesThroughput, 700, 100, 1e12)
	if d := cmp.Diff([]int64{700, 700 + 100*(1e12-1)}, z.at); d != "" || z.omitted != 1e12-2 {
		t.Errorf("10^12 cells: %s, %d omitted", d, z.omitted)
	}
	*z = zeros{}
	o.emitEmpty(seriesGoodput, 700, 100, 10)
	if len(z.at) != 0 || z.omitted != 0 {
		t.Errorf("a series that is not wanted has %d rows and %d omitted", len(z.at), z.omitted)
	}
}

// TestEmptyCellsTogether: all pauses of a direction together have at most maxEmptyRows rows,
// and two for each pause beyond.
func TestEmptyCellsTogether(t *testing.T) {
	z := &zeros{}
	o := seriesWriterTo(z)
	const pauses, cells = 200, 10_000
	for i := range int64(pauses) {
		o.emitEmpty(seriesThroughput, i*1e9, 100, cells)
	}
	whole := maxEmptyRows / cells
	if want := whole*cells + 2*(pauses-whole); len(z.at) != want || z.omitted != int64(pauses-whole)*(cells-2) {
		t.Errorf("%d rows and %d omitted, want %d and %d", len(z.at), z.omitted, want, (pauses-whole)*(cells-2))
	}
}
