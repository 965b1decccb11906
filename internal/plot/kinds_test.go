package plot_test

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	"mpanalyze/internal/palette"
	"mpanalyze/internal/plot"
	"mpanalyze/internal/report"
	"mpanalyze/internal/timeline"
)

// TestWindow: the DATA_ACK of chunk i comes at 100(i+1)+30 ms and stands at
// 1001+1000i; every chunk begins where the DATA_ACK before it stands, the first one
// at byte 1. So each is 0 to 1000 bytes ahead, and the reinjection of the last chunk,
// which was acknowledged 70 ms before, 1000 to 0 bytes behind. The window of 4000
// bytes has a panel of its own, so that it takes no height from the data.
func TestWindow(t *testing.T) {
	k := kindNamed(t, "dsn")
	k.Options.Window = true
	f := drawnBy(t, &k, nil, session(t, &k, nil))
	var axes []string
	for _, p := range f.Panels {
		axes = append(axes, p.Y)
	}
	assert.Assert(t, is.DeepEqual(axes, []string{"Data sequence number (kB)", "Ahead of the DATA_ACK (bytes)", "Receive window (kB)"}), "axes")
	var acks, chunks, ahead []plot.Coord
	for i := range 5 {
		at, y := 0.1*float64(i+1), float64(i)
		acks = append(acks, flat(at+0.03, 1.001+y))
		chunks = append(chunks, plot.Coord{X: at, Lo: 0.001 + y, Hi: 1.001 + y})
		ahead = append(ahead, plot.Coord{X: at, Hi: 1000})
	}
	shows(t, &f.Panels[0], map[string][]plot.Coord{"DATA_ACK": acks, "wifi": chunks, "reinjection": {{X: 0.6, Lo: 4.001, Hi: 5.001}}})
	shows(t, &f.Panels[1], map[string][]plot.Coord{"wifi": ahead, "reinjection": {{X: 0.6, Lo: -1000}}})
	for _, c := range f.Panels[2].Layers[0].XY {
		assert.Check(t, c.Hi == 4, "window %v kB, want 4", c.Hi)
	}
}

// TestSlowPathIsSeen: of paths that run side by side the one with less data is drawn
// later and narrower, and the DATA_ACK below both.
func TestSlowPathIsSeen(t *testing.T) {
	k := kindNamed(t, "dsn")
	r := session(t, &k, nil)
	for i := range int64(10) {
		sent(t, r, chunk(1, 5001+1000*i, 1001+1000*i, 1000, 700+10*i, report.ChunkFirst))
	}
	f := drawnBy(t, &k, nil, r)
	l := f.Panels[0].Layers
	assert.Check(t, l[0].Name == "DATA_ACK" && l[1].Name == "lte" && l[2].Name == "wifi", "drawn in the order %s, %s, %s", l[0].Name, l[1].Name, l[2].Name)
	assert.Check(t, l[1].Pen > l[2].Pen && l[2].Pen > 0, "%v and %v points; want lte, which has more data, then wifi narrower", l[1].Pen, l[2].Pen)
}

// TestEvents: a join, a reset and a fallback of one run are marked on every panel over
// time; the other run's figure of two runs has no marks, and neither has one that
// asks for none.
func TestEvents(t *testing.T) {
	k := kindNamed(t, "dsn")
	one := func() *plot.Run {
		r := session(t, &k, nil)
		r.Document.Connections[0].Events = report.List[report.Event]{
			{TS: 0.5, Kind: report.EventFallback},
			{TS: 0.2, Subflow: new(1), Kind: report.EventJoin},
			{TS: 0.4, Subflow: new(1), Kind: report.EventReset},
			{TS: 0.3, Kind: report.EventDataFin},
			{TS: 0.35, Kind: report.EventReset},
			{TS: 0.45, Kind: report.EventReceiveBufferBlock}, // only where awnd_delta is drawn
		}
		return r
	}
	moments := func(k plot.Kind, runs ...*plot.Run) (out []string) {
		for _, e := range drawnBy(t, &k, nil, runs...).Panels[0].Moments {
			out = append(out, fmt.Sprint(e.Letter, e.X))
			assert.Check(t, e.Letter != "J" || e.Colour == palette.Of(1), "the join is %v, want the colour of its path", e.Colour)
		}
		return out
	}
	assert.Check(t, is.DeepEqual(moments(k, one()), []string{"J0.2", "D0.4", "F0.5"}), "events")
	part := one()
	part.From, part.To = 3e8, 45e7
	assert.Check(t, is.DeepEqual(moments(k, part), []string{"D0.4"}), "events from 0.3 to 0.45 s")
	got := moments(k, one(), one())
	assert.Check(t, got == nil, "events of two runs in a panel: %q", got)
	k.Options.NoEvents = true
	got = moments(k, one())
	assert.Check(t, got == nil, "events although none were asked for: %q", got)
}

