package plot_test

import (
	"slices"
	"strings"
	"testing"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	"mpanalyze/internal/palette"
	"mpanalyze/internal/plot"
	"mpanalyze/internal/report"
)

// measured is a run with these figures: throughput with mean and variance, round-trip
// times of wifi, shares of wifi and lte in 100 kB, and the segments that each sent again.
type measured struct {
	scenario       string
	mean, variance float64
	rtt            float64
	wifi           float64 // percent of the data
	again          [2]int64
}

func (x *measured) run(t *testing.T) *plot.Run {
	t.Helper()
	r := run(t, x.scenario, "srtt", nil)
	c := &r.Document.Connections[0]
	c.A2B.Throughput = &report.RateStat{Avg: 99, CellMean: &x.mean, Variance: &x.variance, Stddev: new(10 * x.variance)}
	c.A2B.Paths = report.List[report.PathShare]{{Path: "wifi", Percent: &x.wifi, FirstBytes: new(int64(1000 * x.wifi))}, {Path: "lte", Percent: new(100 - x.wifi), FirstBytes: new(100_000 - int64(1000*x.wifi))}}
	c.Subflows[0].A2B.RTT = &report.SpreadStat{Stat: report.Stat{Avg: x.rtt, Stddev: x.rtt / 2}, Variance: 2 * x.rtt}
	for i, n := range x.again {
		c.Subflows[i].A2B.RetransmittedSegments = n
	}
	return r
}

// changed returns a figure of runs. It calls change for each run, with its number.
func changed(t *testing.T, kind string, names []string, list []measured, change func(int, *plot.Run)) *plot.Figure {
	t.Helper()
	k := kindNamed(t, kind)
	var runs []*plot.Run
	for i := range list {
		runs = append(runs, list[i].run(t))
		if change != nil {
			change(i, runs[i])
		}
	}
	return drawnBy(t, &k, names, runs...)
}

// TestBars: two environments, two methods. In home lia has means of 3 and 5, so a bar of
// 4 with two dots; olia 6. In train lia has 1 and olia 2. Two methods share 0.8 of a
// place, so their middles are 0.2 off it.
func TestBars(t *testing.T) {
	f := changed(t, "bars", []string{"throughput", "rtt"}, []measured{
		{scenario: "home/lia", mean: 3, variance: 0.5, rtt: 20},
		{scenario: "home/lia", mean: 5, variance: 1.5, rtt: 40},
		{scenario: "home/olia", mean: 6, variance: 2, rtt: 50},
		{scenario: "train/lia", mean: 1, variance: 3, rtt: 60},
		{scenario: "train/olia", mean: 2, variance: 4, rtt: 70},
	}, nil)
	golden(t, "bars", f)
	var axes []string
	for _, p := range f.Panels {
		axes = append(axes, p.Strip+" "+p.Head+": "+p.Y)
	}
	assert.Assert(t, is.DeepEqual(axes, []string{
		" mean: Throughput, mean (Mbit/s)", " standard deviation: Throughput, standard deviation (Mbit/s)", " variance: Throughput, variance ((Mbit/s)\u00b2)",
		"wifi mean: RTT, mean (ms)", "wifi standard deviation: RTT, standard deviation (ms)", "wifi variance: RTT, variance (ms\u00b2)",
	}), "axes")
	assert.Assert(t, is.Equal(f.Columns, 3), "columns")
	p := &f.Panels[0]
	assert.Check(t, slices.Equal(p.Names, []string{"home", "train"}), "groups %q", p.Names)
	for i, want := range [][2][2]float64{{{4, 1}, {6, 2}}, {{10, 30}, {20, 40}}, {{1, 3}, {2, 4}}, {{30, 60}, {50, 70}}, {{15, 30}, {25, 35}}, {{60, 120}, {100, 140}}} { // method, environment
		bars := map[string][]plot.Coord{}
		for j, name := range []string{"lia", "olia"} {
			for n, high := range want[j] {
				bars[name] = append(bars[name], plot.Coord{X: float64(n) + []float64{-0.2, 0.2}[j], Hi: high})
			}
		}
		shows(t, &f.Panels[i], bars)
	}
}

