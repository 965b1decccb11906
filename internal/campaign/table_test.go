package campaign

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"
	goldenfile "gotest.tools/v3/golden"

	"mpanalyze/internal/report"
)

// golden compares what write gives with a file of testdata.
func golden(t *testing.T, name string, write func(io.Writer) error) {
	t.Helper()
	var got bytes.Buffer
	assert.NilError(t, write(&got))
	file := filepath.Join("testdata", name+".golden")
	want, err := os.ReadFile(file)
	if goldenfile.FlagUpdate() && got.String() != string(want) {
		assert.NilError(t, os.WriteFile(file, got.Bytes(), 0o644))
		t.Errorf("%s was written anew", file)
		return
	}
	assert.NilError(t, err)
	assert.Check(t, is.DeepEqual(got.String(), string(want)), "%s", file)
}

func plainText(t *Table) func(io.Writer) error {
	return func(w io.Writer) error { return t.WriteText(w, func(s string) string { return s }, 0) }
}

// study has scenarios of two levels, out of order, and one without: the delays
// are 20..27, 40..47, 21..28 and 60..67 ms.
func study(t *testing.T) (*Set, *Result, *Layout) {
	s := campaignOf(t, []string{"BALIA/Reno", "LIA/Reno", "BALIA/BBR_v1", "plain"}, map[string][]session{
		"BALIA/Reno": spread(8, 20), "LIA/Reno": spread(8, 40), "BALIA/BBR_v1": spread(8, 21), "plain": spread(8, 60),
	})
	l := s.Paper("fi23", report.B2A)
	return s, result(s, l.Figures), l
}

func TestTables(t *testing.T) {
	s, r, rows := study(t)
	table := MetricTable(r, rows)
	golden(t, "fi23.txt", plainText(table))
	golden(t, "fi23.csv", table.WriteCSV)
	golden(t, "fi23.md", table.WriteMarkdown)
	golden(t, "fi23.tex", func(w io.Writer) error { return table.WriteLaTeX(w, LaTeX{}) })
	spreads := s.Paper("qoe24", report.B2A)
	golden(t, "qoe24.txt", plainText(MetricTable(result(s, spreads.Figures), spreads)))
	gains := GainTable(r, s.Rows([]string{"b2a.protocol_delay_ms.avg", "b2a.protocol_delay_ms.samples"}), "LIA/Reno")
	golden(t, "rec16.txt", plainText(gains))
	ranking := Ranking{By: "bytes", Direction: report.B2A, MaxRetransmission: -1}
	ranked, err := s.Rank(ranking)
	assert.NilError(t, err)
	golden(t, "mix.txt", plainText(RankTable(ranked, ranking)))
	if _, err := MatrixTable(ranked, ranking); err == nil {
		t.Error("a matrix of scenarios without a second name")
	}
	matrix, err := MatrixTable(ranked[:3], ranking)
	assert.NilError(t, err)
	golden(t, "matrix.txt", plainText(matrix))
	s.Baseline = []*Scenario{s.Scenarios[1]}
	golden(t, "changes.txt", plainText(ChangeTable(s.Changes([]string{"b2a.protocol_delay_ms.avg", "b2a.LTE.share_percent"}), s.Rows(nil))))
}

// TestLaTeXIsWellFormed: as many columns in every line as the tabular has, and
// no character left that TeX would take for its own.
func TestLaTeXIsWellFormed(t *testing.T) {
	nasty := `50%_of #1 & $x^{2}$ ~\input`
	table := &Table{
		Corner: []string{"metric"}, Columns: []Column{{"A", nasty}, {"A", "b"}, {"", "c"}}, Parts: []string{"x"},
		Rows:  []Row{{Heads: []string{nasty}, Cells: []Cell{{Text: "1 ± 2", Best: true}, {}, {Text: "-3"}}}},
		Notes: []string{"two\nlines"},
	}
	var b bytes.Buffer
	assert.NilError(t, table.WriteLaTeX(&b, LaTeX{}))
	begin := `\begin{tabular}{@{}lrrr@{}}`
	assert.Check(t, strings.Contains(b.String(), begin), "no %s", begin)
	for line := range strings.Lines(b.String()) {
		body, ok := strings.CutSuffix(strings.TrimSpace(line), ` \\`)
		if !ok {
			continue
		}
		columns := 1 + strings.Count(strings.ReplaceAll(body, `\&`, ""), "&")
		if strings.Contains(body, `\multicolumn{2}`) {
			columns++
		}
		assert.Check(t, columns == 4, "%d columns: %s", columns, line)
	}
	escaped := `50\%\_of \#1 \& \$x\textasciicircum{}\{2\}\$ \textasciitilde{}\textbackslash{}input`
	for _, want := range []string{escaped, `\textbf{1 $\pm$ 2}`, `\cmidrule(lr){2-3}`, "% two lines\n"} {
		assert.Check(t, strings.Contains(b.String(), want), "no %s in\n%s", want, b.String())
	}
}

