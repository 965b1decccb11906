package plot

import (
	"image/color"
	"strings"
	"testing"

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
