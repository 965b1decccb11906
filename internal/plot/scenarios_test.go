package plot_test

import (
	"image/color"
	"math"
	"slices"
	"testing"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	"mpanalyze/internal/palette"
	"mpanalyze/internal/plot"
	"mpanalyze/internal/report"
)

// scenarios makes a figure of runs with these names, each a copy of the synthetic session. It
// calls change for each run, with its number.
func scenarios(t *testing.T, kind string, metrics, names []string, change func(int, *plot.Run)) *plot.Figure {
	t.Helper()
	k := kindNamed(t, kind)
	var runs []*plot.Run
	for i, name := range names {
		r := session(t, &k, metrics)
		r.Scenario = name
		if change != nil {
			change(i, r)
		}
		runs = append(runs, r)
	}
	f := drawnBy(t, &k, metrics, runs...)
	return f
}

// Sequence numbers of several scenarios lie on each other, so each scenario has
// a panel, with the same names and colours in all.
func TestSequencesHaveAPanelPerScenario(t *testing.T) {
	for _, kind := range []string{"dsn", "ssn", "order"} {
		f := scenarios(t, kind, nil, []string{"lia", "olia", "lia"}, nil)
		assert.Assert(t, len(f.Panels) == 2 && (kind == "order") == (len(f.Missing) > 0), "%s: %d panels, want 2; left out: %q", kind, len(f.Panels), f.Missing)
		for i, want := range []string{"lia", "olia"} {
			p := &f.Panels[i]
			assert.Check(t, p.Head == want && slices.ContainsFunc(p.Layers, func(l plot.Layer) bool { return l.Name == "wifi" && l.Colour == palette.Of(0) }),
				"%s: panel %d is of %q, want %s and wifi in the first colour", kind, i, p.Head, want)
		}
		a, b := len(f.Panels[0].Layers), len(f.Panels[1].Layers)
		assert.Check(t, a == 2*b, "%s: %d layers of two runs and %d of one", kind, a, b)
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
	assert.Check(t, slices.Equal(p.Names, []string{"lia", "olia"}), "places %q, want the scenarios", p.Names)
	var dots []plot.Coord
	for _, l := range p.Layers {
		if l.Shape == plot.Dots && l.XY[0].X < 0 {
			for _, c := range l.XY { // a quarter of the bar's width of 0.9 * 0.4 left of its middle
				dots = append(dots, flat(math.Round(1000*(c.X+0.09))/1000, c.Lo))
			}
		}
	}
	assert.Check(t, is.DeepEqual(dots, []plot.Coord{flat(-0.2, 5), flat(-0.2, 7)}), "dots at lia")
	shows(t, p, map[string][]plot.Coord{"wifi": {{X: -0.2, Hi: 6}, {X: 0.8, Hi: 6}}})
	last := f.Panels[len(f.Panels)-1]
	assert.Check(t, last.Y == "Reinjected (bytes)", "the last panel is %q, want what was reinjected", last.Y)
}

// Beside paths a colour is a path, so that totals have none; the dashes tell
// the scenarios apart.
func TestTotalsBesidePathsHaveNoPathsColour(t *testing.T) {
	names := []string{"s0", "s1", "s2", "s3", "s4", "s5", "s6", "s7"}
	f := scenarios(t, "series", []string{"throughput"}, names, func(_ int, r *plot.Run) {
		put(t, r.Store, "throughput", report.NoSubflow, [2]float64{0.1, 1})
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
	assert.Check(t, is.DeepEqual(dashes, want), "totals by dash")
}

// TestFactors: of scenarios named scheduler/controller the controller has the colour,
// the same for each scheduler, and the scheduler the dashes. Of nine scenarios of no
// factors, two have colours of others, with other dashes.
func TestFactors(t *testing.T) {
	looks := func(names ...string) (out map[string]plot.Layer) {
		out = map[string]plot.Layer{}
		var runs []*plot.Run
		for i, n := range names {
			runs = append(runs, run(t, n, "goodput", []sample{{"", 0, float64(i)}, {"", 1, float64(i)}}))
		}
		for _, l := range series(t, "goodput", runs).Panels[0].Layers {
			out[l.Name] = l
		}
		return out
	}
	l := looks("rr/lia", "rr/bbr", "blest/lia", "blest/bbr")
	assert.Check(t, l["rr/lia"].Colour == l["blest/lia"].Colour && l["rr/lia"].Colour != l["rr/bbr"].Colour, "looks %v", l)
	assert.Check(t, l["rr/lia"].Dash == l["rr/bbr"].Dash && l["rr/lia"].Dash != l["blest/lia"].Dash, "looks %v", l)
	keys := l["blest/bbr"].Keys
	assert.Check(t, len(keys) == 2 && keys[0].Name == "bbr" && keys[1].Name == "blest", "legend of blest/bbr: %v, want bbr and blest apart", keys)
	l = looks("a", "b", "c", "d", "e", "f", "g", "h", "i")
	type look struct {
		colour color.NRGBA
		dash   int
	}
	colours, all := map[color.NRGBA]bool{}, map[look]bool{}
	for _, one := range l {
		colours[one.Colour], all[look{one.Colour, one.Dash}] = true, true
	}
	assert.Check(t, len(colours) == 7 && len(all) == 9, "nine scenarios have %d colours and %d looks, want 7 and 9", len(colours), len(all))
}

// TestGoldenBoxes: five runs of lia from 10 to 14 Mbit/s, five of olia from 14 to 30, one of bbr
// with 8. The shares of the synthetic session: 5000 bytes on wifi, 1000 reinjected onto lte.
func TestGoldenBoxes(t *testing.T) {
	var names []string
	values := []float64{10, 11, 12, 13, 14, 14, 15, 16, 17, 30, 8}
	for i := range values {
		names = append(names, []string{"lia", "olia", "bbr"}[i/5])
	}
	golden(t, "box", scenarios(t, "box", []string{"goodput"}, names, func(i int, r *plot.Run) {
		r.Document.Connections[0].A2B.Goodput = &report.RateStat{Avg: values[i]}
	}))
	golden(t, "shares", figure(t, "shares"))
}
