package campaign

import (
	"slices"
	"strconv"
)

// RowTest is the test of the differences in a row.
type RowTest struct {
	Name   string // of the test, as in CSV: mann-whitney, kruskal-wallis
	N      int    // runs that take part
	P      float64
	Size   string // which size of the effect, as in CSV: cliffs_delta, epsilon_squared
	Effect float64
}

// The tests, and the sizes of effects that belong to them.
const (
	mannWhitney    = "mann-whitney"
	kruskalWallis  = "kruskal-wallis"
	cliffsDelta    = "cliffs_delta"
	epsilonSquared = "epsilon_squared"
)

// testWords explains the columns of tests, by the name of the test.
var testWords = map[string]string{
	mannWhitney:   "p: Mann-Whitney, corrected by Holm's method where the row is one of several pairs; effect: Cliff's delta",
	kruskalWallis: "p: Kruskal-Wallis over all scenarios; effect: epsilon squared",
}

// rowTest returns the test of a row that shows a comparison: of all its scenarios at once if there are more than two. It is
// nil if nothing is compared, and if a scenario has a single run.
func (c *Comparison) rowTest() *RowTest {
	switch {
	case c == nil:
		return nil
	case c.Omnibus != nil:
		return &RowTest{kruskalWallis, c.Omnibus.N, c.Omnibus.P, epsilonSquared, c.Omnibus.Effect}
	case len(c.Pairs) == 1:
		return rankTest(c.N, c.Pairs[0].PCorrected, c.Pairs[0].Effect)
	}
	return nil
}

// rankTest returns the test of two samples with n runs in all; nil if it has no probability.
func rankTest(n int, p, effect *float64) *RowTest {
	if p == nil {
		return nil
	}
	return &RowTest{mannWhitney, n, *p, cliffsDelta, *effect}
}

// rowTests returns the tests of the row of a figure, one for each of the groups of a table.
func (r *Result) rowTests(figure string, groups []string) (out []*RowTest) {
	for _, g := range groups {
		var of *Comparison
		for i := range r.Comparisons {
			if c := &r.Comparisons[i]; c.Metric == figure && c.group() == g {
				of = c
			}
		}
		out = append(out, of.rowTest())
	}
	return out
}

// testGroups returns the groups of scenarios that are compared among themselves: one without a
// name, or with --within the values of the factor.
func (r *Result) testGroups() (groups []string) {
	for i := range r.Comparisons {
		groups = Once(groups, r.Comparisons[i].group())
	}
	return groups
}

func (c *Comparison) group() string {
	if c.Within == nil {
		return ""
	}
	return c.Within.Value
}

// WithTests returns the table with columns for the tests of its rows: runs, probability and size
// of the effect.
func (t *Table) WithTests() *Table {
	if len(t.Tests) == 0 {
		return t
	}
	out := *t
	out.Tests, out.Columns, out.Rows = nil, slices.Clone(t.Columns), slices.Clone(t.Rows)
	for _, g := range t.Tests {
		top := g
		if top == "" && t.hasUpperHeadings() {
			top = "test"
		}
		out.Columns = append(out.Columns, Column{top, "n"}, Column{top, "p"}, Column{top, "effect"})
	}
	var names []string
	for i := range out.Rows {
		row := &out.Rows[i]
		row.Cells = slices.Clone(row.Cells)
		for _, x := range row.Tests {
			row.Cells = append(row.Cells, x.cells()...)
			if x != nil && !slices.Contains(names, x.Name) {
				names = append(names, x.Name)
			}
		}
	}
	for _, n := range names {
		out.Caption = joined(out.Caption, testWords[n])
	}
	return &out
}

// cells returns the cells of the test in a printed table.
func (x *RowTest) cells() []Cell {
	if x == nil {
		return make([]Cell, 3)
	}
	return []Cell{
		{Text: strconv.Itoa(x.N), Numbers: []float64{float64(x.N)}},
		{Text: probability(x.P), Numbers: []float64{x.P}},
		{Text: fixed(x.Effect, 2), Numbers: []float64{x.Effect}},
	}
}

// probability returns a probability as papers print it.
func probability(p float64) string {
	if p < 0.001 {
		return "< 0.001"
	}
	return fixed(p, 3)
}

// testParts names the fields of a test in a CSV file.
var testParts = []string{"n", "test", "p", "effect_size", "effect"}

// testTexts are those of them that are no numbers.
var testTexts = []string{"test", "effect_size"}

// fields returns the fields of the test in a CSV file.
func (x *RowTest) fields() []string {
	if x == nil {
		return make([]string, len(testParts))
	}
	return []string{strconv.Itoa(x.N), x.Name, number(x.P), x.Size, number(x.Effect)}
}

func number(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) }