func TestDigits(t *testing.T) {
	for v, want := range map[float64]string{0: "0", 12: "12", 1.23456: "1.235", 9.9999: "10.00", 67.2502: "67.25", 129.81: "129.8", 4567.8: "4568", -4.8758: "-4.876", -0.0001: "0.000", 1e6: "1000000"} {
		assert.Check(t, is.Equal(digits(v), want), "digits(%v)", v)
	}
}

func TestWildcard(t *testing.T) {
	for _, c := range []struct {
		pattern, text string
		want          bool
	}{
		{"b2a.*.srtt_ms.max", "b2a.LTE.srtt_ms.max", true},
		{"*", "", true},
		{"a*b*c", "axxbyyc", true},
		{"a*b*c", "axxc", false},
		{"a*a", "a", false},
		{"abc", "abc", true},
		{"abc", "abcd", false},
		{"*x", "xy", false},
	} {
		assert.Check(t, is.Equal(wildcard(c.pattern, c.text), c.want), "%q fits %q", c.text, c.pattern)
	}
}

func TestMatch(t *testing.T) {
	s, _, _ := study(t)
	for pattern, want := range map[string][]string{
		"protocol_delay":        {"b2a.protocol_delay_ms.avg"},
		"protocol_delay_ms.max": {"b2a.protocol_delay_ms.max"},
		"srtt.max":              {"b2a.LTE.srtt_ms.max", "b2a.wifi.srtt_ms.max"},
		"b2a.w*.srtt_ms.avg":    {"b2a.wifi.srtt_ms.avg"},
		"nothing":               nil,
		"T_over":                {"b2a.protocol_delay_ms.avg"},
		"upsilon_max":           {"b2a.protocol_delay_ms.max"},
		"tau.max":               {"b2a.LTE.srtt_ms.max", "b2a.wifi.srtt_ms.max"},
	} {
		assert.Check(t, is.DeepEqual(s.Match(pattern, report.B2A), want), "%s", pattern)
	}
}

// TestSharesOfTheTime: the metric stands for the shares of all states, a state behind it for its
// share; other statistics have their whole name.
func TestSharesOfTheTime(t *testing.T) {
	var names []string
	for _, f := range []string{"b2a.time_account", "b2a.wifi.time_account"} {
		names = append(names, f+".duration_ms", f+".path.ms", f+".path.percent", f+".slow_start.percent")
	}
	slices.Sort(names)
	s := &Set{Scenarios: []*Scenario{{Name: "a", Runs: []Member{{Run: &Run{Names: names, Values: make([]float64, len(names))}}}}}}
	for pattern, want := range map[string]string{
		"time_account":            "b2a.time_account.path.percent b2a.time_account.slow_start.percent b2a.wifi.time_account.path.percent b2a.wifi.time_account.slow_start.percent",
		"time_account.path":       "b2a.time_account.path.percent b2a.wifi.time_account.path.percent",
		"time_account.path.ms":    "b2a.time_account.path.ms b2a.wifi.time_account.path.ms",
		"time_account.slow_start": "b2a.time_account.slow_start.percent b2a.wifi.time_account.slow_start.percent",
		"time_account.window":     "",
	} {
		assert.Check(t, is.Equal(strings.Join(s.Match(pattern, report.B2A), " "), want), "%s", pattern)
	}
	l := s.Paper("time_account", report.B2A)
	rows := rowsOf(l)
	n := len(new(report.TimeAccount).States())
	assert.Check(t, len(rows) == n && rows[0] == "time|down|percent" && rows[n-1] == "time|undetermined|percent", "%d rows, want %d: %q", len(rows), n, rows)
	assert.Check(t, is.DeepEqual(heads("b2a.time_account.slow_start.percent"), []string{"time account", "slow start", "percent"}), "headings")
}
