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

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

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
	assert.NilError(t, err)
	return v
}

// look writes a figure in that layout and looks at it.
func look(t *testing.T, f *plot.Figure, o plot.Layout) (d drawn) {
	t.Helper()
	var b bytes.Buffer
	assert.NilError(t, f.Write(&b, "svg", o))
	d.svg = b.String()
	size := svgSize.FindStringSubmatch(d.svg)
	assert.Assert(t, size != nil, "no size in %.300s", d.svg)
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
			assert.NilError(t, in.DecodeElement(&words, &e))
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
		assert.Check(t, d.axis >= 3.2*cm, "legend %s: the axis has %.2f cm, want at least 3.2 of the 5", o.Legend, d.axis/cm)
		assert.Check(t, math.Abs(d.width-8.8*cm) <= 0.01 && d.height <= 7.2*cm && d.height >= 5*cm,
			"legend %s: %.2f x %.2f cm, want 8.8 and little more than 5", o.Legend, d.width/cm, d.height/cm)
	}
	assert.Check(t, axis[plot.LegendBelow] == axis[plot.NoLegend] && axis[plot.LegendRight] == axis[plot.NoLegend], "axes of %v points, want them equal", axis)
}

// TestColoursAndDashesAreKeyedApart: four scenarios on two paths are six entries,
// not eight: two colours, four dashes.
func TestColoursAndDashesAreKeyedApart(t *testing.T) {
	texts := look(t, fourByTwo(t), plot.Layout{Size: plot.DefaultSize}).texts
	got := strings.Join(texts[len(texts)-6:], " ")
	assert.Check(t, is.Equal(got, "wifi lte scheduler-0 scheduler-1 scheduler-2 scheduler-3"), "legend")
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
		last := d.texts[len(d.texts)-1]
		assert.Check(t, last == fmt.Sprintf("and %d more", 60-named) && named >= 6, "%s: %d names and %q, want all others counted", place, named, last)
		assert.Check(t, d.height <= 11*cm, "%s: %.1f cm high, want at most 5 more than the panel's 6", place, d.height/cm)
	}
}

// TestLegendOfManyPaths: the legend of 64 paths takes at most a fifth of the height of three panels, or eight rows if that is more.
func TestLegendOfManyPaths(t *testing.T) {
	f := &plot.Figure{}
	for range 3 {
		p := plot.Panel{X: "x", Y: "y"}
		for i := range 64 {
			p.Layers = append(p.Layers, plot.Layer{Name: fmt.Sprintf("10.%d.1.1-10.9.9.9", i), Colour: palette.Of(i), Dash: i / palette.Colours, XY: []plot.Coord{{X: 0, Lo: 0, Hi: 0}, {X: 1, Lo: 1, Hi: 1}}})
		}
		f.Panels = append(f.Panels, p)
	}
	for _, size := range []plot.Size{{Width: 8.8, Height: 5}, {Width: 16, Height: 7}} {
		with, without := look(t, f, plot.Layout{Size: size}), look(t, f, plot.Layout{Size: size, Legend: plot.NoLegend})
		taken := with.height - without.height
		assert.Check(t, taken <= 4.5*cm && taken >= 2*cm, "%v: the legend takes %.1f cm", size, taken/cm)
		assert.Check(t, strings.HasPrefix(with.texts[len(with.texts)-1], "and "), "%v: the last entry is %q", size, with.texts[len(with.texts)-1])
	}
}

// TestTooSmallIsRefused: a figure that is larger by what the refusals say is lacking is drawn.
func TestTooSmallIsRefused(t *testing.T) {
	f := fourByTwo(t)
	f.Panels = slices.Repeat(f.Panels[:1], 4)
	o := plot.Layout{Size: plot.Size{Width: 8, Height: 2}, FontSize: 7, Columns: 4}
	err := f.Write(new(bytes.Buffer), "svg", o)
	assert.Assert(t, errors.Is(err, plot.ErrSize), "four panels side by side in 8 cm: %v", err)
	for range 3 {
		var wide, high float64
		_, lack, refused := strings.Cut(fmt.Sprint(err), "columns, ")
		_, scanned := fmt.Sscanf(lack, "%f cm more of width and %f cm", &wide, &high)
		assert.Check(t, !refused || scanned == nil, "%v", err)
		o.Width, o.Height = o.Width+wide, o.Height+high
		err = f.Write(new(bytes.Buffer), "svg", o)
	}
	assert.NilError(t, err)
	assert.Check(t, o.Width < 40 && o.Height < 10, "the size that was named: %v", o.Size)
}

