package campaign

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp/cmpopts"
	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	"mpanalyze/internal/report"
)

// seven is a study of seven scenarios of five runs each, whose delays do not overlap: those of
// scenario i are 10(i+1) to 10(i+1)+4 ms.
func seven(t *testing.T) *Set {
	runs := map[string][]session{}
	names := []string{"lia", "olia", "balia", "wvegas", "cubic", "reno", "bbr"}
	for i, n := range names {
		runs[n] = spread(5, float64(10*(i+1)))
	}
	return campaignOf(t, names, runs)
}

// TestAgainst: five runs of seven scenarios cannot be told apart in 21 pairs, because the
// smallest probability of 5 against 5 runs is 2/252, and 21 times that is 0.17. The 6 pairs with
// one of them can: 6 * 2/252 = 0.048.
func TestAgainst(t *testing.T) {
	s := seven(t)
	const figure = "b2a.protocol_delay_ms.avg"
	all := s.Compare([]string{figure})[0]
	assert.Check(t, len(all.Pairs) == 21 && all.RunsNeeded == 6 && all.Pairs[0].Verdict == CannotTell && all.Winner == "lia",
		"all pairs: %d, %d runs needed, %q, winner %q", len(all.Pairs), all.RunsNeeded, all.Pairs[0].Verdict, all.Winner)
	const way = "with 21 comparisons the smallest corrected p of a pair is 0.17; at least 6 runs a scenario are needed to show that a single pair differs; " +
		"--baseline lia compares only with lia, or any other scenario, in 6 comparisons, for which 5 runs a scenario do"
	said := strings.Join(s.Warnings(), "\n")
	assert.Check(t, strings.Contains(said, way), "the warning is %q", said)

	s.Against = "balia"
	got := s.Compare([]string{figure})[0]
	assert.Check(t, len(got.Pairs) == 6 && got.RunsNeeded == 5 && got.Winner == "" && got.Baseline == "balia",
		"with a baseline: %d pairs, %d runs needed, winner %q, baseline %q", len(got.Pairs), got.RunsNeeded, got.Winner, got.Baseline)
	for _, p := range got.Pairs {
		assert.Check(t, (p.A == "balia" || p.B == "balia") && math.Abs(*p.PCorrected-6*2.0/252) <= 1e-12, "%+v", p)
	}
	assert.Check(t, len(s.Warnings("hour")) == 0, "warnings with a baseline: %q", s.Warnings("hour"))
	r := result(s, []string{figure})
	r.Changes = s.Changes([]string{figure})
	table := MetricTable(r, s.Rows([]string{figure}))
	assert.Check(t, is.Equal(table.Notes[0], "protocol delay av: against balia better: lia, olia; worse: wvegas, cubic, reno, bbr"), "note")
	var best []string
	for i, c := range table.Rows[0].Cells {
		if c.Best {
			best = append(best, table.Columns[i].Name)
		}
	}
	assert.Check(t, slices.Equal(best, []string{"lia", "olia"}), "better than balia: %q", best)
	assert.Check(t, len(r.Changes) == 6 && r.Changes[0].Baseline == "balia" && *r.Changes[0].Effect == -1 && r.Changes[0].Verdict == "better",
		"%d changes, the first is %+v", len(r.Changes), r.Changes[0])
	for name, want := range map[string]string{"balia": "", "x": `no scenario is named "x"; scenarios are: lia, olia`} {
		s.Against = name
		err := s.CheckAgainst()
		assert.Check(t, (err == nil) == (want == "") && (err == nil || strings.Contains(err.Error(), want)), "%s: %v", name, err)
	}
}