// TestOneStatistic: a name with a statistic draws this one alone, in bars and in boxes.
func TestOneStatistic(t *testing.T) {
	list := []measured{{scenario: "lia", mean: 3, variance: 0.5, rtt: 20}, {scenario: "olia", mean: 6, variance: 2, rtt: 50}}
	for kind, want := range map[string]map[string]float64{
		"bars": {"throughput.stddev": 5, "rtt.variance": 40, "throughput_mbps.variance": 0.5},
		"box":  {"throughput.stddev": 5, "rtt.stddev": 10},
	} {
		for name, value := range want {
			k := kindNamed(t, kind)
			assert.Check(t, k.Check([]string{name}))
			f := changed(t, kind, []string{name}, list, nil)
			assert.Check(t, len(f.Panels) == 1 && f.Panels[0].Layers[0].XY[0].Hi == value,
				"%s of %s: %d panels, the first value %v, want 1 and %v", kind, name, len(f.Panels), f.Panels[0].Layers[0].XY[0].Hi, value)
		}
	}
	k := kindNamed(t, "bars")
	assert.Check(t, k.Check([]string{"throughput.moon"}) != nil, "throughput.moon is a statistic")
	var tex strings.Builder
	assert.NilError(t, changed(t, "box", []string{"rtt.stddev"}, list, nil).WriteLaTeX(&tex, "x.pdf", plot.Layout{Size: plot.DefaultSize}))
	assert.Check(t, is.Contains(tex.String(), `\caption{Runs: RTT, standard deviation (ms) of 2 runs.}`))
}

// TestErrorBars: of two runs of 3 and 5, a resample has the mean 3 or 5 with a quarter each, 4 with a
// half. The middle 95 % of the means reach from 3 to 5. The value stands above the bar, the interval and the runs. One run has a
// value and no interval.
func TestErrorBars(t *testing.T) {
	f := changed(t, "bars", []string{"throughput"}, []measured{
		{scenario: "lia", mean: 3}, {scenario: "lia", mean: 5}, {scenario: "olia", mean: 6},
	}, nil)
	var intervals []plot.Coord
	labels := map[float64]string{}
	for _, l := range f.Panels[0].Layers {
		switch l.Shape {
		case plot.Intervals:
			intervals = append(intervals, l.XY...)
		case plot.Texts:
			labels[l.XY[0].Hi] = l.Labels[0]
		case plot.Bars:
			want := palette.Of(int(l.XY[0].X))
			assert.Check(t, l.Colour == want, "the bar at %v is %v, want the colour of its scenario, %v", l.XY[0].X, l.Colour, want)
		}
	}
	assert.Assert(t, is.Len(intervals, 1), "error bars")
	ci := intervals[0]
	assert.Check(t, ci.X == 0 && ci.Lo == 3 && ci.Hi == 5, "%+v", ci)
	assert.Check(t, len(labels) == 2 && labels[ci.Hi] == "4.00" && labels[6] == "6.00", "values by height %v, want 4.00 above the interval and 6.00 above 6", labels)
}

// TestPathsThatSomeRunsLack: of two runs of lia the second has no lte, so that it
// carried nothing there: a mean of (1000 + 0) / 2 bytes. Of two subflows of one run
// on a path the one with less data has a name of its own and is no second run.
func TestPathsThatSomeRunsLack(t *testing.T) {
	runs := []measured{{scenario: "lia", wifi: 60}, {scenario: "lia", wifi: 100}}
	without := func(i int, r *plot.Run) {
		c := &r.Document.Connections[0]
		for k := range c.A2B.Paths {
			c.A2B.Paths[k].Bytes = new(int64(1000))
		}
		if i == 1 {
			c.Subflows, c.A2B.Paths = c.Subflows[:1], c.A2B.Paths[:1]
		}
	}
	f := changed(t, "shares", nil, runs, without)
	var bars []float64
	for _, l := range f.Panels[0].Layers {
		if l.Shape == plot.Bars {
			bars = append(bars, l.XY[0].Hi)
		}
	}
	assert.Check(t, slices.Equal(bars, []float64{1000, 500}), "payloads of %v bytes, want 1000 and 500", bars)
	f = changed(t, "box", []string{"rtt"}, runs[:1], func(_ int, r *plot.Run) {
		c := &r.Document.Connections[0]
		for k := range c.Subflows {
			c.Subflows[k].Path = "wifi"
			c.Subflows[k].A2B.RTT = &report.SpreadStat{Stat: report.Stat{Avg: 20}}
			c.Subflows[k].A2B.Bytes = new(int64(1000 * (k + 1)))
		}
	})
	assert.Check(t, len(f.Panels) == 2 && f.Panels[0].Head == "wifi#2" && f.Panels[1].Head == "wifi", "%d panels, want wifi#2 and wifi apart", len(f.Panels))
}
