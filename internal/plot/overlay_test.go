package plot_test

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	"mpanalyze/internal/overlay"
	"mpanalyze/internal/plot"
	"mpanalyze/internal/report"
)

// beside is a file with a signal at 1, 2 and 9 s of the capture, and a series long after it.
func beside(t *testing.T) []overlay.Series {
	t.Helper()
	s, err := overlay.Parse(strings.NewReader("time,value,name,unit\n1,-70,signal,dBm\n2,-75,signal,dBm\n9,-80,signal,dBm\n500,1,late,\n"))
	assert.NilError(t, err)
	return s.Series
}

// overlaid is the session with that file. The capture begins at 100 s, the connection at 100.5 s;
// it lasts 4 s, of which the figure shows those from 1 s on.
func overlaid(t *testing.T, kind string, names ...string) *plot.Figure {
	t.Helper()
	k := kindNamed(t, kind)
	k.Options.Overlay = beside(t)
	r := session(t, &k, names)
	first := report.Time(100e9)
	r.Document.Captures = report.List[report.Capture]{{First: &first}}
	r.Document.Connections[0].Start, r.Document.Connections[0].DurationS, r.From = 100_500e6, 4, 1e9
	return drawnBy(t, &k, names, r)
}

// TestOverlayPanel: a series of a file has a panel below the others. -70 was the value at 0.5 s of
// the connection, and holds at 1 s; -75 holds from 1.5 s to the end.
func TestOverlayPanel(t *testing.T) {
	f := overlaid(t, "series", "srtt")
	p := f.Panels[len(f.Panels)-1]
	assert.Assert(t, len(f.Panels) == 2 && p.Y == "signal (dBm)" && p.X == f.Panels[0].X && len(p.Layers) == 2,
		"%d panels, the last is %q over %q with %d layers", len(f.Panels), p.Y, p.X, len(p.Layers))
	want := []plot.Coord{{X: 1, Lo: -70, Hi: -70}, {X: 1.5, Lo: -75, Hi: -75}, {X: 4, Lo: -75, Hi: -75}}
	assert.Check(t, slices.Equal(p.Layers[0].XY, want) && p.Layers[0].Shape == plot.Steps, "line %v, want %v", p.Layers[0].XY, want)
	assert.Check(t, is.DeepEqual(p.Layers[1].XY, []plot.Coord{{X: 1.5, Lo: -75, Hi: -75}}), "marks")
	said := strings.Join(f.Missing, "\n")
	assert.Check(t, strings.Contains(said, "no late in the time shown, 1.000 to 4.000 s: the file has it from 499.500 to 499.500 s"), "missing: %q", said)
}

// TestOverlayBelowZero: an axis of values below 0 ends where they end.
func TestOverlayBelowZero(t *testing.T) {
	var b bytes.Buffer
	assert.NilError(t, overlaid(t, "series", "srtt").Write(&b, "svg", plot.Layout{Size: plot.DefaultSize}))
	text := b.String()
	assert.Check(t, (strings.Contains(text, ">-75<") || strings.Contains(text, ">-75.0<")) && !strings.Contains(text, ">-20<"), "the axis of the signal does not end near -70")
}

// TestOverlayNowhere: kinds without an axis of time have no panel for it.
func TestOverlayNowhere(t *testing.T) {
	for _, k := range plot.Kinds() {
		want := k.Name == "series" || k.Name == "time_account"
		assert.Check(t, k.Overlaid() == want, "%s: overlaid %v", k.Name, !want)
	}
}

// withSamples is the session with samples of a kernel on the first path at 0.2, 0.4 and 0.6 s.
func withSamples(t *testing.T, kernel bool, series string, names ...string) *plot.Figure {
	t.Helper()
	k := kindNamed(t, "series")
	k.Options.Kernel = kernel
	r := session(t, &k, names)
	put(t, r.Store, series, 0, [2]float64{0.2, 20}, [2]float64{0.4, 21}, [2]float64{0.6, 22})
	return drawnBy(t, &k, names, r)
}

// What the kernel says lies over the line of the packets: steps with a mark at each sample, and
// nothing beyond the last one. Without records nothing does.
func TestKernelOverPackets(t *testing.T) {
	assert.Assert(t, is.Equal(len(withSamples(t, false, "kernel_srtt_ms", "srtt").Panels[0].Layers), 1), "layers without records")
	l := withSamples(t, true, "kernel_srtt_ms", "srtt").Panels[0].Layers
	assert.Assert(t, len(l) == 3 && l[1].Shape == plot.Steps && l[2].Shape == plot.Dots, "%d layers", len(l))
	want := []plot.Coord{{X: 0.2, Lo: 20, Hi: 20}, {X: 0.4, Lo: 21, Hi: 21}, {X: 0.6, Lo: 22, Hi: 22}}
	assert.Check(t, slices.Equal(l[1].XY, want) && slices.Equal(l[2].XY, want) && l[1].Width == 0 && l[1].Gap == 0,
		"line %v with width %v and gap %v, marks %v", l[1].XY, l[1].Width, l[1].Gap, l[2].XY)
	assert.Check(t, l[1].Colour != l[0].Colour && len(l[2].Keys) == 1 && strings.HasPrefix(l[2].Keys[0].Name, "kernel") && len(l[1].Keys) == 0,
		"colours %v and %v, legend %v", l[0].Colour, l[1].Colour, l[2].Keys)
}

// A series of the kernel has a panel of its own, with its unit on the axis.
func TestKernelAlone(t *testing.T) {
	p := withSamples(t, true, "kernel_cwnd_segments", "kernel_cwnd_segments").Panels[0]
	assert.Check(t, p.Y == "Kernel cwnd (segments)" && len(p.Layers) == 2 && p.Layers[0].Shape == plot.Steps && p.Layers[1].Shape == plot.Dots && len(p.Layers[1].XY) == 3,
		"axis %q, layers %+v", p.Y, p.Layers)
	k := kindNamed(t, "cdf")
	assert.Check(t, k.Check([]string{"kernel_cwnd_segments"}) != nil, "a distribution of samples is not drawn")
}
