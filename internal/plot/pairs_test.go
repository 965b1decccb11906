package plot_test

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	"mpanalyze/internal/palette"
	"mpanalyze/internal/plot"
)

// carried sets the data bytes of a run.
func carried(r *plot.Run, bytes int64) { r.Document.Connections[0].A2B.Bytes = &bytes }

// TestHeat: of a_a with 4 MB in one run and 6 in another the tile says 5 and lies at 5/8 of the scale
// from 0 to 8 MB; b_a has 8 and a_b 1; b_b has no run, which the legend says. X goes down. The golden
// figure shows the tiles with their numbers.
func TestHeat(t *testing.T) {
	f := changed(t, "heat", []string{"bytes"}, []measured{{scenario: "b_a"}, {scenario: "a_a"}, {scenario: "a_a"}, {scenario: "a_b"}}, func(i int, r *plot.Run) {
		carried(r, []int64{8e6, 4e6, 6e6, 1e6}[i])
	})
	golden(t, "heat", f)
	if p := &f.Panels[0]; !slices.ContainsFunc(p.Layers, func(l plot.Layer) bool {
		return l.Labels != nil && l.Labels[0] == "5.00" && l.Colour == palette.Ramp(5.0/8)
	}) {
		t.Errorf("no tile of 5 MB among %+v", p.Layers)
	}
}

// TestHeatNames: a scenario that is no pair, and a run without the label of ranks, are errors that say what
// is missing.
func TestHeatNames(t *testing.T) {
	for kind, want := range map[string]string{"heat": "X/Y or X_Y", "ranks": "no label day"} {
		k := kindNamed(t, kind)
		k.Options.Steady = "day"
		a, b := measured{scenario: map[string]string{"heat": "lia", "ranks": "a_a"}[kind], wifi: 60}, measured{scenario: "b_b"}
		_, err := k.Make([]*plot.Run{a.run(t), b.run(t)}, nil)
		assert.Check(t, err != nil && strings.Contains(err.Error(), want), "%s: error %v, want %s", kind, err, want)
	}
}

// TestHeatOfMany: 21 x 21 pairs stand in one map on a page; the last of them has no run. Names and
// numbers have 5 points or more.
func TestHeatOfMany(t *testing.T) {
	list := manyPairs()
	f := changed(t, "heat", nil, list, func(i int, r *plot.Run) { carried(r, int64(1e6*(i+1))) })
	tiles := 0
	for _, l := range f.Panels[0].Layers {
		if l.Shape == plot.Tiles {
			tiles++
		}
	}
	assert.Check(t, tiles == 440 && len(f.Panels) == 1, "%d tiles in %d panels, want 440 in 1", tiles, len(f.Panels))
	onePage(t, f)
}

// onePage says what is wrong if a figure does not stand on a page of A4, or has letters of less than
// 5 points.
func onePage(t *testing.T, f *plot.Figure) {
	t.Helper()
	page, err := plot.LayoutFor("page")
	assert.NilError(t, err)
	for _, o := range []plot.Layout{{Size: plot.Size{Width: 16}}, page} {
		d := look(t, f, o)
		assert.Check(t, d.width <= 17.8*cm+1 && d.height <= 26*cm, "%.1f x %.1f cm, want a page of A4", d.width/cm, d.height/cm)
		for _, m := range regexp.MustCompile(`font-size:([0-9.]+)px`).FindAllStringSubmatch(d.svg, -1) {
			v := number(t, m[1])
			assert.Check(t, v >= 5, "a text of %v points", v)
		}
		var pdf strings.Builder
		assert.NilError(t, f.Write(&pdf, "pdf", o))
		assert.Check(t, is.Equal(len(pages.FindAllString(pdf.String(), -1)), 1), "pages")
	}
}

// ranksOf returns a figure of ranks by bytes for each hour.
func ranksOf(t *testing.T, list []measured, hour func(i int) string, bytes func(i int) int64) *plot.Figure {
	t.Helper()
	k := kindNamed(t, "ranks")
	k.Options.Steady = "hour"
	var runs []*plot.Run
	for i := range list {
		r := list[i].run(t)
		r.Labels = map[string]string{"hour": hour(i)}
		carried(r, bytes(i))
		runs = append(runs, r)
	}
	f := drawnBy(t, &k, nil, runs...)
	return f
}

