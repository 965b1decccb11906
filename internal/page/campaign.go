package page

import (
	"bytes"
	_ "embed" // the page
	"fmt"
	"html/template"
	"io"
	"strconv"
	"sync"

	"mpanalyze/internal/campaign"
	"mpanalyze/internal/palette"
	"mpanalyze/internal/plaintext"
)

//go:embed campaign.html
var campaignMarkup string

var campaignTmpl = sync.OnceValue(func() *template.Template {
	return template.Must(template.New("campaign").Funcs(template.FuncMap{
		"clean":  plaintext.Clean,
		"figure": func(v *float64) string { return short(*v) },
		"short":  short,
	}).Parse(campaignMarkup))
})

func short(v float64) string { return strconv.FormatFloat(v, 'g', 5, 64) }

// compared is one figure of all scenarios.
type compared struct {
	campaign.Comparison
	Lines        []line
	Marks        []mark
	From, To     float64
	Height, Foot int
	Alt          string
}

// line is a scenario in the table of a figure.
type line struct {
	Name   string
	Runs   int
	Values [7]float64
}

// mark is a scenario in the drawing of a figure, in its units.
type mark struct {
	Name, Ink                 string
	Y                         int
	Min, Low, Mean, High, Max float64
}

// The drawing: names stand left of the values, a row each.
const (
	rowHeight   = 24
	left, right = 200.0, 705.0
)

// WriteCampaign writes the page on a comparison of scenarios.
func WriteCampaign(w io.Writer, r *campaign.Result) error {
	c := struct {
		Result                *campaign.Result
		Figures               []compared
		Style                 template.CSS
		Script                template.JS
		StyleHash, ScriptHash string
	}{
		Result: r, Style: template.CSS(style), Script: template.JS(script),
		StyleHash: hash(style), ScriptHash: hash(script),
	}
	for _, x := range r.Comparisons {
		c.Figures = append(c.Figures, figureOf(x, r.Scenarios))
	}
	var page bytes.Buffer
	if err := campaignTmpl().Execute(&page, c); err != nil {
		return fmt.Errorf("writing the page: %w", err)
	}
	_, err := page.WriteTo(w)
	return err
}

func figureOf(x campaign.Comparison, scenarios []campaign.Summary) compared {
	f := compared{Comparison: x}
	for _, s := range scenarios {
		a, ok := s.Metrics[x.Metric]
		if !ok || !x.Holds(s.Name) {
			continue
		}
		if len(f.Lines) == 0 {
			f.From, f.To = a.Min, a.Max
		}
		f.From, f.To = min(f.From, a.Min, a.CI95[0]), max(f.To, a.Max, a.CI95[1])
		f.Lines = append(f.Lines, line{s.Name, a.Runs, [7]float64{a.Mean, a.CI95[0], a.CI95[1], a.Stddev, a.Median, a.Min, a.Max}})
	}
	at := func(v float64) float64 {
		if f.To == f.From {
			return (left + right) / 2
		}
		return left + (v-f.From)/(f.To-f.From)*(right-left)
	}
	f.Alt = "Chart of " + x.Metric + ". "
	for i, l := range f.Lines {
		v := l.Values
		f.Marks = append(f.Marks, mark{l.Name, hex(palette.Of(i)), rowHeight/2 + i*rowHeight, at(v[5]), at(v[1]), at(v[0]), at(v[2]), at(v[6])})
		f.Alt += fmt.Sprintf("%s: mean %s, from %s to %s. ", plaintext.Clean(l.Name), short(v[0]), short(v[5]), short(v[6]))
	}
	f.Height = (len(f.Lines)+1)*rowHeight + 4
	f.Foot = f.Height - rowHeight/2
	return f
}