// TestCDF: of the values 10, 20, 30, 40, 50 the median is 30 and a quarter is
// at 20 (type 7).
func TestCDF(t *testing.T) {
	got := layersOf(&figure(t, "cdf", "srtt").Panels[0])["wifi"]
	for share, want := range map[float64]float64{0: 10, 25: 20, 50: 30, 75: 40, 100: 50} {
		for _, c := range got {
			assert.Check(t, c.Lo != share || math.Abs(c.X-want) <= 1e-9, "%v %% of the values reach %v ms, want %v", share, c.X, want)
		}
	}
	first, last := got[0], got[len(got)-1]
	assert.Check(t, first.Lo == 0 && last.Lo == 100, "the curve goes from %v to %v %%, want 0 to 100", first.Lo, last.Lo)
}

// valued is a run whose delays on wifi have these values, of chunks of these bytes.
func valued(t *testing.T, k *plot.Kind, scenario string, values, bytes []float64) *plot.Run {
	t.Helper()
	r := run(t, scenario, "path_delay", nil)
	r.Store = timeline.New(k.Config([]string{"path_delay"}, 0, 0))
	line := report.SeriesLine{Cell: &report.Cell{Direction: report.A2B, Path: "wifi"}, Metric: "path_delay"}
	for i, v := range values {
		assert.NilError(t, r.Store.Series([]report.SeriesRow{{SeriesLine: &line, T: int64(i), Value: v, Weight: bytes[i]}}))
	}
	return r
}

// TestPooledCDF: lia's runs have 40, 50 and 60, 90 ms of 100 bytes each, so the pooled values are
// 40, 50, 60, 90: their quartiles of type 7 are at 47.5, 55 and 67.5. The first run is all below
// 60, the second above 50: between them the runs are from 0 to 100 %. The axis ends where the
// values do. Without pooling, each run has a curve.
func TestPooledCDF(t *testing.T) {
	k := kindNamed(t, "cdf")
	equal := []float64{100, 100}
	runs := []*plot.Run{
		valued(t, &k, "lia", []float64{40, 50}, equal), valued(t, &k, "lia", []float64{60, 90}, equal), valued(t, &k, "olia", []float64{70, 80}, equal),
	}
	curves := map[string]int{"": 2, plot.ByScenario: 2, plot.ByPath: 2, plot.ByRun: 3}
	panels := map[string]int{"": 1, plot.ByScenario: 1, plot.ByPath: 2, plot.ByRun: 1}
	for by, want := range curves {
		k.Options.Color = by
		f := drawnBy(t, &k, []string{"path_delay"}, runs...)
		var lines, areas []plot.Layer
		for _, p := range f.Panels {
			for _, l := range p.Layers {
				switch l.Shape {
				case plot.Line:
					lines = append(lines, l)
				case plot.Areas:
					areas = append(areas, l)
				}
			}
		}
		assert.Check(t, len(lines) == want && len(f.Panels) == panels[by] && f.Panels[0].Fit,
			"by %q: %d curves in %d panels, want %d in %d", by, len(lines), len(f.Panels), want, panels[by])
		assert.Check(t, by != plot.ByPath || lines[0].Name == "wifi" && lines[0].Colour == lines[1].Colour && f.Panels[0].Head == "lia",
			"by path: %q above a curve of %q", f.Panels[0].Head, lines[0].Name)
		if by == plot.ByRun {
			continue
		}
		xy := lines[0].XY
		assert.Check(t, xy[0].X == 40 && xy[len(xy)-1].X == 90, "by %q: the curve is from %v to %v ms, want 40 to 90", by, xy[0].X, xy[len(xy)-1].X)
		for _, c := range xy {
			for share, ms := range map[float64]float64{25: 47.5, 50: 55, 75: 67.5} {
				assert.Check(t, c.Lo != share || math.Abs(c.X-ms) <= 1e-9, "by %q: %v %% at %v ms, want %v", by, share, c.X, ms)
			}
		}
		assert.Assert(t, len(areas) == 1, "by %q: %d areas, want that of lia", by, len(areas))
		for _, c := range areas[0].XY {
			assert.Check(t, c.X < 50 || c.X >= 60 || c.Lo == 0 && c.Hi == 100, "by %q: the runs are from %v to %v %% at %v ms, want 0 to 100", by, c.Lo, c.Hi, c.X)
		}
	}
}

