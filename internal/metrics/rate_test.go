package metrics

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	"mpanalyze/internal/conn"
	"mpanalyze/internal/dss"
	"mpanalyze/internal/seq"
	"mpanalyze/internal/tracegen"
)

// piece is n bytes of data from position at on, seen for the first time.
func piece(at, n int64, num uint64) dss.Piece {
	return dss.Piece{Data: seq.Range[seq.DSN]{Start: seq.DSN(at), End: seq.DSN(at + n)}, Packet: num}
}

// flushed keeps the cells that a rate writes.
type flushed struct {
	at   []int64
	mbps []float64
}

func (f *flushed) flushRate(at int64, mbps float64) {
	f.at, f.mbps = append(f.at, at), append(f.mbps, mbps)
}

func (f *flushed) flushEmpty(at, cell, n int64) {
	for i := range n {
		f.flushRate(at+i*cell, 0)
	}
}

// TestRate: cells of 100 ns from 1000 on. 25 bytes in 100 ns are 25 * 8 bit /
// 100 ns = 2 bit/ns = 2000 Mbit/s.
func TestRate(t *testing.T) {
	sink := &flushed{}
	r := Rate{grid: &grid{origin: 1000, cell: 100}, sink: sink}
	for _, x := range []struct{ t, n int64 }{
		{1000, 10}, {1099, 15}, // the first cell
		{1100, 25},             // the boundary belongs to the second
		{1450, 50}, {1475, 25}, // the third and fourth are empty, the fifth is covered for three quarters
	} {
		r.add(x.t, x.n)
	}
	r.close()
	dist(t, "cells", &r.Cells, 4, (2000+2000+0+0)/4., 0, 2000)
	want := flushed{[]int64{1000, 1100, 1200, 1300, 1400}, []float64{2000, 2000, 0, 0, 75 * 8e3 / 75.}}
	assert.Check(t, is.DeepEqual(*sink, want, cmp.AllowUnexported(flushed{})))
	if avg, ok := r.Avg(); !ok || avg != 125*8e3/475. {
		t.Errorf("average %v, %v", avg, ok)
	}
	if r.Bytes() != 125 || r.Active() != 475 {
		t.Errorf("%d bytes in %d ns", r.Bytes(), r.Active())
	}
}

// TestLastCell: 20 bytes in 1 ns would be 160 Gbit/s. A last cell that is covered for
// less than half is left out of the series; one that is covered for half is in it.
func TestLastCell(t *testing.T) {
	for _, c := range []struct {
		last int64
		want []int64
	}{
		{1101, []int64{1000}}, {1149, []int64{1000}}, {1150, []int64{1000, 1100}},
	} {
		sink := &flushed{}
		r := Rate{grid: &grid{origin: 1000, cell: 100}, sink: sink}
		r.add(1000, 10)
		r.add(1100, 10)
		r.add(c.last, 10)
		r.close()
		if d := cmp.Diff(c.want, sink.at); d != "" {
			t.Errorf("last data at %d: %s", c.last, d)
		}
		if avg, ok := r.Avg(); !ok || avg != 30*8e3/float64(c.last-1000) {
			t.Errorf("last data at %d: average %v, %v", c.last, avg, ok)
		}
	}
}

// TestRateByCells compares random times with a count of bytes by cell. Data that comes up
// to 30 ns late counts in the open cell.
func TestRateByCells(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	sink := &flushed{}
	got := Rate{grid: &grid{origin: 1000, cell: 100}, sink: sink}
	now, first, last, total := int64(1000), int64(-1), int64(0), int64(0)
	cells := map[int64]int64{}
	for range 1000 {
		now += r.Int64N(60) * r.Int64N(8)
		n := 1 + r.Int64N(1000)
		late := max(0, r.Int64N(60)-30)
		got.add(now-late, n)
		if first < 0 {
			first = now - late
		}
		cell := (now - late - 1000) / 100
		for c := range cells {
			cell = max(cell, c)
		}
		cells[cell] += n
		last, total = max(last, now-late), total+n
	}
	got.close()
	var want flushed
	begin, end := (first-1000)/100, (last-1000)/100
	for c := begin; c <= end; c++ {
		width := int64(100)
		if c == end {
			if width = last - (1000 + 100*c); width < 50 {
				break
			}
		}
		want.at, want.mbps = append(want.at, 1000+100*c), append(want.mbps, float64(cells[c])*8e3/float64(width))
	}
	assert.Check(t, is.DeepEqual(*sink, want, cmp.AllowUnexported(flushed{})))
	if n := got.Cells.N(); n != end-begin {
		t.Errorf("%d whole cells, want %d", n, end-begin)
	}
	if got.Bytes() != total || got.Active() != last-first {
		t.Errorf("%d bytes in %d ns, want %d in %d", got.Bytes(), got.Active(), total, last-first)
	}
}

// pauses counts the calls for empty cells.
type pauses struct {
	flushed
	calls int
}

func (p *pauses) flushEmpty(_, _, _ int64) { p.calls++ }

// TestRateOfOneMoment has no average, and a pause of any length is one step.
func TestRateOfOneMoment(t *testing.T) {
	sink := &pauses{}
	r := Rate{grid: &grid{cell: 100}, sink: sink}
	r.add(50, 10)
	if _, ok := r.Avg(); ok {
		t.Error("an average over no time")
	}
	r.add(100e12, 10)
	if n := r.Cells.N(); n != 1e12 {
		t.Errorf("%d cells, want 1e12", n)
	}
	assert.Check(t, sink.calls == 1, "%d calls for the empty cells, want 1", sink.calls)
}

// TestShares: in the first cell the fast path carries 3 of 4 chunks, in the
// second all.
func TestShares(t *testing.T) {
	s, fast, slow := twoPaths(tracegen.Config{Version: 1})
	for i, f := range []*tracegen.Subflow{fast, slow, fast, fast} {
		acked(f, time.Duration(1000+i)*msec, int64(1000*i), 1000)
	}
	acked(fast, 1150*msec, 4000, 2000)
	m := measure(t, s, tracegen.HostA, Config{Interval: 100 * msec})
	quick, _ := m.series(seriesShare, 0, conn.A)
	other, _ := m.series(seriesShare, 1, conn.A)
	assert.Check(t, is.DeepEqual([][]float64{quick, other}, [][]float64{{75, 100}, {25, 0}}))
	// 4000 bytes in the cell of 100 ms; then 2000 in the 50 ms up to the end.
	cells, _ := m.series(seriesGoodput, -1, conn.A)
	assert.Check(t, is.DeepEqual(cells, []float64{0.32, 0.32}))
	if avg, _ := m.Dir(conn.A).Goodput().Avg(); avg != 6000*8/150e3 {
		t.Errorf("goodput %v", avg)
	}
}

// TestBursts: three consecutive chunks on the fast path, two on the slow one,
