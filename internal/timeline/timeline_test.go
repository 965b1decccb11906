package timeline

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	"mpanalyze/internal/report"
)

// seen is what a figure shows of the points of one column.
type seen struct{ first, last, lo, hi Point }

func columnsOf(points []Point, shift uint) map[int64]seen {
	out := map[int64]seen{}
	for _, p := range points {
		c, ok := out[p.T>>shift]
		if !ok {
			c = seen{p, p, p, p}
		}
		if p.T < c.first.T {
			c.first = p
		}
		if p.T > c.last.T {
			c.last = p
		}
		if p.Lo < c.lo.Lo {
			c.lo = p
		}
		if p.Hi > c.hi.Hi {
			c.hi = p
		}
		out[p.T>>shift] = c
	}
	return out
}

// TestThinningKeepsWhatIsSeen adds far more points than are kept, in any order
// of time, and compares each column of the figure with that of all points.
func TestThinningKeepsWhatIsSeen(t *testing.T) {
	for seed := range uint64(20) {
		rng := rand.New(rand.NewPCG(seed, 1))
		const columns = 64
		l := &Series{columns: columns}
		var all []Point
		span := int64(1) << (16 + seed) // the width of a column changes while points come
		for i, at := range rng.Perm(20_000) {
			p := Point{T: int64(at)*span/20_000 + 7 - int64(seed%3)*span/2, Lo: rng.Float64(), Hi: 0}
			p.Hi = p.Lo + rng.Float64()/100
			all = append(all, p)
			l.add(p)
			if len(l.points) > 8*columns || cap(l.points) > 16*columns {
				t.Fatalf("seed %d: %d points are held after %d, with memory for %d", seed, len(l.points), i+1, cap(l.points))
			}
		}
		l.add(all[len(all)-1])
		l.Points(columns)
		assert.Check(t, cap(l.points) <= 4*columns, "seed %d: memory for %d points stays", seed, cap(l.points))
		all = append(all, all[len(all)-1])
		got := l.Points(columns)
		assert.Check(t, len(got) <= 4*columns, "seed %d: %d points, want at most %d", seed, len(got), 4*columns)
		shift := uint(0)
		for (span+7)>>shift >= columns {
			shift++
		}
		shift++ // a column of the figure at least as wide as those of the series
		assert.Check(t, is.DeepEqual(columnsOf(got, shift), columnsOf(all, shift), cmp.AllowUnexported(seen{})), "seed %d: columns (-of all points +of those kept)", seed)
	}
}

func TestFewPointsAreKeptAsTheyAre(t *testing.T) {
	l := &Series{columns: 64}
	want := []Point{{1, 5, 5}, {2, 4, 4}, {2, 6, 6}, {3, 5, 5}}
	for _, i := range []int{2, 0, 3, 1} {
		l.add(want[i])
	}
	assert.Check(t, is.DeepEqual(l.Points(64), want), "points")
}

func TestChunkSeries(t *testing.T) {
	s := New(Config{Chunks: true, From: 5, To: 1000})
	at := func(sub int) *report.Cell {
		return &report.Cell{Connection: 3, Direction: report.B2A, Subflow: sub, Path: "p"}
	}
	none := report.NoTime
	if err := s.Chunks([]report.ChunkRow{
		// Sent at the sender: its DATA_ACK stands at 1 + 100.
		{Cell: at(0), DSN: 1, SSN: 1, Length: 100, Kind: report.ChunkFirst, Sent: 10, Acked: 20, DataAcked: 30, Arrived: none, Delivered: none},
		// Arrived at the receiver, in order later.
		{Cell: at(1), DSN: 101, SSN: 1, Length: 50, Kind: report.ChunkFirst, Sent: none, Acked: none, DataAcked: none, Arrived: 40, Delivered: 60},
		{Cell: at(1), DSN: 1, SSN: 51, Length: 100, Kind: report.ChunkReinjection, Sent: 50, Acked: none, DataAcked: none, Arrived: none, Delivered: none},
		{Cell: at(0), DSN: 1, SSN: 1, Length: 100, Kind: report.ChunkRetransmission, Sent: 55, Acked: none, DataAcked: none, Arrived: none, Delivered: none},
		// Before and after the time that is wanted.
		{Cell: at(0), DSN: 900, SSN: 900, Length: 1, Kind: report.ChunkFirst, Sent: 4, Acked: 1001, DataAcked: none, Arrived: none, Delivered: none},
	}); err != nil {
		t.Fatal(err)
	}
	got := map[string][]Point{}
	for _, what := range []string{DSNFirst, DSNRetransmission, DSNReinjection, DSNAcked, DataAck, SSNFirst, SSNRetransmission, SSNReinjection} {
		for _, l := range s.Find(3, report.B2A, what) {
			got[what] = append(got[what], l.Points(100)...)
		}
	}
	want := map[string][]Point{
		DSNFirst:          {{10, 1, 101}, {40, 101, 151}},
		DSNAcked:          {{20, 1, 101}, {60, 101, 151}},
		DataAck:           {{30, 101, 101}},
		DSNReinjection:    {{50, 1, 101}},
		DSNRetransmission: {{55, 1, 101}},
		SSNFirst:          {{10, 1, 101}, {40, 1, 51}},
		SSNReinjection:    {{50, 51, 151}},
		SSNRetransmission: {{55, 1, 101}},
	}
	assert.Check(t, is.DeepEqual(got, want), "series")
}

