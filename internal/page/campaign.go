package page

import (
	"cmp"
	_ "embed" // the page
	"fmt"
	"html/template"
	"io"
	"math"
	"strconv"
	"sync"

	"mpanalyze/internal/campaign"
	"mpanalyze/internal/catalogue"
	"mpanalyze/internal/palette"
	"mpanalyze/internal/plaintext"
	"mpanalyze/internal/plot"
)

//go:embed campaign.html
var campaignMarkup string

var campaignTmpl = sync.OnceValue(func() *template.Template {
	return template.Must(template.New("campaign").Funcs(template.FuncMap{
		"at":     catalogue.EndWords,
		"clean":  plaintext.Clean,
		"short":  func(v float64) string { return digits(v, 5) },
		"short3": func(v float64) string { return digits(v, 3) },
		"words":  func(figure string) string { return plaintext.Clean(words(figure)) },
	}).Parse(campaignMarkup))
})

// digits returns a number with n digits, or with all digits before the point if there are more.
func digits(v float64, n int) string {
	if math.Abs(v) >= math.Pow10(n)-0.5 {
		return strconv.FormatFloat(v, 'f', 0, 64)
	}
	return strconv.FormatFloat(v, 'g', n, 64)
}

// compared is one figure of all scenarios.
type compared struct {
	campaign.Comparison
	Lines        []*line // by scenario; nil for one that does not have the figure
	Ticks        []tick
	Height, Axis int
	Alt          string
}

// line is a scenario in the tables of a figure and, in the units of the drawing, in the drawing.
type line struct {
	campaign.Aggregate
	Name, Ink      string
	Best           bool
	NameY, ValuesY int
	X              struct{ Min, Low, Mean, High, Max float64 }
}

// tick is a number below a drawing.
type tick struct {
	X    float64
	Text string
}

// Sizes in the drawing, in its units. Each row has a name and the values below it. The drawing
// is 400 units wide, and the page stretches it to the width of the screen.
const (
	rowHeight   = 34
	nameAt      = 11 // from the top of the row
	valuesAt    = 23
	left, right = 10.0, 390.0
	mostTicks   = 6
)

// WriteCampaign writes the page on a comparison of scenarios.
func WriteCampaign(w io.Writer, r *campaign.Result) error {
	c := struct {
		Result  *campaign.Result
		Figures []compared
		inline
	}{Result: r, inline: newInline()}
	for _, x := range r.Comparisons {
		c.Figures = append(c.Figures, figureOf(x, r.Scenarios))
	}
	return execute(w, campaignTmpl(), c)
}

func figureOf(x campaign.Comparison, scenarios []campaign.Summary) compared {
	f := compared{Comparison: x, Alt: "Chart of " + plaintext.Clean(words(x.Metric)) + ". "}
	clear := x.Winner != "" && len(x.Peers)+len(x.CannotTell) == 0
	var names []string
	var lines []*line
	from, to := math.Inf(1), math.Inf(-1)
	for _, s := range scenarios {
		names = append(names, s.Name)
		a, ok := s.Metrics[x.Metric]
		if !ok || !x.Holds(s.Name) {
			f.Lines = append(f.Lines, nil)
			continue
		}
		l := &line{Aggregate: a, Name: s.Name, Best: clear && x.Winner == s.Name}
		interval := *cmp.Or(a.CI95, &[2]float64{a.Mean, a.Mean}) // none of a single run
		from, to = min(from, a.Min, interval[0]), max(to, a.Max, interval[1])
		l.X.Low, l.X.High = interval[0], interval[1]
		f.Lines, lines = append(f.Lines, l), append(lines, l)
	}
	if len(lines) == 0 {
		from, to = 0, 0
	}
	at := func(v float64) float64 {
		if to == from {
			return (left + right) / 2
		}
		return left + (v-from)/(to-from)*(right-left)
	}
	numbers := palette.Numbered(names)
	for i, l := range lines {
		l.Ink, l.NameY, l.ValuesY = hex(palette.Of(numbers[l.Name])), i*rowHeight+nameAt, i*rowHeight+valuesAt
		l.X.Min, l.X.Low, l.X.Mean, l.X.High, l.X.Max = at(l.Min), at(l.X.Low), at(l.Mean), at(l.X.High), at(l.Max)
		f.Alt += fmt.Sprintf("%s: mean %s, from %s to %s. ", plaintext.Clean(l.Name), digits(l.Mean, 5), digits(l.Min, 5), digits(l.Max, 5))
	}
	for _, v := range plot.Ticks(from, to, mostTicks) {
		f.Ticks = append(f.Ticks, tick{at(v.Value), v.Label})
	}
	f.Axis = len(lines) * rowHeight
	f.Height = f.Axis + 22
	return f
}
