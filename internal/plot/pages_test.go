package plot_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"mpanalyze/internal/plot"
)

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
		if err := f.Write(&pdf, "pdf", layout); err != nil {
			t.Fatal(err)
		}
		if got := len(pages.FindAllString(pdf.String(), -1)); got != c.want {
			t.Errorf("%s of %d scenarios, panels of %v cm: %d pages, want %d", c.kind, c.n, c.height, got, c.want)
		}
		if c.n != 7 {
			continue
		}
		if err := f.Write(&svg, "svg", layout); err != nil {
			t.Fatal(err)
		}
		if got := strings.Count(svg.String(), ">Time since the"); got != 3 {
			t.Errorf("%s as SVG: %d labels of time, want one for each column", c.kind, got)
		}
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
	// One of each stands in the legend. J: the first, above H, and the one at 9 s.
	for letter, want := range map[string]int{"H": 2, "J": 3, "F": 0} {
		if got := strings.Count(svg, ">"+letter+"</text>"); got != want {
			t.Errorf("%d letters %s, want %d", got, letter, want)
		}
	}
}

// TestLineOfEventEndsAtLetter: the line of an event that would go through the letter of another one
// ends below it, and so is shorter.
func TestLineOfEventEndsAtLetter(t *testing.T) {
	line := regexp.MustCompile(`<path d="M([0-9.]+),([0-9.]+)L([0-9.]+),([0-9.]+)" style="[^"]*stroke-dasharray`)
	for near, shorter := range map[float64]bool{5.05: true, 7: false} {
		lines := line.FindAllStringSubmatch(marked(t, plot.Moment{X: 5, Letter: "A", Name: "first"}, plot.Moment{X: near, Letter: "J", Name: "second"}), -1)
		if len(lines) != 2 {
			t.Fatalf("%d lines, want 2", len(lines))
		}
		if got := lines[0][4] != lines[1][4]; lines[0][2] != lines[1][2] || got != shorter {
			t.Errorf("events at 5 and %v: %v, shorter %v, want %v", near, lines, got, shorter)
		}
	}
}

// TestFrom: figures over time begin where the time of the run begins.
func TestFrom(t *testing.T) {
	r := constant(t, "", 1, 5, "wifi")
	r.From = 2e9
	if f := series(t, "srtt", []*plot.Run{r}); f.Panels[0].From != 2 {
		t.Errorf("the panel begins at %v, want 2", f.Panels[0].From)
	}
}

// TestScenariosOnce: panels of paths and panels of the connection alone have one entry for each
// scenario in the legend.
func TestScenariosOnce(t *testing.T) {
	k := kindNamed(t, "series")
	names := []string{"throughput", "goodput"}
	f := drawnBy(t, &k, names, cellRun(t, &k, names, "lia", 1, 10), cellRun(t, &k, names, "olia", 2, 20))
	svg := string(write(t, f, "svg"))
	for _, name := range []string{"lia", "olia"} {
		if got := strings.Count(svg, ">"+name+"</text>"); got != 1 {
			t.Errorf("the legend has %d entries %s, want 1", got, name)
		}
	}
}

// TestMedianKnowsSilence: nine runs have values in the cells up to 2 s and from 8 s on. Their
// median has none between, and its line is interrupted there; so is the area.
func TestMedianKnowsSilence(t *testing.T) {
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
			if inside > 0 || l.Gap == 0 || across < l.Gap {
				t.Errorf("%s, shape %d: %d values in the silence; the line ends after %v s of %v", metric, l.Shape, inside, l.Gap, across)
			}
		}
	}
}
