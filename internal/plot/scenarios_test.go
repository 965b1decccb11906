package plot_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mpanalyze/internal/palette"
	"mpanalyze/internal/plot"
	"mpanalyze/internal/report"
)

// scenarios makes a figure of runs named so, each the synthetic session; change
// is told each run and its number.
func scenarios(t *testing.T, kind string, metrics, names []string, change func(int, *plot.Run)) *plot.Figure {
	t.Helper()
	k, err := plot.KindNamed(kind)
	if err != nil {
		t.Fatal(err)
	}
	var runs []*plot.Run
	for i, name := range names {
		r := session(t, &k, metrics)
		r.Scenario = name
		if change != nil {
			change(i, r)
		}
		runs = append(runs, r)
	}
	f, err := k.Make(runs, metrics)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// Sequence numbers of several scenarios lie on each other, so each scenario has
// a panel, with the same names and colours in all.
func TestSequencesHaveAPanelPerScenario(t *testing.T) {
	for kind, shared := range map[string]int{"dsn": 0, "ssn": 0, "order": 1} {
		f := scenarios(t, kind, nil, []string{"lia", "olia", "lia"}, nil)
		if len(f.Panels) != 2+shared {
			t.Fatalf("%s: %d panels, want %d", kind, len(f.Panels), 2+shared)
		}
		for i, want := range []string{"lia", "olia"} {
			p := &f.Panels[i]
			if p.Head != want || p.Layers[0].Name != "wifi" || p.Layers[0].Colour != palette.Of(0) {
				t.Errorf("%s: panel %d is of %q and begins with %q in %v, want %s and wifi in the first colour", kind, i, p.Head, p.Layers[0].Name, p.Layers[0].Colour, want)
			}
		}
		if a, b := len(f.Panels[0].Layers), len(f.Panels[1].Layers); a != 2*b {
			t.Errorf("%s: %d layers of two runs and %d of one", kind, a, b)
		}
	}
}

// Of wifi, lia carried 5000 and 7000 bytes, olia 6000: bars of 6 kB at both,
// left of the scenario's place, and two dots at lia. 0.8 for two paths is 0.4
// each, so the middles are 0.2 off.
func TestSharesOfScenarios(t *testing.T) {
	bytes := []int64{5000, 7000, 6000}
	f := scenarios(t, "shares", nil, []string{"lia", "lia", "olia"}, func(i int, r *plot.Run) {
		r.Document.Connections[0].A2B.Paths[0].Bytes = &bytes[i]
	})
	p := &f.Panels[0]
	if !slices.Equal(p.Names, []string{"lia", "olia"}) {
		t.Errorf("places %q, want the scenarios", p.Names)
	}
	var bars, dots []plot.Coord
	for _, l := range p.Layers {
		switch {
		case l.Shape == plot.Bars && l.Name == "wifi":
			bars = append(bars, l.XY...)
		case l.Shape == plot.Dots && l.XY[0].X < 0:
			dots = append(dots, l.XY...)
		}
	}
	if want := []plot.Coord{{X: -0.2, Hi: 6}, {X: 0.8, Hi: 6}}; !slices.Equal(bars, want) {
		t.Errorf("bars of wifi %v, want %v", bars, want)
	}
	if want := []plot.Coord{{X: -0.2, Lo: 5, Hi: 5}, {X: -0.2, Lo: 7, Hi: 7}}; !slices.Equal(dots, want) {
		t.Errorf("dots at lia %v, want %v", dots, want)
	}
	if last := f.Panels[len(f.Panels)-1]; last.Y != "Reinjected (bytes)" {
		t.Errorf("the last panel is %q, want what was reinjected", last.Y)
	}
}

// Beside paths a colour is a path, so that totals have none; the dashes tell
// the scenarios apart.
func TestTotalsBesidePathsHaveNoPathsColour(t *testing.T) {
	names := []string{"s0", "s1", "s2", "s3", "s4", "s5", "s6", "s7"}
	f := scenarios(t, "series", []string{"throughput"}, names, func(_ int, r *plot.Run) {
		line := report.SeriesLine{Cell: &report.Cell{Direction: report.A2B, Subflow: report.NoSubflow}, Metric: "throughput"}
		if err := r.Store.Series([]report.SeriesRow{{SeriesLine: &line, T: 1e8, Value: 1}}); err != nil {
			t.Fatal(err)
		}
	})
	dashes := map[int]string{}
	for _, l := range f.Panels[0].Layers {
		if l.Colour == palette.Total {
			dashes[l.Dash] = l.Name
		}
	}
	want := map[int]string{}
	for i, name := range names {
		want[i] = name + " total"
	}
	if diff := cmp.Diff(want, dashes); diff != "" {
		t.Errorf("totals by dash (-want +got)\n%s", diff)
	}
}

// The data of the part shown reaches from 0.001 to 5.001 kB, so lines are kept
// up to 2.5 kB above it: of the window's edges at 5.001, 6.001 and so on, three.
func TestPartLeavesTheDistantEdgeOut(t *testing.T) {
	f := scenarios(t, "dsn", nil, []string{""}, func(_ int, r *plot.Run) { r.From = 1 })
	edge := layerNamed(t, f, "window edge")
	if len(edge) != 3 || edge[2].Hi != 7.001 {
		t.Errorf("edge %v, want three points up to 7.001 kB", edge)
	}
	if acks := layerNamed(t, f, "DATA_ACK"); len(acks) != 5 {
		t.Errorf("%d points of the DATA_ACK, want 5", len(acks))
	}
}
