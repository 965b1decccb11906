package campaign

import (
	"fmt"
	"math"
	"slices"

	"mpanalyze/internal/catalogue"
)

// GainTable has a row for each figure and a column for each scenario: by how many percent its
// mean is better than the mean of the reference, and whether the difference is more than noise
// (REC16). The reference is the first scenario unless another one is named. Figures for which
// neither way is better are left out.
func GainTable(r *Result, l *Layout, reference string) *Table {
	ref := max(0, slices.IndexFunc(r.Scenarios, func(s Summary) bool { return s.Name == reference }))
	t := &Table{Corner: []string{"metric", "", "unit"}, About: aboutFigure, Parts: []string{"mean", "gain_percent", "p_corrected"}}
	figures := slices.DeleteFunc(slices.Clone(l.Figures), func(f string) bool { return better(f) == catalogue.NeitherIsBetter })
	l.fill(t, r, figures, func(f string, s *Summary, a Aggregate, c *Comparison) Cell {
		cell := Cell{Text: l.Style.number(a.Mean), Numbers: []float64{a.Mean}}
		base, known := l.value(&r.Scenarios[ref], f)
		if s != &r.Scenarios[ref] && known && base.Mean != 0 {
			cell.gain(l.Style, a.Mean, base.Mean, better(f), c.pairOf(s.Name, r.Scenarios[ref].Name))
		}
		return cell
	})
	means := *l
	means.Style.NoSpread = true
	t.Caption = captionOf(r, &means)
	t.Notes = slices.Clone(l.Notes)
	if len(t.Rows) > 0 {
		t.Notes = append(t.Notes, "in brackets: gain over "+r.Scenarios[ref].Name+", positive where better")
		t.Notes = append(t.Notes, markNotes(r.Comparisons)...)
	}
	return t
}

// gain adds to the cell by how much v is better than base, and whether that is more than
// noise.
func (c *Cell) gain(style Style, v, base float64, best catalogue.Better, p *Pair) {
	gain := 100 * (v - base) / math.Abs(base)
	if best == catalogue.LowerIsBetter {
		gain = -gain
	}
	behind := ""
	c.Numbers = append(c.Numbers, gain)
	if p != nil {
		if p.PCorrected != nil {
			c.Numbers = append(c.Numbers, *p.PCorrected)
		}
		if m := mark(p.Verdict); m != "" {
			behind = " " + m
		}
	}
	c.Text += fmt.Sprintf(" (%s%%%s)", style.signed(gain), behind)
}

// comparison returns the comparison of a figure that contains a scenario; nil if there is
// none.
func (r *Result) comparison(figure, scenario string) *Comparison {
	for i := range r.Comparisons {
		if r.Comparisons[i].Metric == figure && r.Comparisons[i].Holds(scenario) {
			return &r.Comparisons[i]
		}
	}
	return nil
}

// pairOf returns the comparison of two scenarios; nil if there is none.
func (c *Comparison) pairOf(a, b string) *Pair {
	if c == nil {
		return nil
	}
	for i := range c.Pairs {
		if p := &c.Pairs[i]; p.A == a && p.B == b || p.A == b && p.B == a {
			return p
		}
	}
	return nil
}
