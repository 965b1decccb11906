package plot

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/recorder"
	"gotest.tools/v3/assert"

	"mpanalyze/internal/palette"
	"mpanalyze/internal/report"
)

// outside returns the texts of which a corner is outside of the page: each is as wide as its font
// makes it, and as high as its capital letters.
func outside(t *testing.T, f *Figure, o Layout) (out []string) {
	t.Helper()
	s, err := f.clean().fit(&o)
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
		bars := Panel{Y: "Share of the time (%)", Names: []string{}, Dense: true, Layers: named(states, Tiles, stateWidth)}
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