// TestCaption: a caption stands behind the title if both have room in one line, else in lines below the legend. It goes with the title.
func TestCaption(t *testing.T) {
	f := fourByTwo(t)
	f.Title, f.Caption = "RTT", "means of the runs with their range; cells of 100 ms"
	for _, c := range []struct {
		width       float64
		title       *string
		first, last string
	}{
		{16, nil, "RTT; " + f.Caption, "scheduler-3"},
		{5, nil, "RTT", "ms"}, // the last line of the caption
		{5, new("mine"), "mine", "scheduler-3"},
		{5, new(""), "", "scheduler-3"},
	} {
		texts := look(t, f, plot.Layout{Size: plot.Size{Width: c.width, Height: 5}, Title: c.title}).texts
		last := texts[len(texts)-1]
		assert.Check(t, (c.first == "" || texts[0] == c.first) && strings.HasSuffix(last, c.last), "%v cm: from %q to %q", c.width, texts[0], last)
	}
}

// TestGridOfPanels: four panels in two columns are two rows high, and the time axis
// is labelled below each column.
func TestGridOfPanels(t *testing.T) {
	f := fourByTwo(t)
	f.Panels = slices.Repeat(f.Panels[:1], 4)
	d := look(t, f, plot.Layout{Size: plot.Size{Width: 16, Height: 5}, Columns: 2, Legend: plot.NoLegend, Title: new("")})
	rows := d.height / cm / 5
	assert.Check(t, rows >= 2 && rows <= 2.2, "%.1f panels high, want 2", rows)
	assert.Check(t, is.Equal(strings.Count(strings.Join(d.texts, "|"), "Time since the first packet"), 2), "the time is labelled: times")
	title := look(t, f, plot.Layout{Size: plot.DefaultSize, Title: new("Of my own")}).texts
	assert.Check(t, title[0] == "Of my own", "title %q", title[0])
}

// pages are the pages of a PDF file.
var pages = regexp.MustCompile(`/Type\s*/Page\b[^s]`)

// TestPages: a figure that is higher than a page has pages in PDF; the panels of a scenario
// stand on one page where they have room. Other formats have one page, with the label of the
// time below the last panel of each column.
func TestPages(t *testing.T) {
	names := func(n int) (out []string) {
		for i := range n {
			out = append(out, fmt.Sprint("s", i))
		}
		return out
	}
	for _, c := range []struct {
		kind    string
		n, want int
		height  float64
	}{
		{"rec16", 1, 1, 8},  // three rows of 8 cm
		{"rec16", 2, 2, 8},  // five rows with a column for each scenario: 3 and 2
		{"rec16", 7, 5, 8},  // three columns at 16 cm, so three times five rows: three rows a page
		{"rec16", 7, 3, 4},  // five rows of 4 cm a page: those of the same scenarios
		{"jitter", 7, 1, 8}, // three rows
		{"jitter", 7, 2, 9}, // three rows, of which two have room
		{"jitter", 3, 1, 8}, // one row
	} {
		f := pairFigure(t, c.kind, names(c.n)...)
		layout := plot.Layout{Size: plot.Size{Width: 16, Height: c.height}}
		var pdf, svg strings.Builder
		assert.NilError(t, f.Write(&pdf, "pdf", layout))
		assert.Check(t, is.Equal(len(pages.FindAllString(pdf.String(), -1)), c.want), "%s of %d scenarios, panels of %v cm: pages", c.kind, c.n, c.height)
		if c.n != 7 {
			continue
		}
		assert.NilError(t, f.Write(&svg, "svg", layout))
		assert.Check(t, is.Equal(strings.Count(svg.String(), ">Time since the"), 3), "%s as SVG: labels of time, one for each column", c.kind)
	}
}