// TestRanks: at 9 h a_a has 5 MB, b_b 3 and c_c 3, so the ranks are 1, 2 and 2; at 10 h 1, 6 and
// none. Over all runs the means are 3, 4.5 and 3, so b_b is first, and the others share rank 2. The
// golden figure shows the tiles with their ranks.
func TestRanks(t *testing.T) {
	list := []measured{{scenario: "a_a"}, {scenario: "b_b"}, {scenario: "c_c"}, {scenario: "a_a"}, {scenario: "b_b"}}
	f := ranksOf(t, list, func(i int) string { return []string{"9", "9", "9", "10", "10"}[i] }, func(i int) int64 { return []int64{5e6, 3e6, 3e6, 1e6, 6e6}[i] })
	golden(t, "ranks", f)
}

// TestRanksOfMany: 21 x 21 pairs stand in four columns on a page, the best first: 440 have runs.
func TestRanksOfMany(t *testing.T) {
	list := append(manyPairs(), manyPairs()...)
	f := ranksOf(t, list, func(i int) string { return fmt.Sprint(i / 440) }, func(i int) int64 { return int64(1e9 - 1e6*(i%440)) })
	rows := 0
	for _, p := range f.Panels {
		rows += len(p.Places)
	}
	top := f.Panels[0].Places
	assert.Check(t, len(f.Panels) == 4 && rows == 440 && top[len(top)-1] == list[0].scenario, "%d panels with %d rows, want 4 with 440", len(f.Panels), rows)
	onePage(t, f)
}

// TestMix: lia has 60 of 100 kB on wifi, so 60 are below and 40 above. It sent 4 segments again on
// wifi and 1 on lte; olia 5 and none, which is a mark at 0. With two paths the marks stand a third
// of half a bar's width of 0.7 beside the middle.
func TestMix(t *testing.T) {
	f := changed(t, "mix", nil, []measured{{scenario: "lia", wifi: 60, again: [2]int64{4, 1}}, {scenario: "olia", wifi: 25, again: [2]int64{5, 0}}}, nil)
	golden(t, "mix", f)
	aside := 0.7 / 6
	want := map[string][]plot.Coord{
		"wifi": {{X: 0, Lo: 0, Hi: 60}, {X: 1, Lo: 0, Hi: 25}}, "lte": {{X: 0, Lo: 60, Hi: 100}, {X: 1, Lo: 25, Hi: 100}},
		"wifi, retransmitted": {flat(-aside, 4), flat(1-aside, 5)}, "lte, retransmitted": {flat(aside, 1), flat(1+aside, 0)},
	}
	assert.Assert(t, len(f.Panels) == 1 && f.Panels[0].Y == "Data bytes (kB)" && f.Panels[0].Right != nil && f.Panels[0].Right.Title == "Retransmitted segments",
		"panels %+v", f.Panels)
	shows(t, &f.Panels[0], want)
	for _, l := range f.Panels[0].Layers {
		if marks := strings.HasSuffix(l.Name, "retransmitted"); l.Right != marks || marks && l.Mark != map[string]plot.Mark{"wifi": plot.Diamond, "lte": plot.Circle}[strings.TrimSuffix(l.Name, ", retransmitted")] {
			t.Errorf("%s: on the second axis %v, mark %v", l.Name, l.Right, l.Mark)
		}
	}
}

