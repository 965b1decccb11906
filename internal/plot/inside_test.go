package plot

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/recorder"
	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	"mpanalyze/internal/palette"
	"mpanalyze/internal/report"
)

// outside returns the texts of which a corner is outside of the page: each is as wide as its font
// makes it, and as high as its capital letters.
func outside(t *testing.T, f *Figure, o Layout) (out []string) {
	t.Helper()
	s, err := f.clean(&o).fit(&o)
	assert.NilError(t, err)
	var c recorder.Canvas
	s.draw(draw.NewCanvas(&c, s.width, s.height))
	sin, cos := 0.0, 1.0
	for _, a := range c.Actions {
		switch a := a.(type) {
		case *recorder.Rotate: // nothing is turned twice
			sin, cos = math.Sincos(a.Angle)
		case *recorder.Pop:
			sin, cos = 0, 1
		case *recorder.FillString:
			face := faces().Lookup(a.Font, a.Size)
			for _, corner := range rectangle(a.Point.X, a.Point.Y, a.Point.X+face.Width(a.String), a.Point.Y+0.7*a.Size) {
				x, y := corner.X*vg.Length(cos)-corner.Y*vg.Length(sin), corner.X*vg.Length(sin)+corner.Y*vg.Length(cos)
				if x < 0 || y < 0 || x > s.width || y > s.height {
					out = append(out, fmt.Sprintf("%q at %.0f,%.0f of %.0f,%.0f", a.String, x, y, s.width, s.height))
				}
			}
		}
	}
	return out
}

// TestTextsStayInside: no text of the account's figures reaches beyond the page, however long the
// names of paths and runs are, and however many there are.
func TestTextsStayInside(t *testing.T) {
	shares := (&report.TimeAccount{Path: report.StateTime{Percent: 60}, CongestionWindow: report.StateTime{Percent: 40}}).Shares(1)
	states := make([]Layer, palette.States)
	for i := range states {
		states[i].XY = []Coord{{0, 0, 1}, {0.5, 0, 1}}
	}
	for i := range 27 {
		letters, one, n := []int{3, 30, 120}[i%3], []string{"W", "fe80:0:", "two words "}[i/3%3], []int{2, 8, 20}[i/9]
		rows := Panel{X: timeLabel, Y: "Throughput (Mbit/s)", Layers: named(states, Bands, 0)}
		bars := Panel{Y: "Share of the time (%)", Names: []string{}, Layers: named(states, Tiles, stateWidth)}
		for k := range n {
			name := fmt.Sprint(strings.Repeat(one, letters)[:letters], k)
			rows.Rows, bars.Names, rows.Head = append(rows.Rows, Row{Name: name, Words: shares, Full: 5}), append(bars.Names, name), name
		}
		title := "Where the time went: " + strings.Join(shares, ", ")
		for k := range 9 {
			o, err := LayoutFor(Uses()[k%3])
			assert.NilError(t, err)
			o.Legend = Place(Places()[k/3])
			for _, f := range []*Figure{{Title: title, Tall: float64(n) / fewRows, Panels: []Panel{rows}}, {Title: title, Panels: []Panel{bars}}} {
				out := outside(t, f, o)
				assert.Check(t, len(out) == 0, "%d times %d letters of %q, legend %s: %q", n, letters, one, o.Legend, out)
			}
		}
	}
	style := (&Layout{Size: DefaultSize}).style(0, text.XLeft, text.YTop)
	words := (&Row{Name: strings.Repeat("fe80:0:", 20), Words: shares}).text(style, 300)
	assert.Check(t, style.Width(words) <= 300 && strings.HasSuffix(words, ": path 60%, congestion_window 40%"), "a long name leaves room for the shares: %q", words)
}

