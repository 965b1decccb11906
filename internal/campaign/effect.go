package campaign

import (
	"fmt"
	"slices"
	"strings"

	"mpanalyze/internal/bykey"
	"mpanalyze/internal/catalogue"
	"mpanalyze/internal/stats"
)

// Effect is the main effect of a factor on one figure: its effect over all values of the other
// factors.
type Effect struct {
	// Name of the figure.
	Metric string `json:"metric"`
	// Which way it improves: higher, lower or neither.
	Better catalogue.Better `json:"better"`
	// Name of the factor.
	Factor string `json:"factor"`
	// Combinations of the other factors over which the medians are taken: those in which every value of the factor has runs with the figure.
	Over []string `json:"over"`
	// Combinations that were left out, because some value of the factor has no run with the
	// figure there.
	LeftOut []string `json:"left_out"`
	// The values of the factor, in the order of the scenarios.
	Levels []Level `json:"levels"`
}

// Level is one value of a factor in one figure.
type Level struct {
	Value string `json:"value"`
	// Median over the combinations of the other factors; each combination counts by the median
	// of its runs.
	Median float64 `json:"median"`
	// 95 % interval of the median, by bootstrap over the runs of each scenario with a fixed seed; null where a scenario has fewer than 3 runs.
	CI95 *[2]float64 `json:"ci95"`
	// Runs from which the median is taken.
	Runs int `json:"runs"`
}

// Effects returns the main effect of a factor on each of the figures. It leaves out a figure
// if no combination of the other factors has runs of all values of the factor.
func (s *Set) Effects(factor string, figures []string) []Effect {
	out := []Effect{}
	for _, figure := range figures {
		if e := s.effect(factor, figure); len(e.Over) > 0 {
			out = append(out, e)
		}
	}
	return out
}

func (s *Set) effect(factor, figure string) Effect {
	e := Effect{Metric: figure, Better: better(figure), Factor: factor, Over: []string{}, LeftOut: []string{}}
	values := s.factorValues(factor)
	cells := map[[2]string][]float64{} // by combination and value
	var combinations []string
	for _, sc := range s.Scenarios {
		x := sc.values(figure)
		if sent, all := s.sendOrderScenarios(figure); len(x) == 0 || !all && slices.Contains(sent, sc.Name) {
			continue
		}
		others := sc.otherFactors(factor)
		combinations = Once(combinations, others)
		at := [2]string{others, sc.factor(factor)}
		cells[at] = append(cells[at], x...)
	}
	for _, c := range combinations {
		if slices.ContainsFunc(values, func(v string) bool { return len(cells[[2]string{c, v}]) == 0 }) {
			e.LeftOut = append(e.LeftOut, c)
		} else {
			e.Over = append(e.Over, c)
		}
	}
	for _, v := range values {
		var samples [][]float64
		l := Level{Value: v}
		for _, c := range e.Over {
			samples = append(samples, cells[[2]string{c, v}])
			l.Runs += len(cells[[2]string{c, v}])
		}
		median, low, high, ok := stats.MedianOfMedians(samples, Confidence)
		if l.Median = median; ok {
			l.CI95 = &[2]float64{low, high}
		}
		e.Levels = append(e.Levels, l)
	}
	return e
}

// otherFactors joins the values of the other factors of a scenario; "" if there are no others.
func (sc *Scenario) otherFactors(factor string) string {
	var values []string
	for _, f := range sc.factors() {
		if f.Name != factor {
			values = append(values, f.Value)
		}
	}
	return strings.Join(values, "/")
}

// EffectTable has a row for each figure and a column for each value of a factor: the median
// over the other factors, and its interval.
func EffectTable(effects []Effect, factor string, l *Layout) *Table {
	t := &Table{
		Corner: []string{"metric", "", "unit"}, About: aboutFigure, Parts: []string{"median", "runs", "ci95_low", "ci95_high"},
		Notes: slices.Clone(l.Notes), Caption: "medians over the other factors of the medians over runs, with 95 % interval (bootstrap over the runs of each scenario)",
	}
	if l.Style.NoSpread {
		t.Caption = "medians over the other factors of the medians over runs"
	}
	t.Caption = joined(t.Caption, l.end)
	var left bykey.Lists[string] // rows by the combinations that were left out
	bare := false                // a value has no interval
	for i := range effects {
		e := &effects[i]
		row := l.row(e.Metric)
		for _, v := range e.Levels {
			if i == 0 {
				t.Columns = append(t.Columns, Column{Top: factor, Name: v.Value})
			}
			row.Cells = append(row.Cells, v.cell(l.Style))
			bare = bare || v.CI95 == nil
		}
		t.Rows = append(t.Rows, row)
		if out := strings.Join(e.LeftOut, ", "); out != "" {
			left.Add(out, rowName(row.Heads))
		}
	}
	if bare && !l.Style.NoSpread {
		t.Notes = append(t.Notes, "no interval where a scenario has fewer than 3 runs with the figure")
	}
	for _, out := range left.Keys {
		t.Notes = append(t.Notes, fmt.Sprintf("%s: without %s, of which not every %s has runs with the figure", strings.Join(left.Of[out], ", "), out, factor))
	}
	return t
}

func (v *Level) cell(style Style) Cell {
	c := Cell{Text: style.number(v.Median), Numbers: []float64{v.Median, float64(v.Runs)}}
	if v.CI95 != nil {
		c.Numbers = append(c.Numbers, v.CI95[0], v.CI95[1])
		if !style.NoSpread {
			c.Text += fmt.Sprintf(" [%s, %s]", style.number(v.CI95[0]), style.number(v.CI95[1]))
		}
	}
	return c
}
