package palette_test

import (
	"math"
	"testing"

	"mpanalyze/internal/palette"
	"mpanalyze/internal/report"
)

func TestSamePathSameColour(t *testing.T) {
	sub := func(paths ...string) (c report.Connection) {
		for _, p := range paths {
			c.Subflows = append(c.Subflows, report.Subflow{Path: p})
		}
		return c
	}
	p := palette.Paths{}
	p.Document(&report.Document{Connections: report.List[report.Connection]{sub("wifi", "lte"), sub("lte", "ethernet")}})
	for name, want := range map[string]int{"wifi": 0, "lte": 1, "ethernet": 2} {
		if got := p.Number(name); got != want {
			t.Errorf("path %s has number %d, want %d: in order of first mention", name, got, want)
		}
	}
	if got := p.Number("satellite"); got != 3 {
		t.Errorf("a new path has number %d, want 3", got)
	}
	if palette.Of(1) != palette.Of(1+palette.Colours) {
		t.Error("the colours do not begin again")
	}
}

// TestSeenWithoutRed looks at the colours as a dichromat without red cones
// does, who is left with lightness and blue against yellow: two colours that
// agree in both would be one.
func TestSeenWithoutRed(t *testing.T) {
	see := func(i int) (light, blue float64) {
		c := palette.Of(i)
		r, g, b := float64(c.R)/255, float64(c.G)/255, float64(c.B)/255
		return 0.11*r + 0.82*g + 0.07*b, b - 0.11*r - 0.89*g
	}
	for i := range palette.Colours {
		for j := range i {
			l1, b1 := see(i)
			l2, b2 := see(j)
			if d := math.Hypot(l1-l2, b1-b2); d < 0.08 {
				t.Errorf("colours %d and %d are %.3f apart", i, j, d)
			}
		}
	}
}
