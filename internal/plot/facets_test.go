package plot

import (
	"image/color"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"gonum.org/v1/plot/vg"
	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"
)

// TestColumns: three panels never stand in two columns, unless the user says so.
func TestColumns(t *testing.T) {
	for _, c := range []struct {
		panels, columns int // of the figure
		named           bool
		layout          Layout
		want            int
	}{
		{4, 2, false, Layout{Size: DefaultSize}, 2},
		{3, 2, false, Layout{Size: DefaultSize}, 3},
		{3, 2, false, Layout{Size: Size{Width: 8.8}}, 1},
		{3, 2, false, Layout{Size: DefaultSize, most: 2}, 1},
		{3, 1, false, Layout{Size: DefaultSize}, 1},
		{3, 2, false, Layout{Size: DefaultSize, Columns: 2}, 2},
		{3, 0, true, Layout{Size: DefaultSize}, 3},
		{3, 0, true, Layout{Size: Size{Width: 8.8}}, 1},
		{4, 0, true, Layout{Size: DefaultSize}, 2},
		{5, 2, false, Layout{Size: DefaultSize}, 2},
	} {
		f := Figure{Columns: c.columns, Panels: make([]Panel, c.panels)}
		for i := range f.Panels {
			if c.named {
				f.Panels[i].Row, f.Panels[i].Column = "row", string(rune('a'+i))
			}
		}
		assert.Check(t, is.Equal(f.columns(&c.layout), c.want), "%+v", c)
	}
}

// TestPaleAreas: many areas are drawn as their edges, a few as areas.
func TestPaleAreas(t *testing.T) {
	for pale, fills := range map[bool]int{false: 1, true: 0} {
		l := Layer{Shape: Areas, Pale: pale, Colour: color.NRGBA{0x12, 0x34, 0x56, 0xff}, XY: []Coord{{0, 1, 2}, {1, 2, 4}}}
		var svg strings.Builder
		assert.NilError(t, (&Figure{Panels: []Panel{{Layers: []Layer{l}}}}).Write(&svg, "svg", Layout{Size: DefaultSize}))
		assert.Check(t, is.Equal(strings.Count(svg.String(), "fill-opacity"), fills), "pale: %v", pale)
		assert.Check(t, is.Equal(strings.Count(svg.String(), "stroke-opacity"), 1-fills), "pale: %v", pale)
	}
}

// TestStrips: the strips of rows stand above each other, inside the figure and right of the widest second axis.
func TestStrips(t *testing.T) {
	f := Figure{}
	for i, most := range []float64{8, 80000} {
		side := &Side{Title: "second axis", High: most}
		f.Panels = append(f.Panels, Panel{Row: string(rune('a' + i)), Column: "one", Strip: "strip", X: "x", Y: "y", Right: side, Layers: []Layer{{XY: []Coord{{0, 1, 1}, {5, 3, 3}}}}})
	}
	o := Layout{Size: DefaultSize}
	s, err := f.fit(&o)
	assert.NilError(t, err)
	var svg strings.Builder
	assert.NilError(t, f.Write(&svg, "svg", o))
	bands := regexp.MustCompile(`<path d="M([0-9.]+),[^L]*L([0-9.]+),[^"]*Z" style="fill:#D8D8D8"`).FindAllStringSubmatch(svg.String(), -1)
	assert.Assert(t, is.Len(bands, 2))
	assert.Check(t, is.DeepEqual(bands[0][1:], bands[1][1:]), "left and right end of the strips")
	left, err := strconv.ParseFloat(bands[0][1], 64)
	assert.NilError(t, err)
	right, err := strconv.ParseFloat(bands[0][2], 64)
	assert.NilError(t, err)
	f.Panels[1].Strip = ""
	axes := s.places[1][0].axes
	assert.Check(t, vg.Length(left) >= axes.Max.X+s.sideWidth(1, 0, axes.Size().Y) && vg.Length(right) <= s.width, "from %v to %v, of %v", left, right, s.width)
	assert.Check(t, is.Equal(strings.Count(svg.String(), ">strip<"), 2))
}
