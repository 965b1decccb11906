package palette_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"mpanalyze/internal/palette"
	"mpanalyze/internal/report"
)

// TestSameNameSameColour: the usual names and names that differ in a number have the same
// numbers in whatever order and part of them, and no two of up to seven share a colour.
func TestSameNameSameColour(t *testing.T) {
	for _, all := range [][]string{
		{"lia", "olia", "balia", "wvegas", "cubic", "reno", "bbr"},
		{"wifi", "lte", "ethernet", "satellite", "fibre"},
		{"path1", "path2", "path3", "path4", "path5", "path6", "path7"},
		{"10.1.1.1-10.9.9.9", "10.2.1.1-10.9.9.9", "10.3.1.1-10.9.9.9", "10.4.1.1-10.9.9.9"},
	} {
		want := palette.Numbered(all)
		colours := map[int]bool{}
		for _, n := range want {
			colours[n%palette.Colours] = true
		}
		if len(colours) != len(all) {
			t.Errorf("%q: %d colours: %v", all, len(colours), want)
		}
		r := rand.New(rand.NewPCG(1, 0))
		for range 50 {
			some := slices.Clone(all)
			r.Shuffle(len(some), func(i, j int) { some[i], some[j] = some[j], some[i] })
			some = some[:1+r.IntN(len(some))]
			got := palette.Numbered(some)
			for _, name := range some {
				if got[name] != want[name] || got.Number(name) != want[name] {
					t.Errorf("%s has the number %d among %q, %d among all", name, got[name], some, want[name])
				}
			}
		}
	}
}

// TestAnyNames: names of any sort have different numbers that do not depend on their order; a
// colour is repeated only when all are used.
func TestAnyNames(t *testing.T) {
	var names []string
	for i := range 20 {
		names = append(names, fmt.Sprintf("%c scenario %c", 'z'-i, 'a'+i*7%26))
	}
	want := palette.Numbered(names)
	seen := map[int]bool{}
	for _, n := range want {
		seen[n] = true
		if n >= 3*palette.Colours {
			t.Errorf("number %d of 20 names: three rounds of colours are enough", n)
		}
	}
	if len(seen) != 20 {
		t.Errorf("%d numbers of 20 names", len(seen))
	}
	slices.Reverse(names)
	for name, n := range palette.Numbered(append(names, names[0])) {
		if want[name] != n {
			t.Errorf("%s has the number %d in reverse order, else %d", name, n, want[name])
		}
	}
	if n := len(palette.Numbered(nil)); n != 0 {
		t.Errorf("%d numbers of no names", n)
	}
}

// TestPathsOf: paths of connections that a figure does not show count, too.
func TestPathsOf(t *testing.T) {
	sub := func(paths ...string) (c report.Connection) {
		for _, p := range paths {
			c.Subflows = append(c.Subflows, report.Subflow{Path: p})
		}
		return c
	}
	got := palette.PathsOf(&report.Document{Connections: report.List[report.Connection]{sub("wifi", "lte"), sub("lte", "ethernet")}})
	for _, want := range []string{"wifi", "lte", "ethernet"} {
		if !slices.Contains(got, want) {
			t.Errorf("paths %q, want %s among them", got, want)
		}
	}
}
