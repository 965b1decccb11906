package campaign

import (
	"bytes"
	"strings"
	"testing"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	"mpanalyze/internal/report"
)

// withCells returns a campaign of two scenarios, made with such an --interval.
func withCells(t *testing.T, a, b string) *Set {
	t.Helper()
	s := campaignOf(t, []string{"a", "b"}, map[string][]session{"a": spread(3, 10), "b": spread(3, 50)})
	for i, interval := range []string{a, b} {
		for _, m := range s.Scenarios[i].Runs {
			m.MadeBy = &report.MadeBy{Options: report.Options{Interval: interval}}
		}
	}
	return s
}

// TestCells: variances, means of cells, extremes of rates and delays of cells have a cell; averages
// of rates and figures of samples have none.
func TestCells(t *testing.T) {
	for figure, want := range map[string][3]string{
		"b2a.throughput_mbps.variance":   {"100ms", "100ms", "100ms+1s"},
		"b2a.throughput_mbps.cell_mean":  {"100ms", "100ms", "100ms+1s"},
		"b2a.throughput_mbps.max":        {"100ms", "100ms", "100ms+1s"},
		"b2a.protocol_delay_ms.max":      {"100ms", "DATA_ACK", "100ms+1s"},
		"b2a.hol_degree_ms.avg":          {"100ms", "DATA_ACK", "100ms+1s"},
		"b2a.wifi.srtt_ms.cell_mean":     {"100ms", "DATA_ACK", "100ms+1s"},
		"b2a.wifi.srtt_ms.max":           {},
		"b2a.wifi.rtt_ms.variance":       {},
		"b2a.throughput_mbps.avg":        {},
		"b2a.wifi.drops.per_s":           {},
		"b2a.bytes":                      {},
		"b2a.out_of_order.extent_ms.max": {},
	} {
		for i, intervals := range [][2]string{{"100ms", "100ms"}, {"0s", "0s"}, {"1s", "100ms"}} {
			got := gridCell(figure, withCells(t, intervals[0], intervals[1]).all()...)
			assert.Check(t, is.Equal(got, want[i]), "%s with --interval %v", figure, intervals)
		}
	}
	assert.Check(t, is.Equal(gridCell("b2a.throughput_mbps.max", campaignOf(t, []string{"a"}, map[string][]session{"a": spread(1, 10)}).all()...), ""), "of a report that does not say it")
}

// TestCellsInEveryForm: each form of a table says on which cell a variance depends.
func TestCellsInEveryForm(t *testing.T) {
	s := withCells(t, "100ms", "1s")
	const words = "throughput cell_mean, throughput variance in cells of 100ms or 1s"
	l := s.Paper("qoe24", report.B2A)
	r := result(s, l.Figures)
	table := MetricTable(r, l)
	gains := GainTable(r, l, "")
	for name, got := range map[string]string{"metrics": table.Caption, "gains": gains.Caption, "transposed": table.Transpose().Caption, "effects": EffectTable(nil, "cc", l).Caption} {
		assert.Check(t, strings.HasSuffix(got, "; "+words), "%s: %q", name, got)
	}
	var md, csv bytes.Buffer
	assert.NilError(t, table.WriteMarkdown(&md))
	assert.NilError(t, table.WriteCSV(&csv))
	for form, has := range map[string]bool{
		"text":     strings.Contains(plain(t, table), words),
		"LaTeX":    strings.Contains(latexOf(t, table, LaTeX{}), EscapeLaTeX(words)),
		"Markdown": strings.Contains(md.String(), markdown(words)),
		"CSV":      strings.Contains(csv.String(), "\nthroughput,variance,(Mbit/s)²,b2a.throughput_mbps.variance,receiver,100ms+1s,"),
		"JSON":     r.Scenarios[0].Metrics["b2a.throughput_mbps.variance"].Cell == "100ms" && r.Scenarios[1].Metrics["b2a.throughput_mbps.variance"].Cell == "1s",
	} {
		assert.Check(t, has, "%s does not say %q", form, words)
	}
	by := Ranking{By: "throughput_mbps.max", Direction: report.B2A, MaxRetransmission: -1}
	ranked, err := s.Rank(by)
	assert.NilError(t, err)
	assert.Check(t, is.Contains(RankTable(ranked, by).Notes, "throughput_mbps.max in cells of 100ms or 1s"))
	s.Scenarios, s.Baseline = s.Scenarios[:1], s.Scenarios[1:]
	changes := s.Changes([]string{"b2a.throughput_mbps.variance"})
	assert.Check(t, is.Equal(ChangeTable(changes, s.Rows(nil)).Caption, "throughput variance in cells of 100ms or 1s"))
}

// TestSymbols: rows of FI23 have the symbols of the paper, and the caption says what these are.
func TestSymbols(t *testing.T) {
	s := withCells(t, "100ms", "100ms")
	l := s.Paper("fi23", report.B2A)
	l.Style.Symbols = true
	table := MetricTable(result(s, l.Figures), l)
	var heads []string
	for _, r := range table.Rows {
		heads = append(heads, strings.Join(r.Heads, " "))
	}
	want := "υ av ms|υ max ms|ζ av ms|ζ max ms|τ₁ av ms|τ₁ max ms|τ₂ av ms|τ₂ max ms|d₁  seg/s|d₂  seg/s|throughput av Mbit/s|throughput max Mbit/s"
	assert.Check(t, is.Equal(strings.Join(heads, "|"), want))
	const legend = "; υ: protocol delay, ζ: HoL degree, τ₁: SRTT wifi, τ₂: SRTT LTE, d₁: mean drop rate wifi, d₂: mean drop rate LTE"
	assert.Check(t, strings.HasSuffix(table.Caption, legend), "%s", table.Caption)
	assert.Check(t, is.Contains(latexOf(t, table, LaTeX{}), "\n$\\tau$$_1$ & av & ms & "))
}

// TestMedianRuns: of each scenario the run closest to its median is taken, the first of two.
func TestMedianRuns(t *testing.T) {
	s := campaignOf(t, []string{"odd", "even", "none"}, map[string][]session{"odd": {{delay: 30, bytes: 1}, {delay: 90, bytes: 1}, {delay: 40, bytes: 1}}, "even": spread(4, 10)})
	figure := s.FigureOf("protocol_delay", report.B2A)
	assert.Check(t, is.Equal(figure, "b2a.protocol_delay_ms.avg"))
	runs, said, err := s.MedianRuns(figure)
	assert.NilError(t, err)
	assert.Assert(t, len(runs) == 2 && runs[0].Name == "3" && runs[1].Name == "2", "%v", said)
	assert.Check(t, is.DeepEqual(said, []string{
		"odd: run 3 is drawn, the closest to the median of 3: protocol delay av 40 of 40 ms",
		"even: run 2 is drawn, the closest to the median of 4: protocol delay av 11 of 11.50 ms",
	}))
	_, _, err = s.MedianRuns("b2a.wifi.srtt_ms.max")
	assert.Error(t, err, "no run of odd has srtt wifi max")
	assert.Check(t, is.Equal(s.FigureOf("jitter", report.B2A), ""))
}