// TestMixOfRuns: lia's runs have 60 and 80 of 100 kB on wifi and sent 8 and 6 segments again there:
// means of 70 kB and 7 segments. The second run has no lte, so that it carried and repeated nothing
// there: (40 + 0) / 2 kB and (4 + 0) / 2 segments. The totals of the runs, 100 and 80 kB, are dots.
func TestMixOfRuns(t *testing.T) {
	runs := []measured{{scenario: "lia", wifi: 60, again: [2]int64{8, 4}}, {scenario: "lia", wifi: 80, again: [2]int64{6, 0}}, {scenario: "olia", wifi: 25}}
	f := changed(t, "mix", nil, runs, func(i int, r *plot.Run) {
		if c := &r.Document.Connections[0]; i == 1 {
			c.Subflows, c.A2B.Paths = c.Subflows[:1], c.A2B.Paths[:1]
		}
	})
	all := layersOf(&f.Panels[0])
	want := map[string]plot.Coord{"wifi": {Hi: 70}, "lte": {Lo: 70, Hi: 90}, "total of a run": flat(0, 100)}
	for name, c := range want {
		assert.Check(t, all[name][0] == c, "%s begins with %v, want %v", name, all[name][0], c)
	}
	wifi, lte := all["wifi, retransmitted"][0].Hi, all["lte, retransmitted"][0].Hi
	assert.Check(t, wifi == 7 && lte == 2 && all["total of a run"][1] == flat(0, 80), "%v and %v segments again, totals %v", wifi, lte, all["total of a run"])
	assert.Check(t, strings.Contains(f.Caption, "means of the runs"), "the caption %q does not say that bars are means", f.Caption)
}

// TestNetworks: the label network, the factor of that name and scenarios named network/X_Y give a
// panel for each network, with the pairs as names. Names X/Y have no network.
func TestNetworks(t *testing.T) {
	label := func(i int, r *plot.Run) { r.Labels = map[string]string{"network": []string{"home", "train"}[i%2]} }
	for _, c := range []struct {
		scenarios []string
		change    func(int, *plot.Run)
		want      string
	}{
		{[]string{"lia_reno", "lia_reno", "reno_bbr"}, label, "home [lia_reno reno_bbr]; train [lia_reno]; "},
		{[]string{"home/lia", "train/lia"}, label, "home [lia]; train [lia]; "},
		{[]string{"home/lia_reno", "train/lia_reno", "home/reno_bbr"}, nil, "home [lia_reno reno_bbr]; train [lia_reno]; "},
		{[]string{"home/lia/reno", "train/lia/reno"}, nil, "home [lia/reno]; train [lia/reno]; "},
		{[]string{"lia/reno", "reno/bbr_v2"}, nil, " [lia/reno reno/bbr_v2]; "},
	} {
		var runs []measured
		for _, s := range c.scenarios {
			runs = append(runs, measured{scenario: s, wifi: 60})
		}
		var got strings.Builder
		for _, p := range changed(t, "mix", nil, runs, c.change).Panels {
			got.WriteString(fmt.Sprint(p.Head, " ", p.Names, "; "))
		}
		assert.Check(t, got.String() == c.want, "%q: %s, want %s", c.scenarios, got.String(), c.want)
	}
}

// manyPairs are 21 x 21 pairs less the last one. Names have up to nine letters, as those of
// congestion controls.
func manyPairs() (out []measured) {
	for x := range 21 {
		for y := range 21 {
			out = append(out, measured{scenario: fmt.Sprintf("algorithm%c_algorithm%c", 'a'+x, 'a'+y), wifi: float64(1 + 4*x), again: [2]int64{int64(x), int64(y)}})
		}
	}
	return out[:440]
}

// TestManyPairs: 21 x 21 pairs have 21 panels, with one bar each for 21 Ys, on one page of A4, in a
// figure of 16 cm and of the width of a page. No text is smaller than 5 points.
func TestManyPairs(t *testing.T) {
	f := changed(t, "mix", nil, manyPairs(), nil)
	assert.Assert(t, len(f.Panels) == 21 && f.Panels[1].Head == "X = algorithmb" && len(f.Panels[20].Names) == 21, "%d panels, the second is %q", len(f.Panels), f.Panels[1].Head)
	for x, p := range f.Panels {
		for _, l := range p.Layers {
			n := 21
			if x == 20 {
				n = 20 // the last pair has no run
			}
			assert.Check(t, l.Name != "wifi" || len(l.XY) == n && l.XY[3] == (plot.Coord{X: 3, Hi: float64(1 + 4*x)}), "panel %d: %d bars, the fourth %v", x, len(l.XY), l.XY[3])
		}
	}
	onePage(t, f)
}
