package plot

import (
	"bytes"
	"fmt"
	"image/color"
	"math"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	"mpanalyze/internal/palette"
)

// ragged is a figure with a row of a metric on n paths, two rows of another one in between, and
// three panels without paths. Values, heads and labels have very different lengths.
func ragged(n int) *Figure {
	f := &Figure{Title: "A title", Columns: 2}
	line := func(low, high float64) []Layer {
		return []Layer{{Shape: Line, Colour: palette.Of(0), XY: []Coord{{0, low, low}, {10, high, high}}}}
	}
	for i, y := range []string{"Delay from sending until the data is in order (ms)", "Share (%)"} {
		for k := range n {
			path := strings.Repeat("path ", 5*k) + strconv.Itoa(k)
			f.Panels = append(f.Panels, Panel{Head: path, Row: y, Column: path, X: "Time (s)", Y: y, Layers: line(float64(40+k), math.Pow(10, float64(2+k*(i+1))))})
		}
	}
	for i := range 3 {
		f.Panels = append(f.Panels, Panel{X: "Time (s)", Y: fmt.Sprint("Whole ", i), Layers: line(0, 3.7*float64(i+1))})
	}
	return f
}

// TestAlignment: whatever the size and the number of paths, the axes of a row have equal upper
// and lower edges, those of a column equal edges at the sides, and all equal sizes; panels with
// the same label of an axis have its range in common.
func TestAlignment(t *testing.T) {
	slide, err := LayoutFor("slide")
	assert.NilError(t, err)
	for _, o := range []Layout{{Size: Size{Width: 8.8}}, {Size: Size{Width: 17.8}}, {Size: Size{Width: 16, Height: 4.5}}, {Size: Size{Width: 12.7, Height: 8}}, slide} {
		for n := 1; n <= 4; n++ {
			size := o.Size
			s, err := ragged(n).fit(&o)
			assert.NilError(t, err, "%v cm, %d paths", size, n)
			first := s.places[0][0].axes.Size()
			ranges := map[string][2]float64{}
			s.each(func(i, j int, p *Panel, g *plot.Plot) {
				at := s.places[i][j]
				in := g.DataCanvas(draw.Canvas{Rectangle: at.whole})
				for _, c := range []struct {
					edge      string
					got, want vg.Length
				}{
					{"upper edge", in.Max.Y, s.places[i][0].axes.Max.Y},
					{"lower edge", in.Min.Y, s.places[i][0].axes.Min.Y},
					{"left edge", in.Min.X, s.places[0][j].axes.Min.X},
					{"right edge", in.Max.X, s.places[0][j].axes.Max.X},
					{"width", in.Size().X, first.X},
					{"height", in.Size().Y, first.Y},
				} {
					assert.Check(t, math.Abs(float64(c.got-c.want)) <= 0.1 || s.places[0][j].axes.Max.X <= 0,
						"%v cm, %d paths: %s of the panel in row %d, column %d: %.2f pt, want %.2f", size, n, c.edge, i, j, c.got, c.want)
				}
				for label, now := range map[string][2]float64{"x" + p.X: {g.X.Min, g.X.Max}, "y" + p.Y: {g.Y.Min, g.Y.Max}} {
					before, ok := ranges[label]
					assert.Check(t, !ok || before == now, "%v cm, %d paths: %s from %v to %v, elsewhere %v", size, n, label, now[0], now[1], before)
					ranges[label] = now
				}
				under := s.at(i+1, j)
				assert.Check(t, (under == nil) == (g.X.Label.Text != ""), "%v cm, %d paths: the label of the time in row %d, column %d is %q", size, n, i, j, g.X.Label.Text)
				if left := s.at(i, j-1); (left != nil && left.Y == p.Y) != (g.Y.Label.Text == "") {
					t.Errorf("%v cm, %d paths: the label of the values in row %d, column %d is %q", size, n, i, j, g.Y.Label.Text)
				}
			})
		}
	}
}

// TestHeadsAreWhole: heads and titles are broken into lines; nothing is cut off.
func TestHeadsAreWhole(t *testing.T) {
	f := ragged(3)
	f.Title = strings.Repeat("a long title without end, ", 8) + strings.Repeat("x", 300)
	f.Panels[1].Head = "2001:db8:1234:5678::1-2001:db8:1234:5678:9abc:def0:1234:5678"
	var svg bytes.Buffer
	assert.NilError(t, f.Write(&svg, "svg", Layout{Size: Size{Width: 8.8}}))
	var all strings.Builder
	for _, m := range regexp.MustCompile(`(?s)<text[^>]*>(.*?)</text>`).FindAllStringSubmatch(svg.String(), -1) {
		all.WriteString(strings.Join(strings.Fields(m[1]), ""))
	}
	for _, want := range []string{strings.ReplaceAll(f.Title, " ", ""), f.Panels[1].Head, strings.ReplaceAll(f.Panels[2].Head, " ", "")} {
		assert.Check(t, strings.Contains(all.String(), want), "%q is not whole in %q", want, all.String())
	}
}

