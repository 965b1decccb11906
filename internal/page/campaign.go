package page

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"mpanalyze/internal/campaign"
	"mpanalyze/internal/palette"
	"mpanalyze/internal/plaintext"
	"mpanalyze/internal/plot"
	"mpanalyze/internal/report"
)

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
	from, to     float64 // the ends of the axis
	Height, Axis int     // of the drawing, and of the axis in it
	Alt          string
}

// line is a scenario in the tables of a figure and in the drawing.
type line struct {
	campaign.Aggregate
	Name, Ink      string
	Best           bool
	Low, High      float64 // the interval of the mean
	NameY, ValuesY int     // in the units of the drawing
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

// At returns where a value is on the axis, in the units of the drawing.
func (f *compared) At(v float64) float64 {
	if f.to == f.from {
		return (left + right) / 2
	}
	return left + (v-f.from)/(f.to-f.from)*(right-left)
}

// Ticks returns the numbers below the drawing, with their places.
func (f *compared) Ticks() any { return plot.Ticks(f.from, f.to, mostTicks) }

// WriteCampaign writes the page on a comparison of scenarios.
func WriteCampaign(w io.Writer, r *campaign.Result) error {
	c := struct {
		Result  *campaign.Result
		Figures []*compared
	}{Result: r}
	for _, x := range r.Comparisons {
		c.Figures = append(c.Figures, figureOf(x, r.Scenarios))
	}
	return execute(w, "campaign", c)
}

func figureOf(x campaign.Comparison, scenarios []campaign.Summary) *compared {
	f := &compared{Comparison: x, Alt: "Chart of " + plaintext.Clean(words(x.Metric)) + ". ", from: math.Inf(1), to: math.Inf(-1)}
	clear := x.Winner != "" && len(x.Peers)+len(x.CannotTell) == 0
	var names []string
	for _, s := range scenarios {
		names = append(names, s.Name)
	}
	numbers := palette.Numbered(names)
	for _, s := range scenarios {
		a, ok := s.Metrics[x.Metric]
		if !ok || !x.Holds(s.Name) {
			f.Lines = append(f.Lines, nil)
			continue
		}
		interval := *cmp.Or(a.CI95, &[2]float64{a.Mean, a.Mean}) // none of a single run
		f.from, f.to = min(f.from, a.Min, interval[0]), max(f.to, a.Max, interval[1])
		f.Lines = append(f.Lines, &line{a, s.Name, hex(palette.Of(numbers[s.Name])), clear && x.Winner == s.Name, interval[0], interval[1], f.Axis + nameAt, f.Axis + valuesAt})
		f.Alt += fmt.Sprintf("%s: mean %s, from %s to %s. ", plaintext.Clean(s.Name), digits(a.Mean, 5), digits(a.Min, 5), digits(a.Max, 5))
		f.Axis += rowHeight
	}
	if f.Axis == 0 {
		f.from, f.to = 0, 0
	}
	f.Height = f.Axis + 22
	return f
}

// statistics holds the words for the statistics in summaries.
var statistics = map[string]string{
	"avg": "average", "max": "largest", "min": "least", "cell_mean": "mean of cells", "stddev": "standard deviation of the population", "median": "median", "per_s": "per second",
}

// words returns the name of a figure in words, with its unit.
func words(figure string) string {
	n := campaign.NameOf(figure)
	metric, stat, _ := strings.Cut(n.Metric, ".")
	for _, unit := range []string{"_ms", "_mbps", "_bytes", "_percent", "_per_s"} {
		metric = strings.TrimSuffix(metric, unit)
	}
	text := plot.Label(cmp.Or(metric, figure), "")
	if stat != "" {
		text += ", " + cmp.Or(statistics[stat], strings.NewReplacer(".", " ", "_", " ").Replace(stat))
	}
	if n.Unit != "" {
		text += " (" + strings.Replace(n.Unit, "percent", "%", 1) + ")"
	}
	if n.Path != "" {
		text = n.Path + ": " + text
	}
	if slices.Contains(report.Directions[:], report.Direction(n.Direction)) {
		text += ", " + n.Direction
	}
	return text
}