// TestAgainstWithin: where scenarios are compared within a factor, a baseline is one of each
// group, and its tests are corrected for those of the group.
func TestAgainstWithin(t *testing.T) {
	s := crossed(4, map[string]float64{"minrtt/lia": 20, "minrtt/olia": 30, "ecf/lia": 40, "ecf/olia": 50}, "minrtt/lia", "minrtt/olia", "ecf/lia", "ecf/olia")
	s.Within, s.Against = "scheduler", "lia"
	assert.NilError(t, s.CheckAgainst())
	got := s.Changes([]string{"b2a.protocol_delay_ms.avg"})
	assert.Assert(t, len(got) == 2 && got[0].Baseline == "minrtt/lia" && got[1].Baseline == "ecf/lia", "%+v", got)
	for _, c := range got { // 4 against 4, one pair in each group
		assert.Check(t, math.Abs(*c.PCorrected-2.0/70) <= 1e-12, "%s: p %v", c.Scenario, c.PCorrected)
	}
}

// TestRowTests: the CSV and the LaTeX of a table have runs, probability and size of the effect of
// each row. Seven samples of five that do not overlap have the rank sums 5 (5i + 3), i from 0.
func TestRowTests(t *testing.T) {
	s := seven(t)
	const figure = "b2a.protocol_delay_ms.avg"
	h, n := 0.0, 35.0
	for i := range 7 {
		sum := 5 * float64(5*i+3)
		h += sum * sum / 5
	}
	h = 12/(n*(n+1))*h - 3*(n+1)
	table := MetricTable(result(s, []string{figure}), s.Rows([]string{figure}))
	var b bytes.Buffer
	assert.NilError(t, table.WriteCSV(&b))
	rows, err := csv.NewReader(&b).ReadAll()
	assert.NilError(t, err)
	last := rows[1][len(rows[1])-5:]
	assert.Check(t, is.DeepEqual(rows[0][len(rows[0])-5:], testParts), "columns")
	p, _ := strconv.ParseFloat(last[2], 64)
	effect, _ := strconv.ParseFloat(last[4], 64)
	// Six degrees of freedom: the tail is exp(-h/2) (1 + h/2 + (h/2)²/2).
	if want := math.Exp(-h/2) * (1 + h/2 + h*h/8); last[0] != "35" || last[1] != "kruskal-wallis" || last[3] != "epsilon_squared" ||
		math.Abs(p-want) > 1e-12 || math.Abs(effect-h/34) > 1e-12 {
		t.Errorf("%q, want H %v, p %v", last, h, want)
	}
	b.Reset()
	assert.NilError(t, table.WithTests().WriteLaTeX(&b, LaTeX{}))
	for _, want := range []string{" & n & p & effect \\\\", fmt.Sprintf(" & 35 & \\textless{} 0.001 & %.2f \\\\", h/34), "p: Kruskal-"} {
		assert.Check(t, strings.Contains(b.String(), want), "LaTeX has no %q:\n%s", want, b.String())
	}
	// Two scenarios: the smallest probability of 5 against 5, and Cliff's delta of values that are all smaller.
	two := campaignOf(t, []string{"a", "b"}, map[string][]session{"a": spread(5, 10), "b": spread(5, 50)})
	pair := MetricTable(result(two, []string{figure}), two.Rows([]string{figure})).Rows[0].Tests[0]
	assert.Check(t, is.DeepEqual(*pair, RowTest{mannWhitney, 10, 2.0 / 252, cliffsDelta, -1}, cmpopts.EquateApprox(0, 1e-12)))
	assert.Check(t, !strings.Contains(plain(t, table), "effect"), "the text has the tests, which nobody asked for")
	// Rows of the table of changes have the test against the baseline.
	s.Against = "lia"
	changes := ChangeTable(s.Changes([]string{figure}), s.Paper("fi23", report.B2A))
	x := changes.Rows[0].Tests[0]
	assert.Check(t, changes.Rows[0].Heads[1] == "protocol delay" && x.N == 10 && math.Abs(x.P-6*2.0/252) <= 1e-12 && x.Effect == 1, "%+v", x)
	caption := changes.WithTests().Caption
	assert.Check(t, strings.HasPrefix(caption, "p: Mann-Whitney"), "a table without caption has %q with its tests", caption)
	parts := changes.ByFirstHead()
	assert.Check(t, len(parts) == 6 && len(parts[0].Rows) == 1, "%d tables", len(parts))
}
