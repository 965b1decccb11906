package plot_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	"mpanalyze/internal/campaign"
	"mpanalyze/internal/plot"
	"mpanalyze/internal/report"
)

// crossed are two runs of each of 2 MPTCP and 3 TCP congestion controls; srtt on wifi and lte is 10, 20, ... ms, by scenario.
func crossed(t *testing.T) (runs []*plot.Run) {
	t.Helper()
	for i, mptcp := range []string{"lia", "olia"} {
		for j, tcp := range []string{"reno", "cubic", "bbr"} {
			for range 2 {
				r := constant(t, mptcp+"/"+tcp, float64(10*(1+3*i+j)), 1, "wifi", "lte")
				r.Labels = map[string]string{"mptcp": mptcp, "tcp": tcp}
				r.Factors = []campaign.Factor{{Name: "mptcp", Value: mptcp}, {Name: "tcp", Value: tcp}}
				runs = append(runs, r)
			}
		}
	}
	return runs
}

// places writes where panels stand: row | column | strip | head.
func places(f *plot.Figure) string {
	var out []string
	for _, p := range f.Panels {
		out = append(out, p.Strip+"|"+p.Head)
	}
	return strings.Join(out, " ")
}

func TestFacets(t *testing.T) {
	for _, c := range []struct {
		kind   string
		facet  plot.Facets
		color  string
		places string
		curves string // names of the lines of the first panel
	}{
		{"grid", plot.Facets{Row: "tcp", Column: "path"}, "mptcp", "reno|wifi reno|lte cubic|wifi cubic|lte bbr|wifi bbr|lte", "lia olia"},
		{"grid", plot.Facets{Row: "tcp"}, "", "reno|wifi reno|lte cubic|wifi cubic|lte bbr|wifi bbr|lte", "lia olia"},
		{"grid", plot.Facets{Column: "mptcp"}, "", "wifi|lia lte|lia wifi|olia lte|olia", "reno cubic bbr"},
		{"series", plot.Facets{Row: "scenario"}, "", "lia/reno| lia/cubic| lia/bbr| olia/reno| olia/cubic| olia/bbr|", "wifi lte"},
		{"series", plot.Facets{Column: "run"}, "tcp", "wifi|run 1 lte|run 1 wifi|run 2 lte|run 2", "reno cubic bbr"},
		{"grid", plot.Facets{Row: "metric", Column: "tcp"}, "mptcp", "|reno, wifi |reno, lte |cubic, wifi |cubic, lte |bbr, wifi |bbr, lte", "lia olia"},
	} {
		k := kindNamed(t, c.kind)
		k.Options.Cell, k.Options.Facet, k.Options.Color = 1e8, c.facet, c.color
		f := drawnBy(t, &k, []string{"srtt"}, crossed(t)...)
		assert.Check(t, is.Equal(places(f), c.places), "%s %+v", c.kind, c.facet)
		seen, names := map[string]bool{}, []string{}
		for _, l := range f.Panels[0].Layers {
			if l.Shape == plot.Steps && !seen[l.Name] {
				seen[l.Name], names = true, append(names, l.Name)
			}
		}
		assert.Check(t, is.Equal(strings.Join(names, " "), c.curves), "%s %+v", c.kind, c.facet)
	}
}

// TestFacetsPool: a factor in the colours pools the runs of the others: of lia's 10, 20 and 30 ms the mean is 20.
func TestFacetsPool(t *testing.T) {
	k := kindNamed(t, "grid")
	k.Options.Cell, k.Options.Color = 1e8, "mptcp"
	f := drawnBy(t, &k, []string{"srtt"}, crossed(t)...)
	for _, l := range f.Panels[0].Layers {
		if l.Name == "lia" {
			assert.Check(t, is.Equal(l.XY[3].Lo, 20.0))
		}
	}
}