// TestEndsOfAxesStayInside: without a title, the labels at the ends of a second axis and the words above a panel are outermost.
func TestEndsOfAxesStayInside(t *testing.T) {
	f := &Figure{Panels: []Panel{{Places: []string{"a"}, Right: &Side{Title: "side", High: 4}, Layers: []Layer{{XY: []Coord{{0, 0, 0}, {1e6, 1e6, 1e6}}}}}}}
	for _, f.Panels[0].Head = range []string{"", strings.Repeat("words above the axes, ", 12)} {
		for _, font := range []float64{7, 12, 20} {
			out := outside(t, f, Layout{Size: Size{Width: 16}, FontSize: font, Title: new(""), Legend: NoLegend})
			assert.Check(t, is.Len(out, 0), "%v points", font)
		}
	}
}

// TestWordsStayTogether: no line of a title ends within "B → A", or between a number and its unit, whatever the width.
func TestWordsStayTogether(t *testing.T) {
	s := (&Layout{Size: DefaultSize}).style(0, text.XLeft, text.YTop)
	for together, title := range map[string]string{
		"B \u2192 A": "Over time, connection 0, B \u2192 A, at the receiver", "100 ms": "Throughput in cells of 100 ms, at the receiver",
	} {
		several := 0
		for width := s.Width("Throughput"); width < s.Width(title)+1; width++ {
			got := broken(title, s, width)
			assert.Check(t, strings.Contains(got, together) && strings.Join(strings.Fields(got), " ") == title, "%v wide: %q", width, got)
			several += strings.Count(got, "\n")
		}
		assert.Check(t, several != 0, "no title was broken")
	}
}

// TestThreeDigits: a number that is rounded up to one more digit before the point has one fewer behind it.
func TestThreeDigits(t *testing.T) {
	for v, want := range map[float64]string{0: "0", 0.0567: "0.057", 9.994: "9.99", 9.996: "10.0", -9.996: "-10.0", 99.94: "99.9", 99.96: "100", 1234: "1234"} {
		assert.Check(t, is.Equal(threeDigits(v), want))
	}
}

// TestSingleValueInTheMiddle: an axis of one value has room below it as well as above, one of 0 begins there.
func TestSingleValueInTheMiddle(t *testing.T) {
	for _, c := range []struct{ v, low, high float64 }{{20, 19, 21}, {-20, -21, -19}, {0, 0, 1}} {
		a := plot.Axis{Min: c.v, Max: c.v}
		(&Scale{}).set(&a, math.Inf(1))
		assert.Check(t, a.Min == c.low && a.Max == c.high, "%v: from %v to %v", c.v, a.Min, a.Max)
	}
}

// TestFitted: a label has one line, or two, or as many as it needs. No word is broken, and no line
// is wider than asked for, unless it is one word.
func TestFitted(t *testing.T) {
	s := (&Layout{Size: DefaultSize}).style(0, text.XLeft, text.YTop)
	const label = "Out-of-order offset O3-DSN (kB)"
	most := 0
	for width := vg.Length(1); width < s.Width(label)+1; width++ {
		got := fitted(label, s, width)
		assert.Check(t, strings.ReplaceAll(got, "\n", " ") == label, "%v wide: %q", width, got)
		assert.Check(t, widest(got, s) <= max(width, s.Width("Out-of-order")), "%v wide: %q is wider", width, got)
		most = max(most, strings.Count(got, "\n"))
	}
	assert.Check(t, most == 3, "at most %d lines, want a line for each of 4 words", most+1)
}

// TestAxisBeginsWithFigure: if a figure begins at 1 s, so does the axis, unless a cell begins before.
func TestAxisBeginsWithFigure(t *testing.T) {
	for _, c := range []struct{ from, first, want float64 }{{1, 1.2, 1}, {1, 0.95, 0.95}, {0, 1.2, 0}} {
		p := Panel{X: timeLabel, Y: "y", From: c.from, Layers: []Layer{{Shape: Line, XY: []Coord{{c.first, 1, 1}, {3, 2, 2}}}}}
		assert.Check(t, is.Equal(p.plot(&Layout{Size: DefaultSize}).X.Min, c.want), "from %v, data from %v: the axis begins at", c.from, c.first)
	}
}
