package plot_test

import (
	"image/color"
	"slices"
	"testing"

	"gotest.tools/v3/assert"

	"mpanalyze/internal/palette"
	"mpanalyze/internal/plot"
)

// TestColourByName: a scenario has one colour in all kinds of figures whose colours stand for
// scenarios, and a path has one in the others. The order of the runs and a choice of them
// change nothing.
func TestColourByName(t *testing.T) {
	all := []string{"lia", "olia", "balia", "wvegas", "cubic", "reno", "bbr"}
	for kind, byScenario := range map[string]bool{"grid": true, "box": true, "mix": false, "dsn": false} {
		k := kindNamed(t, kind)
		k.Options.Cell = 100e6
		var metric []string
		if byScenario {
			metric = []string{"goodput"}
		}
		colours := func(names []string) map[string]color.NRGBA {
			var runs []*plot.Run
			for _, n := range names {
				one := measured{scenario: n, mean: 2, wifi: 60}
				r := cellRun(t, &k, metric, n, 1, 10)
				if kind == "dsn" {
					r = session(t, &k, metric)
				}
				r.Scenario, r.Document.Connections[0].A2B = n, one.run(t).Document.Connections[0].A2B
				r.Document.Connections[0].A2B.Goodput = r.Document.Connections[0].A2B.Throughput
				runs = append(runs, r)
			}
			f := drawnBy(t, &k, metric, runs...)
			out := map[string]color.NRGBA{}
			for _, p := range f.Panels {
				for _, l := range p.Layers {
					name := l.Name
					if kind == "box" && l.Shape != plot.Dots || kind == "box" && l.Mark == plot.Square {
						name = p.Names[int(l.XY[0].X)]
					}
					out[name] = l.Colour
				}
			}
			return out
		}
		want := colours(all)
		if byScenario && (len(want) < 7 || want["olia"] != palette.Of(1)) || !byScenario && (want["wifi"] != palette.Of(0) || want["lte"] != palette.Of(1) && kind == "mix") {
			t.Fatalf("%s: colours %v", kind, want)
		}
		for _, some := range [][]string{{"bbr", "reno", "cubic", "wvegas", "balia", "olia", "lia"}, {"reno", "lia"}, {"wvegas"}, {"cubic", "olia", "bbr"}} {
			for name, got := range colours(some) {
				assert.Check(t, got == want[name] || byScenario && !slices.Contains(some, name),
					"%s of %q: %s is %v, want %v as in the figure of all", kind, some, name, got, want[name])
			}
		}
	}
}

// TestCampaignKeepsColours: of eight names, two prefer the same of seven colours. The second has
// another one beside the first, and keeps it in a figure without the first if this knows the
// names of the campaign.
func TestCampaignKeepsColours(t *testing.T) {
	k := kindNamed(t, "series")
	last := func(campaign []string, of ...string) color.NRGBA {
		k.Options.Campaign = campaign
		var runs []*plot.Run
		for _, n := range of {
			runs = append(runs, run(t, n, "goodput", []sample{{"", 0, 1}, {"", 1, 1}}))
		}
		f := drawnBy(t, &k, []string{"goodput"}, runs...)
		return f.Panels[0].Layers[len(of)-1].Colour
	}
	first := map[int]string{}
	for _, name := range []string{"a", "b", "c", "d", "e", "f", "g", "h"} {
		n := palette.Names(nil).Number(name)
		other, ok := first[n]
		if !ok {
			first[n] = name
			continue
		}
		far := []string{"lia", "olia", "balia", "wvegas", "cubic", "reno", "bbr"}[(n+3)%7] // prefers another colour than both
		lone, both, campaign := last(nil, far, name), last(nil, far, other, name), last([]string{other}, far, name)
		assert.Check(t, lone != both && campaign == both, "%s is %v without %s, %v beside it, %v in a part of their campaign", name, lone, other, both, campaign)
		return
	}
	t.Fatal("eight names prefer eight colours")
}
