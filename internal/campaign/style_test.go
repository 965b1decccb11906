package campaign

import (
	"bytes"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"
)

func TestStyle(t *testing.T) {
	for _, c := range []struct {
		digits int
		v      float64
		want   string
	}{
		{1, 0.96, "1"},
		{2, 0.0996, "0.10"},
		{2, 0.996, "1.0"},
		{1, 0.5, "0.5"},
		{1, 67.25, "67"},
		{1, 129.8, "130"},
		{1, 4.365, "4"},
		{1, 0.0831, "0.08"},
		{1, 9.6, "10"},
		{1, 0, "0"},
		{2, 67.25, "67"},
		{2, 4.365, "4.4"},
		{2, 0.0831, "0.083"},
		{2, 9.96, "10"},
		{2, -4.365, "-4.4"},
		{3, 67.25, "67.2"},
		{3, 1234.5, "1234"},
		{3, 12, "12"},
		{6, 1.23456789, "1.23457"},
		{6, 1e-9, "0.000000"},
		{0, 67.25, "67.25"},
		{0, 0.0831, "0.083"},
	} {
		assert.Check(t, is.Equal((Style{Digits: c.digits}).number(c.v), c.want), "%v with %d digits", c.v, c.digits)
	}
	for v, want := range map[float64]string{0.4: "0", 0.6: "1", -0.4: "0", 12.51: "13", 1234.4: "1234"} {
		assert.Check(t, is.Equal((Style{Whole: true}).number(v), want), "%v whole", v)
	}
	two := Aggregate{Mean: 67.25, SampleStddev: new(2.243), Runs: 5}
	for _, c := range []struct {
		style Style
		want  string
	}{{Style{}, "67.25 ± 2.24"}, {Style{Digits: 3}, "67.2 ± 2.2"}, {Style{NoSpread: true}, "67.25"}, {Style{Digits: 1, NoSpread: true}, "67"}, {Style{Whole: true}, "67 ± 2"}, {Style{Whole: true, Digits: 3, NoSpread: true}, "67"}} {
		assert.Check(t, is.Equal(c.style.plusMinus(two), c.want), "%+v", c.style)
	}
}

// TestTranspose: rows are columns then, and their numbers go with them.
func TestTranspose(t *testing.T) {
	s, r, rows := study(t)
	table := MetricTable(r, rows)
	turned := table.Transpose()
	assert.Check(t, is.DeepEqual(turned.Corner, []string{"scenario", "variant"}))
	assert.Assert(t, len(turned.Rows) == len(s.Scenarios) && len(turned.Columns) == len(rows.Figures) && turned.Caption == table.Caption,
		"%d rows of %d columns, caption %q", len(turned.Rows), len(turned.Columns), turned.Caption)
	assert.Check(t, is.DeepEqual(turned.Columns[:2], []Column{{"protocol delay", "av (ms)"}, {"protocol delay", "max (ms)"}}))
	var heads []string
	for i, row := range turned.Rows {
		heads = append(heads, strings.Join(row.Heads, "|"))
		for k := range row.Cells {
			if d := cmp.Diff(table.Rows[k].Cells[i], row.Cells[k]); d != "" {
				t.Errorf("row %d, column %d: %s", i, k, d)
			}
		}
	}
	assert.Check(t, is.DeepEqual(heads, []string{"BALIA|Reno", "BALIA|BBR_v1", "LIA|Reno", "plain|"}))
	var b bytes.Buffer
	err := turned.WriteCSV(&b)
	assert.Check(t, err == nil && strings.HasPrefix(b.String(), "scenario,variant,protocol delay/av (ms) mean,"), "CSV %.80q, %v", b.String(), err)
	got := columnOf([]string{"bytes", "", "bytes"})
	assert.Check(t, got == (Column{Name: "bytes"}), "%+v", got)
	got = columnOf([]string{"goodput", "", "Mbit/s"})
	assert.Check(t, got == (Column{Name: "goodput (Mbit/s)"}), "%+v", got)
}

// TestTextFitsTheTerminal: no line is wider than it, every number is there once, and
// columns below one heading stay together where they fit.
func TestTextFitsTheTerminal(t *testing.T) {
	_, r, rows := study(t)
	table := MetricTable(r, rows)
	for _, c := range []struct{ width, panels int }{{0, 1}, {98, 1}, {97, 2}, {68, 2}, {67, 4}} {
		var b bytes.Buffer
		assert.NilError(t, table.WriteText(&b, func(s string) string { return s }, c.width))
		text := b.String()
		if n := strings.Count(text, "metric "); n != c.panels {
			t.Errorf("%d columns: %d panels, want %d\n%s", c.width, n, c.panels, text)
		}
		for line := range strings.Lines(text) {
			n := runes(strings.TrimRight(line, "\n"))
			assert.Check(t, c.width == 0 || n <= c.width, "%d columns: a line of %d: %s", c.width, n, line)
		}
		for _, want := range []string{"43.50 ± 2.45", "63.50 ± 2.45", "127.0 ± 4.9"} {
			assert.Check(t, strings.Count(text, want) == strings.Count(plain(t, table), want), "%d columns: %s is lost", c.width, want)
		}
		assert.Check(t, is.Equal(strings.Contains(text, "Reno         BBR_v1"), c.width != 67), "%d columns: BALIA's two stand together\n%s", c.width, text)
	}
}

func plain(t *testing.T, table *Table) string {
	t.Helper()
	var b bytes.Buffer
	assert.NilError(t, table.WriteText(&b, func(s string) string { return s }, 0))
	return b.String()
}

// TestCaptions: the captions explain the sign ±, and how many runs there were.
func TestCaptions(t *testing.T) {
	for _, c := range []struct {
		a, b     int
		noSpread bool
		want     string
	}{
		{5, 5, false, "mean ± standard deviation of the sample over 5 runs; figures at the receiver"},
		{3, 5, false, "mean ± standard deviation of the sample over 3 to 5 runs; figures at the receiver"},
		{3, 3, true, "means over 3 runs; figures at the receiver"},
		{1, 1, false, "values of single runs; figures at the receiver"},
	} {
		s := campaignOf(t, []string{"a", "b"}, map[string][]session{"a": spread(c.a, 10), "b": spread(c.b, 50)})
		l := s.Rows([]string{delayFigure})
		l.Style.NoSpread = c.noSpread
		table := MetricTable(result(s, l.Figures), l)
		assert.Check(t, table.Caption == c.want, "%q, want %q", table.Caption, c.want)
		for float, want := range map[string]string{NoFloat: "{\\footnotesize " + EscapeLaTeX(c.want), "sidewaystable": "\\caption{" + EscapeLaTeX(c.want)} {
			text := latexOf(t, table, LaTeX{Float: float})
			assert.Check(t, strings.Contains(text, want), "%q has no %s:\n%s", float, want, text)
		}
	}
}