func TestPacketSeries(t *testing.T) {
	s := New(Config{})
	cell := report.Cell{Direction: report.A2B, Subflow: 1, Path: "p"}
	for _, r := range []report.PacketRow{
		{Cell: cell, Fate: "arrived", Sent: -5e6, Arrived: 20e6}, // 25 ms by clocks that disagree
		{Cell: cell, Fate: "lost", Sent: 7e6, Arrived: report.NoTime},
		{Cell: cell, Fate: "not_covered", Sent: 8e6, Arrived: report.NoTime},
		{Cell: cell, Fate: "not_captured_at_sender", Sent: report.NoTime, Arrived: 9e6},
	} {
		assert.NilError(t, s.Packet(&r))
	}
	for what, want := range map[string][]Point{OneWayDelay: {{-5e6, 25, 25}}, Lost: {{7e6, 0, 0}}} {
		series := s.Find(0, report.A2B, what)
		assert.Assert(t, len(series) == 1, "%d series of %s", len(series), what)
		assert.Check(t, is.DeepEqual(series[0].Points(10), want), "%s", what)
	}
}

// TestBounds fills more series and points than are kept.
func TestBounds(t *testing.T) {
	s := New(Config{Series: []string{"rtt"}, Columns: 128})
	rows := []report.SeriesRow{{SeriesLine: &report.SeriesLine{Cell: &report.Cell{Direction: report.A2B}, Metric: "rtt"}, Value: 1}}
	for i := range int64(maxSeries + 100) {
		rows[0].Connection, rows[0].T = int(i), i
		assert.NilError(t, s.Series(rows))
	}
	if s.count != maxSeries || s.Dropped() != 100 {
		t.Errorf("%d series and %d points dropped, want %d and 100", s.count, s.Dropped(), maxSeries)
	}
	for range 3 {
		s.thin()
	}
	assert.Check(t, s.columns == 16, "%d columns, want 128/2/2/2", s.columns)
}

func TestNoAllocation(t *testing.T) {
	s := New(Config{Series: []string{"rtt"}, Columns: 64})
	rows := []report.SeriesRow{{SeriesLine: &report.SeriesLine{Cell: &report.Cell{Direction: report.A2B}, Metric: "rtt"}}}
	add := func() {
		rows[0].T += 1000
		rows[0].Value = float64(rows[0].T % 977)
		_ = s.Series(rows)
	}
	for range 2000 {
		add()
	}
	if n := testing.AllocsPerRun(2000, add); n != 0 {
		t.Errorf("%v allocations for a value, want none", n)
	}
}

// TestMeans: cells of 100 ms from 30 ms on. The values 1 and 3 at 40 and 120 ms are in
// the first, 5 at 140 ms in the second, 9 at 20 ms in the one before the first, and none
// between 230 and 330 ms; 7 at 335 ms follows.
func TestMeans(t *testing.T) {
	s := New(Config{Series: []string{"path_delay"}, Means: []string{"path_delay"}, Cell: 100e6})
	for _, p := range [][2]float64{{40, 1}, {120, 3}, {140, 5}, {335, 7}, {20, 9}} {
		cell := report.Cell{Direction: report.A2B, Path: "wifi"}
		assert.NilError(t, s.Series([]report.SeriesRow{{SeriesLine: &report.SeriesLine{Cell: &cell, Metric: "path_delay"}, T: int64(p[0] * 1e6), Value: p[1]}}))
	}
	got := s.Find(0, report.A2B, "path_delay")[0].Means(100e6, 30e6)
	want := []Point{{T: -70e6, Lo: 9, Hi: 9}, {T: 30e6, Lo: 2, Hi: 2}, {T: 130e6, Lo: 5, Hi: 5}, {T: 330e6, Lo: 7, Hi: 7}}
	assert.Check(t, slices.Equal(got, want), "means %v, want %v", got, want)
}

// TestMeansAcrossYears: five values at the beginning, and one a hundred years later, take
// memory for six parts at most. The means are those of their cells.
func TestMeansAcrossYears(t *testing.T) {
	const century = int64(100 * 365.25 * 86400 * 1e9)
	m := newMeans(1e6)
	for i := range int64(5) {
		m.add(Point{T: i * 100e6, Lo: 2})
	}
	m.add(Point{T: century, Lo: 7})
	m.add(Point{T: 250e6, Lo: 8}) // late
	assert.Check(t, len(m.parts) <= 7, "%d parts", len(m.parts))
	got := (&Series{means: m}).Means(m.width, 0)
	assert.Check(t, len(got) == 2 && got[0].Lo == 3 && got[1].Lo == 7, "means %v, want (5 x 2 + 8) / 6 and 7", got)
}

// TestMeansOfLongSeries: of ten days with a value a second, 1 in the first half and 3 in
// the other, days are 1 and 3, though the parts had to get wider.
func TestMeansOfLongSeries(t *testing.T) {
	const day = 24 * 3600
	s := New(Config{Series: []string{"path_delay"}, Means: []string{"path_delay"}, Cell: 1e9})
	cell := report.Cell{Direction: report.A2B, Path: "wifi"}
	line := report.SeriesLine{Cell: &cell, Metric: "path_delay"}
	for i := range int64(10 * day) {
		v := 1.0
		if i >= 5*day {
			v = 3
		}
		assert.NilError(t, s.Series([]report.SeriesRow{{SeriesLine: &line, T: i * 1e9, Value: v}}))
	}
	got := s.Find(0, report.A2B, "path_delay")[0].Means(day*1e9, 0)
	assert.Check(t, len(got) >= 10 && got[0].Lo == 1 && got[3].Lo == 1 && got[6].Lo == 3 && got[9].Lo == 3, "means %v, want ten days, 1 and 3", got)
}