// marked is an SVG figure from 0 to 10 s with these moments.
func marked(t *testing.T, moments ...plot.Moment) string {
	t.Helper()
	l := plot.Layer{Shape: plot.Line, XY: []plot.Coord{{X: 0}, {X: 10, Lo: 1, Hi: 1}}}
	return string(write(t, &plot.Figure{Panels: []plot.Panel{{X: "x", Y: "y", Layers: []plot.Layer{l}, Moments: moments}}}, "svg"))
}

// TestLetters: if many events are close together, at least one letter of each kind in the legend
// is still drawn. The handover comes after joins that fill both rows.
func TestLetters(t *testing.T) {
	var all []plot.Moment
	for i := range 9 {
		all = append(all, plot.Moment{X: 5 + float64(i)/1000, Letter: "J", Name: "join"})
	}
	svg := marked(t, append(all, plot.Moment{X: 5.01, Letter: "H", Name: "handover"}, plot.Moment{X: 9, Letter: "J", Name: "join"}, plot.Moment{X: 11, Letter: "F", Name: "out of sight"})...)
	// One of each stands in the legend. J: the first, above H, and the one at 9 s. F is beyond the axis.
	for letter, want := range map[string]int{"H": 2, "J": 3, "F": 1} {
		assert.Check(t, is.Equal(strings.Count(svg, ">"+letter+"</text>"), want), "how many letters %s", letter)
	}
}

// TestLettersStandOnLines: the line of an event that goes through the letter of another one is drawn before it.
func TestLettersStandOnLines(t *testing.T) {
	svg := marked(t, plot.Moment{X: 5, Letter: "A", Name: "first"}, plot.Moment{X: 5.05, Letter: "J", Name: "second"})
	last, letter := strings.LastIndex(svg, "stroke-dasharray"), strings.Index(svg, ">A</text>")
	assert.Check(t, last > 0 && last < letter, "the last line is at %d, the first letter at %d", last, letter)
}

// TestFrom: figures over time begin where the time of the run begins.
func TestFrom(t *testing.T) {
	r := constant(t, "", 1, 5, "wifi")
	r.From = 2e9
	f := series(t, "srtt", []*plot.Run{r})
	assert.Check(t, f.Panels[0].From == 2, "the panel begins at %v, want 2", f.Panels[0].From)
}

// TestScenariosOnce: panels of paths and panels of the connection alone have one entry for each
// scenario in the legend.
func TestScenariosOnce(t *testing.T) {
	k := kindNamed(t, "series")
	names := []string{"throughput", "goodput"}
	f := drawnBy(t, &k, names, cellRun(t, &k, names, "lia", 1, 10), cellRun(t, &k, names, "olia", 2, 20))
	svg := string(write(t, f, "svg"))
	for _, name := range []string{"lia", "olia"} {
		assert.Check(t, is.Equal(strings.Count(svg, ">"+name+"</text>"), 1), "entries %s in the legend", name)
	}
}

// TestMeanKnowsSilence: nine runs have values in the cells up to 2 s and from 8 s on. Their
// mean has none between, and its line is interrupted there; so is the area.
func TestMeanKnowsSilence(t *testing.T) {
	for _, metric := range []string{"throughput", "path_delay"} {
		var runs []*plot.Run
		for k := range 9 {
			var all []sample
			for i := range 101 {
				if x := float64(i) / 10; x < 2 || x >= 8 {
					all = append(all, sample{"wifi", x, float64(k + 1)})
				}
			}
			runs = append(runs, run(t, "", metric, all))
		}
		f := series(t, metric, runs)
		for _, l := range f.Panels[0].Layers {
			inside, across := 0, 0.0
			for i, p := range l.XY {
				if p.X > 2.15 && p.X < 7.9 {
					inside++
				}
				if i > 0 {
					across = max(across, p.X-l.XY[i-1].X)
				}
			}
			assert.Check(t, inside == 0 && l.Gap != 0 && across >= l.Gap,
				"%s, shape %d: %d values in the silence; the line ends after %v s of %v", metric, l.Shape, inside, l.Gap, across)
		}
	}
}
