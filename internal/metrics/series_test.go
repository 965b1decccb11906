package metrics

import (
	"math"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	"mpanalyze/internal/conn"
	"mpanalyze/internal/stats"
	"mpanalyze/internal/tracegen"
)

// line identifies one series of one place.
type line struct {
	metric string
	sub    int
	from   conn.Side
}

// value is the value of a series from a time on.
type value struct {
	T time.Duration
	V float64
}

// byLine returns the points of each series in order.
func (m *measured) byLine() map[line][]value {
	out := map[line][]value{}
	for _, p := range m.points {
		at := line{p.metric, p.sub, p.from}
		out[at] = append(out[at], value{p.t, p.value})
	}
	return out
}

// holding returns the names of the series that hold.
func holding() (names []string) {
	for _, s := range allSeries {
		if s.holds {
			names = append(names, s.String())
		}
	}
	return names
}

// even is a session of round trips that all last equally long.
func even() *tracegen.Session {
	s, f := onePath(tracegen.Config{Version: 1})
	for i := range 20 {
		acked(f, time.Duration(100+50*i)*msec, int64(1000*i), 1000)
	}
	return s
}

// at returns the value that is valid at a time, from values in order of time.
func at(values []value, t time.Duration) (v float64) {
	for _, p := range values {
		if p.T <= t {
			v = p.V
		}
	}
	return v
}

// TestChanges: with Changes, a series that holds has at each time the same value as
// without, ends at the same time, and repeats a value only there. The other series are
// unchanged.
func TestChanges(t *testing.T) {
	names := holding()
	want := []string{"srtt", "rttvar", "rto", "hol_queue", "rwnd", "rwnd_free", "time_account"}
	assert.Assert(t, is.DeepEqual(names, want))
	left := map[string]int{}
	sessions := []func() *tracegen.Session{even, func() *tracegen.Session { return offers(8, 8, 2, 8, 8, 5, 5, 5, 4, 3, 8, 8, 8) }}
	for seed := range uint64(6) {
		sessions = append(sessions, func() *tracegen.Session { return traffic(seed) })
	}
	for i, session := range sessions {
		for _, v := range []tracegen.View{tracegen.HostA, tracegen.HostB} {
			all := measure(t, session(), v, Config{Interval: 100 * msec}).byLine()
			some := measure(t, session(), v, Config{Interval: 100 * msec, Changes: true}).byLine()
			for l, full := range all {
				got := some[l]
				if !slices.Contains(names, l.metric) {
					if d := cmp.Diff(full, got); d != "" {
						t.Errorf("session %d, %v, %v: %s", i, v, l, d)
					}
					continue
				}
				left[l.metric] += len(full) - len(got)
				for _, p := range full {
					if p.V = at(full, p.T); math.Abs(at(got, p.T)-p.V) > 0.5e-6 {
						t.Fatalf("session %d, %v, %v: %v at %v, want %v", i, v, l, at(got, p.T), p.T, p.V)
					}
				}
				if end, last := full[len(full)-1].T, got[len(got)-1].T; last != end {
					t.Errorf("session %d, %v, %v: ends at %v, want %v", i, v, l, last, end)
				}
				for k := 1; k < len(got)-1; k++ {
					if got[k].V == got[k-1].V {
						t.Errorf("session %d, %v, %v: %v again at %v", i, v, l, got[k].V, got[k].T)
					}
				}
			}
			assert.Check(t, len(some) == len(all), "session %d, %v: %d series, want %d", i, v, len(some), len(all))
		}
	}
	for _, name := range names {
		if name != "hol_queue" && left[name] == 0 { // that is told when it changes anyway
			t.Errorf("%s: nothing was left out", name)
		}
	}
}

// TestStepsOutOfOrder: values out of the order of time give a series that is correct after
// sorting.
func TestStepsOutOfOrder(t *testing.T) {
	var m measured
	cfg := Config{Changes: true}
	m.gather(&cfg)
	c := &Connection{Conn: &conn.Conn{}, k: NewCollector(cfg, nil), series: true}
	o := c.seriesWriter(nil, conn.A)
	for _, p := range []value{{10, 1}, {9, 2}, {11, 2}, {12, 2}, {13, 3}, {13, 4}, {13, 4}, {14, 4}} {
		o.step(seriesRwnd, int64(p.T), p.V)
	}
	o.step(seriesRwnd, 20, 4)
	o.close()
	want := []value{{10, 1}, {9, 2}, {11, 2}, {13, 3}, {13, 4}, {20, 4}}
	assert.Check(t, is.DeepEqual(m.byLine()[line{"rwnd", -1, conn.A}], want))
}

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

// TestEmptyCells: a run of 20,000 empty cells of 100 ns has a row each; of a longer one, and of all beyond
// 2^20 rows, the first and the last cell have one. A series that is not wanted has none.
func TestEmptyCells(t *testing.T) {
	for _, c := range []struct{ before, n, rows int64 }{
		{0, 3, 3}, {0, 20_000, 20_000}, {0, 20_001, 2}, {0, 1e12, 2}, {1<<20 - 3, 3, 3}, {1<<20 - 2, 3, 2}, {1 << 20, 2, 2},
	} {
		z := &zeros{}
		o := seriesWriterTo(z)
		o.empty = c.before
		o.emitEmpty(seriesThroughput, 700, 100, c.n)
		o.emitEmpty(seriesGoodput, 700, 100, c.n)
		if n := int64(len(z.at)); n != c.rows || z.omitted != c.n-c.rows || z.at[0] != 700 || z.at[n-1] != 700+100*(c.n-1) {
			t.Errorf("%+v: %d rows up to %d, %d omitted", c, n, z.at[n-1], z.omitted)
		}
		if c.rows > 2 && (o.empty != c.before+c.n || z.at[1] != 800) {
			t.Errorf("%+v: %d rows up to now, the second at %d", c, o.empty, z.at[1])
		}
	}
}
