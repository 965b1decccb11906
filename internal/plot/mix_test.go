package plot_test

import (
	"fmt"
	"strings"
	"testing"

	"gotest.tools/v3/assert"

	"mpanalyze/internal/plot"
)

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
