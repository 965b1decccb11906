package campaign

import (
	"math"
	"strings"
	"testing"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	"mpanalyze/internal/report"
)

// goodputs is a scenario whose runs have these goodputs, in Mbit/s.
func goodputs(name string, values ...float64) *Scenario {
	sc := &Scenario{Name: name}
	for _, v := range values {
		sc.Runs = append(sc.Runs, Member{Run: &Run{Names: []string{"b2a.goodput_mbps.avg"}, Values: []float64{v}}})
	}
	return sc
}

// TestAggregationBenefit: wifi alone carries 8 Mbit/s, LTE 6: Cmax is 8, the sum 14.
func TestAggregationBenefit(t *testing.T) {
	wifi, lte := goodputs("wifi", 7, 8, 9, 8), goodputs("LTE", 5, 6, 7, 6)
	for _, c := range []struct {
		name               string
		g                  *Scenario
		benefit, unclipped float64
		verdict            string
	}{
		{"in between", goodputs("x", 11, 12, 13, 12), 4.0 / 6, 4.0 / 6, "better"},
		{"all of both", goodputs("x", 14, 14, 14, 14), 1, 1, "better"},
		{"more than both", goodputs("x", 15, 15, 15, 15), 1, 7.0 / 6, "better"},
		{"as the best", goodputs("x", 8, 7, 9, 8), 0, 0, noise},
		{"less than the best", goodputs("x", 6, 6, 6, 6), -2.0 / 8, -2.0 / 6, "worse"},
		{"nothing", goodputs("x", 0, 0, 0, 0), -1, -8.0 / 6, "worse"},
		{"3 runs", goodputs("x", 12, 12, 12), 4.0 / 6, 4.0 / 6, "better"}, // 3 against 4: p = 2/C(7,3) = 0.057
	} {
		s := &Set{Scenarios: []*Scenario{c.g}, Single: []*Scenario{lte, wifi}}
		all, err := s.Aggregate(report.B2A)
		assert.Assert(t, err == nil && len(all) == 1, "%s: %v, %v", c.name, all, err)
		a := all[0]
		assert.Check(t, math.Abs(*a.Benefit-c.benefit) <= 1e-12 && math.Abs(*a.Unclipped-c.unclipped) <= 1e-12 && a.Best == "wifi",
			"%s: benefit %v, before it is cut %v, best %s", c.name, *a.Benefit, *a.Unclipped, a.Best)
		few := len(c.g.Runs) < 4
		if few {
			c.verdict = CannotTell
		}
		assert.Check(t, a.Verdict == c.verdict && (a.BenefitCI == nil) == few, "%s: %s, p %v, interval %v", c.name, a.Verdict, a.P, a.BenefitCI)
		// Means of resamples lie within 7 to 9 and 5 to 7 alone: the benefit of 12 within
		// (12-9)/7 and (12-7)/5.
		ci := a.BenefitCI
		assert.Check(t, c.name != "in between" || ci[0] < c.benefit && c.benefit < ci[1] && ci[0] > 2.0/7 && ci[1] <= 1, "interval %v", ci)
	}
}

// TestBenefitWithoutSpread: equal runs have an interval without width, at (9-8)/(8+3+1-8).
func TestBenefitWithoutSpread(t *testing.T) {
	s := &Set{Scenarios: []*Scenario{goodputs("x", 9, 9, 9, 9)}, Single: []*Scenario{goodputs("a", 8, 8, 8, 8), goodputs("b", 3, 3, 3, 3), goodputs("c", 1, 1, 1, 1)}}
	all, err := s.Aggregate(report.B2A)
	assert.Check(t, err == nil && *all[0].BenefitCI == [2]float64{0.25, 0.25} && *all[0].Benefit == 0.25, "%+v, %v", all, err)
	table := AggregationTable(all, Style{})
	var cells []string
	for _, c := range table.Rows[0].Cells {
		cells = append(cells, c.Text)
	}
	got := strings.Join(cells, " ")
	assert.Check(t, got == "9 8 3 1 0.250 0.250 0.250 better" && len(table.Columns) == len(cells), "row %q of %d columns", got, len(table.Columns))
}