// TestLayouts: a column has 8.8 cm and its text 7 to 8 points; a page has 17.8 cm; a slide has
// 25.4 cm in every format.
func TestLayouts(t *testing.T) {
	for use, cm := range map[string]float64{"column": 8.8, "page": 17.8, "slide": 25.4} {
		l, err := LayoutFor(use)
		assert.NilError(t, err)
		least, most := l.style(0, 0, 0).Font.Size, l.style(2, 0, 0).Font.Size
		assert.Check(t, use != "column" || least >= 7 && most <= 8, "%s: text of %v to %v points", use, least, most)
		var svg bytes.Buffer
		assert.NilError(t, ragged(2).Write(&svg, "svg", l))
		m := regexp.MustCompile(`<svg width="([0-9.]+)pt"`).FindStringSubmatch(svg.String())
		assert.Assert(t, m != nil, "no width in %.200s", svg.String())
		got, err := strconv.ParseFloat(m[1], 64)
		assert.Check(t, err == nil && math.Abs(got-cm*72/2.54) <= 0.01, "%s: %v points wide, want those of %v cm", use, got, cm)
	}
	_, err := LayoutFor("poster")
	assert.Check(t, err != nil, "a poster has no layout, and no error")
}

// TestOneEntryForAPath: a path that is bars in one panel and a line with signs in another has one
// entry in the legend, with the sign.
func TestOneEntryForAPath(t *testing.T) {
	blue := palette.Of(0)
	f := &Figure{Panels: []Panel{{Layers: []Layer{{Name: "wifi", Shape: Spans, Colour: blue}}}, {Layers: []Layer{{Name: "wifi", Shape: Line, Colour: blue, Sign: 1}}}}}
	keys := f.keys()
	assert.Check(t, len(keys) == 1 && keys[0].Sign == 1 && keys[0].Shape == Line, "entries %v, want one with the sign", keys)
}

// TestRowsHaveRoom: on a slide, too, the words of a row stand above its curve, and two letters of
// events above the words of the first row.
func TestRowsHaveRoom(t *testing.T) {
	o, err := LayoutFor("slide")
	assert.NilError(t, err)
	for rows := 1; rows <= 4; rows++ {
		f := &Figure{}
		for range 3 {
			p := Panel{X: timeLabel, Y: "Throughput (Mbit/s)", Rows: make([]Row, rows), Moments: []Moment{{X: 1, Letter: "J", Name: "join"}}}
			p.Layers = []Layer{{Shape: Line, XY: []Coord{{0, 0, 0}, {10, 0, 0}}}}
			f.Panels = append(f.Panels, p)
		}
		s, err := f.fit(&o)
		assert.NilError(t, err)
		s.each(func(i, j int, p *Panel, g *plot.Plot) {
			// Words are 1.2 sizes of the font high. Their middle is at 0.89 of the row; the curve ends at 0.76.
			em, high := s.layout.em(), s.places[i][j].axes.Size().Y
			row := high / vg.Length(g.Y.Max-g.Y.Min)
			assert.Check(t, row*(1-0.76) >= 1.2*em-0.01, "%d rows: a row is %v high, and its words %v", rows, row, 1.2*em)
			above := high - row*vg.Length(rows)
			assert.Check(t, above >= 2*em-0.01, "%d rows: %v above them, and two letters are %v", rows, above, 2*em)
		})
	}
}

// TestLinesOfManySubflows: no two of 64 paths have the same colour and pattern of dashes, whatever their names are, and a
// pattern is no longer than the sample in the legend.
func TestLinesOfManySubflows(t *testing.T) {
	for _, form := range []string{"10.2.1.%d-192.0.2.20", "path%d", "fd00::%x", "%d.wlan"} {
		var names []string
		for i := range 64 {
			names = append(names, fmt.Sprintf(form, 21+i))
		}
		k := &looks{paths: palette.Numbered(names)}
		seen := map[string]string{}
		for _, name := range names {
			var l Layer
			l.wear(k.path(name))
			at := fmt.Sprint(l.Colour, l.stroke(1).Dashes)
			assert.Check(t, seen[at] == "", "%s looks like %s", name, seen[at])
			seen[at] = name
		}
	}
	for _, pattern := range dashes {
		sum := 0.0
		for _, part := range pattern {
			sum += float64(part)
		}
		assert.Check(t, sum <= swatchEm*fontSize, "%v is %.1f points long", pattern, sum)
	}
}

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

// TestStrips: the name of a row stands beside the label of its first vertical axis, once.
func TestStrips(t *testing.T) {
	f := Figure{}
	for i := range 4 {
		row := string(rune('a' + i/2))
		f.Panels = append(f.Panels, Panel{Row: row, Column: strconv.Itoa(i % 2), Strip: "strip of " + row, X: "x", Y: "y", Layers: []Layer{{XY: []Coord{{0, 1, 1}, {5, 3, 3}}}}})
	}
	s, err := f.fit(&Layout{Size: DefaultSize})
	assert.NilError(t, err)
	s.each(func(i, j int, _ *Panel, g *plot.Plot) {
		want := []string{"strip of " + string(rune('a'+i)) + "\ny", ""}[j]
		assert.Check(t, is.Equal(g.Y.Label.Text, want), "row %d, column %d", i, j)
	})
}