// TestManyScenarios: more scenarios than one panel has room for fall into facets: by the factors before the last, or one by one.
func TestManyScenarios(t *testing.T) {
	flat := func(i int) string { return fmt.Sprint("s", i) }
	factors := func(i int) string { return fmt.Sprintf("%d/s%d", i%3, i) }
	for _, c := range []struct {
		name    func(i int) string
		n, want int
	}{{flat, 8, 1}, {flat, 12, 12}, {factors, 12, 3}} {
		var runs []*plot.Run
		for i := range c.n {
			runs = append(runs, constant(t, c.name(i), float64(i), 1, "wifi"))
		}
		k := kindNamed(t, "grid")
		k.Options.Cell = 1e8
		f := drawnBy(t, &k, []string{"srtt"}, runs...)
		assert.Check(t, is.Equal(len(f.Panels), c.want), "%d scenarios like %s", c.n, c.name(0))
	}
}

// TestX: bars and boxes of the factor on the horizontal axis, in the colours of the other.
func TestX(t *testing.T) {
	for _, c := range []struct{ kind, x, color, names, keys string }{
		{"bars", "tcp", "mptcp", "reno cubic bbr", "lia olia"},
		{"bars", "mptcp", "", "lia olia", "reno cubic bbr"},
		{"box", "tcp", "", "reno cubic bbr", "lia olia"},
		{"box", "run", "tcp", "run 1 run 2", "reno cubic bbr"},
		{"box", "scenario", "", "lia/reno lia/cubic lia/bbr olia/reno olia/cubic olia/bbr", ""},
	} {
		k := kindNamed(t, c.kind)
		k.Options.X, k.Options.Color = c.x, c.color
		runs := crossed(t)
		for i, r := range runs {
			r.Document.Connections[0].A2B.Goodput = &report.RateStat{Avg: float64(i + 1)}
		}
		p := drawnBy(t, &k, []string{"goodput.avg"}, runs...).Panels[0]
		var keys []string
		for _, l := range p.Layers {
			if l.Name != "" && !strings.Contains(l.Name, "interval") && !slices.Contains(keys, l.Name) {
				keys = append(keys, l.Name)
			}
		}
		assert.Check(t, is.Equal(strings.Join(p.Names, " ")+": "+strings.Join(keys, " "), c.names+": "+c.keys), "%s --x %s --color %s", c.kind, c.x, c.color)
	}
}

// TestEqualValues: where two factors have one value, a facet takes only its own out of the names.
func TestEqualValues(t *testing.T) {
	var runs []*plot.Run
	for _, mptcp := range []string{"bbr", "lia"} {
		r := constant(t, mptcp+"/x/bbr", 10, 1, "wifi")
		r.Labels = map[string]string{"mptcp": mptcp, "queue": "x", "tcp": "bbr"}
		r.Factors = []campaign.Factor{{Name: "mptcp", Value: mptcp}, {Name: "queue", Value: "x"}, {Name: "tcp", Value: "bbr"}}
		runs = append(runs, r)
	}
	runs = append(runs, constant(t, "lia/x/reno", 10, 1))
	runs[2].Labels, runs[2].Factors = map[string]string{"tcp": "reno"}, []campaign.Factor{{Name: "mptcp", Value: "lia"}, {Name: "queue", Value: "x"}, {Name: "tcp", Value: "reno"}}
	k := kindNamed(t, "grid")
	k.Options.Cell, k.Options.Facet = 1e8, plot.Facets{Row: "tcp"}
	f := drawnBy(t, &k, []string{"srtt"}, runs...)
	names := layersOf(&f.Panels[0])
	assert.Check(t, names["bbr/x"] != nil && names["lia/x"] != nil, "curves %v", names)
	assert.Check(t, len(f.Panels) == 1 && strings.Contains(strings.Join(f.Missing, " "), "no srtt"), "a facet without values: %q", f.Missing)
}

func TestFacetOfNone(t *testing.T) {
	k := kindNamed(t, "grid")
	k.Options.Cell, k.Options.Facet = 1e8, plot.Facets{Row: "speed"}
	_, err := k.Make(crossed(t), []string{"srtt"})
	assert.Check(t, is.ErrorContains(err, `no factor or label "speed": it has mptcp, tcp`))
}
