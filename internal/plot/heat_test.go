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