// TestCCDF: of the values 10, 20, 30, 40 half are above 25 (type 7), and none above 40, which has no place on a logarithmic axis.
func TestCCDF(t *testing.T) {
	k := kindNamed(t, "ccdf")
	f := drawnBy(t, &k, []string{"path_delay"}, valued(t, &k, "", []float64{10, 20, 30, 40}, []float64{1, 1, 1, 1}))
	xy := f.Panels[0].Layers[0].XY
	assert.Check(t, f.LogY && strings.Contains(f.Panels[0].Y, "above") && f.CheckScales(plot.Layout{}) == nil && len(f.Notes) == 0, "%q, %q", f.Panels[0].Y, f.Notes)
	assert.Check(t, xy[0] == flat(10, 100) && xy[200] == flat(25, 50) && xy[len(xy)-1].Lo > 0 && xy[len(xy)-1].X < 40, "from %v over %v to %v", xy[0], xy[200], xy[len(xy)-1])
}

// TestCDFByBytes: 300 of 400 bytes had a delay of 10 ms, as the report weighs delays: the median
// is 10 ms.
func TestCDFByBytes(t *testing.T) {
	k := kindNamed(t, "cdf")
	f := drawnBy(t, &k, []string{"path_delay"}, valued(t, &k, "", []float64{10, 50}, []float64{300, 100}))
	i := slices.IndexFunc(f.Panels[0].Layers[0].XY, func(c plot.Coord) bool { return c.Lo == 50 && c.X != 10 })
	assert.Check(t, i < 0, "value %d of the curve: the median is not 10 ms", i)
	assert.Check(t, is.Equal(f.Panels[0].Y, "Share of the data (%)"), "the axis")
}

func TestNothingToDraw(t *testing.T) {
	k := kindNamed(t, "series")
	names := []string{"hol_degree"}
	r := session(t, &k, names)
	d := r.Document.Connections[0].A2B
	d.Unavailable.Set("hol_degree_ms", "the moon was full")
	_, err := k.Make([]*plot.Run{r}, names)
	assert.Check(t, is.ErrorIs(err, plot.ErrEmpty), "what is missing")
	assert.Check(t, is.ErrorContains(err, "no hol_degree in connection 0, a2b: the moon was full"), "why")
	r.Connection = 7
	err = r.Resolve()
	assert.Check(t, errors.Is(err, plot.ErrEmpty) && strings.Contains(err.Error(), "no connection 7"), "error %v, want one that names the connection", err)
}

func TestCheck(t *testing.T) {
	for _, tt := range []struct{ kind, metric, want string }{
		{"dsn", "srtt", "it takes no metric"},
		{"series", "srt", "did you mean srtt"},
		{"series", "bytes", "has no series"},
		{"cdf", "owd", "--kind cdf does not draw owd: --kind series and grid do"},
		{"cdf", "goodput.mean", "did you mean goodput?"},
		{"cdf", "drops.percent", "metric \"drops\" has no series"},
		{"bars", "goodput.mean", "no statistic \"mean\" of goodput; want one of avg, cell_mean"},
		{"series", "srtt", ""},
		{"box", "bytes", ""},
	} {
		k := kindNamed(t, tt.kind)
		err := k.Check([]string{tt.metric})
		assert.Check(t, (tt.want != "" || err == nil) && (tt.want == "" || err != nil && strings.Contains(err.Error(), tt.want)),
			"%s %s: error %v, want %q", tt.kind, tt.metric, err, tt.want)
	}
	_, err := plot.KindNamed("pie")
	assert.Check(t, err != nil && strings.Contains(err.Error(), "dsn"), "error %v, want one that lists the kinds", err)
}

// TestReasonOfDirection: a figure without data gives the reason of subflows that carried data in
// its direction, not that of an idle subflow or of the other direction.
func TestReasonOfDirection(t *testing.T) {
	kind, err := plot.KindNamed("cdf")
	assert.NilError(t, err)
	r := session(t, &kind, []string{"in_order_wait"})
	idle, busy := &r.Document.Connections[0].Subflows[0], &r.Document.Connections[0].Subflows[1]
	const none, there = "no data passed in this direction", "only a capture at the receiver shows it"
	idle.A2B.Unavailable.Set("in_order_wait_ms", none)
	busy.B2A.Unavailable.Set("in_order_wait_ms", none)
	busy.A2B.Segments = 5
	busy.A2B.Unavailable.Set("in_order_wait_ms", there)
	_, err = kind.Make([]*plot.Run{r}, []string{"in_order_wait"})
	assert.Check(t, is.ErrorContains(err, there))
}