// TestBenefitIsCorrectedForScenarios: two scenarios of 4 runs take 2 * 2/70 = 0.057.
func TestBenefitIsCorrectedForScenarios(t *testing.T) {
	x := []float64{12, 12.1, 12.2, 12.3}
	s := &Set{Scenarios: []*Scenario{goodputs("x", x...), goodputs("y", x...)}, Single: []*Scenario{goodputs("a", 8, 8, 8, 8), goodputs("b", 4, 4, 4, 4)}}
	all, err := s.Aggregate(report.B2A)
	assert.Check(t, err == nil && all[0].Verdict == CannotTell && math.Abs(*all[0].PCorrected-4.0/70) <= 1e-12 && all[0].BenefitCI != nil, "%+v, %v", all, err)
}

func TestSinglesThatAreNone(t *testing.T) {
	x := goodputs("x", 9)
	other := goodputs("wifi", 8)
	other.Runs[0].Paths = []string{"LTE"}
	empty := &Scenario{Name: "LTE"}
	for want, single := range map[string][]*Scenario{
		"name each path, at least two":       {goodputs("wifi", 8)},
		"--single LTE: no run has a goodput": {goodputs("wifi", 8), empty},
		"--single wifi: run  went over LTE":  {other, goodputs("LTE", 4)},
	} {
		s := &Set{Scenarios: []*Scenario{x}, Single: single}
		assert.Check(t, is.ErrorContains(errorOf(s.Aggregate(report.B2A)), want))
	}
	all, err := (&Set{Scenarios: []*Scenario{x}}).Aggregate(report.B2A)
	assert.Check(t, err == nil && len(all) == 0, "without runs alone: %v, %v", all, err)
	s := &Set{Scenarios: []*Scenario{x}, Single: []*Scenario{goodputs("a", 8), goodputs("b", 0)}}
	all, err = s.Aggregate(report.B2A)
	assert.Check(t, err == nil && all[0].Benefit == nil && all[0].Unclipped == nil, "a path that carried nothing: %+v, %v", all, err)
}

// TestExtractSingle takes the larger of Multipath and plain TCP. Of the latter 900 of 1000
// bytes at 10 Mbit/s are new: 9 Mbit/s.
func TestExtractSingle(t *testing.T) {
	tcp := func(n int64) report.TCP {
		c := report.TCP{ID: 3, Path: "LTE", Vantage: report.VantageA, A2B: &report.SubDir{}, B2A: &report.SubDir{Bytes: new(n), BytesUnique: new(n * 9 / 10)}}
		c.B2A.Throughput = &report.RateStat{Avg: 10}
		return c
	}
	doc := session{delay: 5, bytes: 800, paths: []leg{{label: "wifi", bytes: 800}}}.document()
	doc.TCP = report.List[report.TCP]{tcp(10), tcp(1000)}
	doc.MadeBy = &report.MadeBy{Version: "v7"}
	doc.Captures = report.List[report.Capture]{{SHA256: new("abc")}}
	r, err := ExtractSingle(doc, AnyConnection)
	assert.NilError(t, err)
	v, ok := r.Figure("b2a.goodput_mbps.avg")
	assert.Check(t, ok && v == 9 && r.Bulk == report.B2A && r.Paths[0] == "LTE" && r.Connection == 3, "plain TCP: %v, %v, %+v", v, ok, r)
	assert.Check(t, r.MadeBy == doc.MadeBy && len(r.Captures) == 1 && r.Captures[0] == "abc", "plain TCP: made by %+v of %q", r.MadeBy, r.Captures)
	doc.TCP = doc.TCP[:1]
	r, err = ExtractSingle(doc, AnyConnection)
	assert.Check(t, err == nil && r.Paths[0] == "wifi", "Multipath TCP of one path: %+v, %v", r, err)
	two := session{delay: 5, bytes: 800, paths: []leg{{label: "wifi", bytes: 400}, {label: "LTE", bytes: 400}}}.document()
	assert.Check(t, is.ErrorContains(errorOf(ExtractSingle(two, AnyConnection)), "its data went over wifi, LTE"), "two paths")
	assert.Check(t, errorOf(ExtractSingle(&report.Document{}, AnyConnection)) != nil, "figures of nothing")
}
