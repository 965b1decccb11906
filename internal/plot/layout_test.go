package plot_test

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"mpanalyze/internal/palette"
	"mpanalyze/internal/plot"
)

// cm is a centimetre in the points of an SVG file.
const cm = 72 / 2.54

// drawn is an SVG figure as a viewer sees it.
type drawn struct {
	width, height float64
	axis          float64  // length of the vertical axis of the first panel
	texts         []string // in the order of drawing
	svg           string
}

var (
	svgSize = regexp.MustCompile(`<svg width="([0-9.]+)pt" height="([0-9.]+)pt"`)
	upright = regexp.MustCompile(`<path d="M([0-9.]+),([0-9.]+)L([0-9.]+),([0-9.]+)"`)
)

func number(t *testing.T, text string) float64 {
	t.Helper()
	v, err := strconv.ParseFloat(text, 64)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// look writes a figure in that layout and looks at it.
func look(t *testing.T, f *plot.Figure, o plot.Layout) (d drawn) {
	t.Helper()
	var b bytes.Buffer
	if err := f.Write(&b, "svg", o); err != nil {
		t.Fatal(err)
	}
	d.svg = b.String()
	size := svgSize.FindStringSubmatch(d.svg)
	if size == nil {
		t.Fatalf("no size in %.300s", d.svg)
	}
	d.width, d.height = number(t, size[1]), number(t, size[2])
	for _, m := range upright.FindAllStringSubmatch(d.svg, -1) {
		if m[1] == m[3] {
			d.axis = max(d.axis, math.Abs(number(t, m[4])-number(t, m[2])))
		}
	}
	in := xml.NewDecoder(&b)
	for {
		token, err := in.Token()
		if err != nil {
			return d
		}
		if e, ok := token.(xml.StartElement); ok && e.Name.Local == "text" {
			var words string
			if err := in.DecodeElement(&words, &e); err != nil {
				t.Fatal(err)
			}
			d.texts = append(d.texts, words)
		}
	}
}

// fourByTwo is four scenarios with two paths each.
func fourByTwo(t *testing.T) *plot.Figure {
	t.Helper()
	var runs []*plot.Run
	for i := range 4 {
		runs = append(runs, constant(t, fmt.Sprint("scheduler-", i), float64(10+i), 10, "wifi", "lte"))
	}
	return series(t, "srtt", runs)
}

// TestLegendTakesNothingFromPanels: with a legend of eight lines, of none and of
// one beside, the axis of a panel of 5 cm is equally long: what remains of 5 cm
// below text of 7 points, at least 3.2 cm.
func TestLegendTakesNothingFromPanels(t *testing.T) {
	f := fourByTwo(t)
	o := plot.Layout{Size: plot.Size{Width: 8.8, Height: 5}}
	axis := map[plot.Place]float64{}
	for _, o.Legend = range []plot.Place{plot.LegendBelow, plot.LegendRight, plot.NoLegend} {
		d := look(t, f, o)
		axis[o.Legend] = d.axis
		if d.axis < 3.2*cm {
			t.Errorf("legend %s: the axis has %.2f cm, want at least 3.2 of the 5", o.Legend, d.axis/cm)
		}
		if math.Abs(d.width-8.8*cm) > 0.01 || d.height > 7.2*cm || d.height < 5*cm {
			t.Errorf("legend %s: %.2f x %.2f cm, want 8.8 and little more than 5", o.Legend, d.width/cm, d.height/cm)
		}
	}
	if axis[plot.LegendBelow] != axis[plot.NoLegend] || axis[plot.LegendRight] != axis[plot.NoLegend] {
		t.Errorf("axes of %v points, want them equal", axis)
	}
}

// TestColoursAndDashesAreKeyedApart: four scenarios on two paths are six entries,
// not eight: two colours, four dashes.
func TestColoursAndDashesAreKeyedApart(t *testing.T) {
	texts := look(t, fourByTwo(t), plot.Layout{Size: plot.DefaultSize}).texts
	got := strings.Join(texts[len(texts)-6:], " ")
	if want := "wifi lte scheduler-0 scheduler-1 scheduler-2 scheduler-3"; got != want {
		t.Errorf("legend %q, want %q", got, want)
	}
}

// TestLegendIsBounded: of sixty scenarios those that eight rows hold are named, and
// how many there are besides.
func TestLegendIsBounded(t *testing.T) {
	f := &plot.Figure{Panels: []plot.Panel{{X: "x", Y: "y"}}}
	for i := range 60 {
		f.Panels[0].Layers = append(f.Panels[0].Layers, plot.Layer{
			Name: fmt.Sprint("a scenario with a long name ", i), Colour: palette.Of(i), XY: []plot.Coord{{X: 0, Lo: 0, Hi: 0}, {X: 1, Lo: 1, Hi: 1}},
		})
	}
	for _, place := range []plot.Place{plot.LegendBelow, plot.LegendRight} {
		d := look(t, f, plot.Layout{Size: plot.Size{Width: 16, Height: 6}, Legend: place, Title: new("")})
		named := 0
		for _, text := range d.texts {
			if strings.HasPrefix(text, "a scenario") {
				named++
			}
		}
		if last := d.texts[len(d.texts)-1]; last != fmt.Sprintf("and %d more", 60-named) || named < 6 {
			t.Errorf("%s: %d names and %q, want all others counted", place, named, last)
		}
		if d.height > 11*cm {
			t.Errorf("%s: %.1f cm high, want at most 5 more than the panel's 6", place, d.height/cm)
		}
	}
}

// TestTooSmallIsRefused: the size that the refusal names works, and one that is a
// millimetre narrower does not.
func TestTooSmallIsRefused(t *testing.T) {
	f := fourByTwo(t)
	f.Panels = slices.Repeat(f.Panels[:1], 4)
	o := plot.Layout{Size: plot.Size{Width: 8, Height: 2}, Columns: 4}
	err := f.Write(new(bytes.Buffer), "svg", o)
	if !errors.Is(err, plot.ErrSize) {
		t.Fatalf("four panels side by side in 8 cm: %v", err)
	}
	m := regexp.MustCompile(`works is ([0-9.]+) x ([0-9.]+) cm with text of ([0-9.]+) points`).FindStringSubmatch(err.Error())
	if m == nil {
		t.Fatalf("no size in %q", err)
	}
	for i, v := range []*float64{&o.Width, &o.Height, &o.FontSize} {
		if *v, err = strconv.ParseFloat(m[i+1], 64); err != nil {
			t.Fatal(err)
		}
	}
	if err := f.Write(new(bytes.Buffer), "svg", o); err != nil {
		t.Errorf("the size that was named: %v", err)
	}
	for _, less := range []plot.Size{{Width: 0.1}, {Height: 0.1}} {
		p := o
		p.Width, p.Height = o.Width-less.Width, o.Height-less.Height
		if err := f.Write(new(bytes.Buffer), "svg", p); !errors.Is(err, plot.ErrSize) {
			t.Errorf("%v smaller than the least size: %v", less, err)
		}
	}
}

// TestGridOfPanels: four panels in two columns are two rows high, and the time axis
// is labelled below each column.
func TestGridOfPanels(t *testing.T) {
	f := fourByTwo(t)
	f.Panels = slices.Repeat(f.Panels[:1], 4)
	d := look(t, f, plot.Layout{Size: plot.Size{Width: 16, Height: 5}, Columns: 2, Legend: plot.NoLegend, Title: new("")})
	if rows := d.height / cm / 5; rows < 2 || rows > 2.2 {
		t.Errorf("%.1f panels high, want 2", rows)
	}
	if n := strings.Count(strings.Join(d.texts, "|"), "Time since the first packet"); n != 2 {
		t.Errorf("the time is labelled %d times, want below each of 2 columns", n)
	}
	if title := look(t, f, plot.Layout{Size: plot.DefaultSize, Title: new("Of my own")}).texts; title[0] != "Of my own" {
		t.Errorf("title %q", title[0])
	}
}
