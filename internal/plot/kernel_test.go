package plot_test

import (
	"slices"
	"strings"
	"testing"

	"mpanalyze/internal/plot"
)

// withSamples is the session with samples of a kernel on the first path at 0.2, 0.4 and 0.6 s.
func withSamples(t *testing.T, kernel bool, series string, names ...string) *plot.Figure {
	t.Helper()
	k := kindNamed(t, "series")
	k.Options.Kernel = kernel
	r := session(t, &k, names)
	put(t, r.Store, series, 0, [2]float64{0.2, 20}, [2]float64{0.4, 21}, [2]float64{0.6, 22})
	f := drawnBy(t, &k, names, r)
	return f
}

// What the kernel says lies over the line of the packets: steps with a mark at each sample, and
// nothing beyond the last one. Without records nothing does.
func TestKernelOverPackets(t *testing.T) {
	if n := len(withSamples(t, false, "kernel_srtt_ms", "srtt").Panels[0].Layers); n != 1 {
		t.Fatalf("%d layers without records", n)
	}
	l := withSamples(t, true, "kernel_srtt_ms", "srtt").Panels[0].Layers
	if len(l) != 3 || l[1].Shape != plot.Steps || l[2].Shape != plot.Dots {
		t.Fatalf("%d layers", len(l))
	}
	want := []plot.Coord{{X: 0.2, Lo: 20, Hi: 20}, {X: 0.4, Lo: 21, Hi: 21}, {X: 0.6, Lo: 22, Hi: 22}}
	if !slices.Equal(l[1].XY, want) || !slices.Equal(l[2].XY, want) || l[1].Width != 0 || l[1].Gap != 0 {
		t.Errorf("line %v with width %v and gap %v, marks %v", l[1].XY, l[1].Width, l[1].Gap, l[2].XY)
	}
	if l[1].Colour == l[0].Colour || len(l[2].Keys) != 1 || !strings.HasPrefix(l[2].Keys[0].Name, "kernel") || len(l[1].Keys) != 0 {
		t.Errorf("colours %v and %v, legend %v", l[0].Colour, l[1].Colour, l[2].Keys)
	}
}

// A series of the kernel has a panel of its own, with its unit on the axis.
func TestKernelAlone(t *testing.T) {
	p := withSamples(t, true, "kernel_cwnd_segments", "kernel_cwnd_segments").Panels[0]
	if p.Y != "Kernel cwnd (segments)" || len(p.Layers) != 2 || p.Layers[0].Shape != plot.Steps || p.Layers[1].Shape != plot.Dots || len(p.Layers[1].XY) != 3 {
		t.Errorf("axis %q, layers %+v", p.Y, p.Layers)
	}
	k := kindNamed(t, "cdf")
	if k.Check([]string{"kernel_cwnd_segments"}) == nil {
		t.Error("a distribution of samples is not drawn")
	}
}
