package page

import (
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
		"figure": func(v *float64) string { return short(*v) },
		"short":  short,
		"short3": threeDigits,
		"words":  func(figure string) string { return plaintext.Clean(words(figure)) },
	}).Parse(campaignMarkup))
})

// short returns a number with five digits, or with all digits before the point if there are more.
func short(v float64) string {
	if math.Abs(v) >= 1e5 {
		return strconv.FormatFloat(v, 'f', 0, 64)
	}
	return strconv.FormatFloat(v, 'g', 5, 64)
}

// compared is one figure of all scenarios.
type compared struct {
	campaign.Comparison
	Lines        []line
	Marks        []mark
	Cells        []cell
	From, To     float64
	Ticks        []tick
	Height, Axis int
	Alt          string
}

// line is a scenario in the table of a figure.
type line struct {
	Name   string
	Runs   int
	Values [7]*float64
}

// mark is a scenario in the drawing of a figure, in the units of the drawing.
type mark struct {
	Name, Ink                 string
	Y                         int
	Min, Low, Mean, High, Max float64
}

// cell is a scenario in the table of all figures. Known is false if the scenario does not have
// the figure.
type cell struct {
	Known, Best bool
	Mean        float64
	Deviation   float64 // standard deviation of the sample; 0 for a single run
	Runs        int
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
		Effects []campaign.Effect
		Factor  string
		Figures []compared
		inline
	}{Result: r, Effects: r.Effects, inline: newInline()}
	if len(r.Effects) > 0 {
		c.Factor = r.Effects[0].Factor
	}
	for _, x := range r.Comparisons {
		c.Figures = append(c.Figures, figureOf(x, r.Scenarios))
	}
	return execute(w, campaignTmpl(), c)
}

func figureOf(x campaign.Comparison, scenarios []campaign.Summary) compared {
	f := compared{Comparison: x}
	clear := x.Winner != "" && len(x.Peers)+len(x.CannotTell) == 0
	var names []string
	for _, s := range scenarios {
		names = append(names, s.Name)
		a, ok := s.Metrics[x.Metric]
		if !ok || !x.Holds(s.Name) {
			f.Cells = append(f.Cells, cell{})
			continue
		}
		c := cell{Known: true, Best: clear && x.Winner == s.Name, Mean: a.Mean, Runs: a.Runs}
		if a.SampleStddev != nil {
			c.Deviation = *a.SampleStddev
		}
		f.Cells = append(f.Cells, c)
		if len(f.Lines) == 0 {
			f.From, f.To = a.Min, a.Max
		}
		f.From, f.To = min(f.From, a.Min), max(f.To, a.Max)
		l := line{s.Name, a.Runs, [7]*float64{&a.Mean, nil, nil, a.SampleStddev, &a.Median, &a.Min, &a.Max}}
		if ci := a.CI95; ci != nil {
			f.From, f.To = min(f.From, ci[0]), max(f.To, ci[1])
			l.Values[1], l.Values[2] = &ci[0], &ci[1]
		}
		f.Lines = append(f.Lines, l)
	}
	at := func(v float64) float64 {
		if f.To == f.From {
			return (left + right) / 2
		}
		return left + (v-f.From)/(f.To-f.From)*(right-left)
	}
	f.Alt = "Chart of " + plaintext.Clean(words(x.Metric)) + ". "
	numbers := palette.Numbered(names)
	for i, l := range f.Lines {
		v := l.Values
		if v[1] == nil { // a single run
			v[1], v[2] = v[0], v[0]
		}
		f.Marks = append(f.Marks, mark{l.Name, hex(palette.Of(numbers.Number(l.Name))), i * rowHeight, at(*v[5]), at(*v[1]), at(*v[0]), at(*v[2]), at(*v[6])})
		f.Alt += fmt.Sprintf("%s: mean %s, from %s to %s. ", plaintext.Clean(l.Name), short(*v[0]), short(*v[5]), short(*v[6]))
	}
	for _, v := range plot.Ticks(f.From, f.To, mostTicks) {
		f.Ticks = append(f.Ticks, tick{at(v.Value), v.Label})
	}
	f.Axis = len(f.Lines) * rowHeight
	f.Height = f.Axis + 22
	return f
}

// NameY is the vertical position of the scenario's name.
func (m mark) NameY() int { return m.Y + nameAt }

// ValuesY is the vertical position of its values.
func (m mark) ValuesY() int { return m.Y + valuesAt }
