package page_test

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"gotest.tools/v3/assert"

	"mpanalyze/internal/campaign"
	"mpanalyze/internal/page"
)

// campaignPage returns the page on a campaign.
func campaignPage(t *testing.T, r *campaign.Result) string {
	t.Helper()
	var b strings.Builder
	assert.NilError(t, page.WriteCampaign(&b, r))
	return b.String()
}

// comparison is two scenarios, the second of a hostile name, with means of 10
// and 30 in runs from 10 to 50.
func comparison(t *testing.T) string {
	t.Helper()
	sum := func(name string, mean, least, most float64) campaign.Summary {
		return campaign.Summary{Name: name, Runs: 3, Metrics: map[string]campaign.Aggregate{
			"a2b.goodput_mbps.avg": {Mean: mean, Median: mean, Min: least, Max: most, CI95: &[2]float64{least, most}, Runs: 3},
		}}
	}
	r := &campaign.Result{
		Scenarios: []campaign.Summary{sum("lia", 10, 10, 10), sum(hostile, 30, 20, 50)},
		Comparisons: []campaign.Comparison{{
			Metric: "a2b.goodput_mbps.avg", Better: "higher", Winner: hostile,
			Pairs: []campaign.Pair{{A: "lia", B: hostile, Verdict: hostile}},
		}},
		Runs:     []campaign.RunResult{{Scenario: hostile, Run: hostile, Files: []string{hostile}}},
		Skipped:  []campaign.Skip{{Scenario: hostile, Reason: hostile}},
		Warnings: []string{hostile},
		Aggregation: []campaign.Aggregation{{
			Scenario: hostile, Goodput: 12, Alone: []campaign.Alone{{Path: hostile, Goodput: 8}, {Path: "LTE", Goodput: 6}},
			Benefit: new(0.5), BenefitCI: &[2]float64{0.25, 0.75}, Verdict: "~",
		}},
	}
	return campaignPage(t, r)
}

// TestCampaign: the tables have the mean with its interval, and what each path does alone.
func TestCampaign(t *testing.T) {
	text := comparison(t)
	onlyOurs(t, text)
	holds(t, text, `<th scope="row">a2b.goodput_mbps.avg</th>`, `data-v="30"><strong>30</strong>`, "LTE alone</th>", "<td>0.25 to 0.75</td><td>noise</td>")
}

// spreadDrawn: the axis goes from 10 at 10 to 50 at 390, so 30 stands in the middle, at 200, and its interval from 20 on at 105.
// Each scenario has a row of 34, with its values 23 below the top.
func spreadDrawn(b *browser) {
	b.check("means", `[...document.querySelectorAll("svg.bars circle")].map(c => [c.getAttribute("cx"), c.getAttribute("cy")]).join()`, "10,23,200,57")
	b.check("the interval", `(() => { const l = document.querySelectorAll('svg.bars line[stroke-width="5"]')[1]; return l.getAttribute("x1") + "," + l.getAttribute("x2"); })()`, "105,390")
	b.check("the axis", `[...document.querySelectorAll('svg.bars text[font-size="10"]')].map(e => e.textContent).join()`, "10,50")
}

// campaignSorted: the table of a campaign is sorted as the other tables are.
func campaignSorted(t *testing.T, b *browser) {
	first := `document.querySelector("#figures ~ .wide tbody th").textContent`
	b.click("#figures ~ .wide th:nth-child(3) button")
	b.click("#figures ~ .wide th:nth-child(3) button")
	got := b.eval(first)
	assert.Check(t, strings.HasPrefix(got, "</script>"), "first after sorting by mean, downwards: %q, want the one of 30", got)
	b.check("title", `document.title`, "Comparison of 2 scenarios")
	spreadDrawn(b)
}

// manyScenarios is a comparison of n scenarios in three figures, with main effects. Their names begin with the prefix.
func manyScenarios(t *testing.T, n int, prefix string) string {
	t.Helper()
	metrics := []string{"b2a.protocol_delay_ms.avg", "b2a.10.1.1.1-10.9.9.9.srtt_ms.max", "b2a.throughput_mbps.avg"}
	r := &campaign.Result{Effects: []campaign.Effect{{
		Metric: metrics[0], Factor: "scheduler", Over: []string{"lia", "olia"}, LeftOut: []string{"balia"},
		Levels: []campaign.Level{{Value: "minrtt", Median: 31, CI95: &[2]float64{30, 32}}, {Value: "rr", Median: 1046}},
	}}}
	for _, m := range metrics {
		r.Comparisons = append(r.Comparisons, campaign.Comparison{Metric: m, Better: "lower"})
	}
	for i := range n {
		s := campaign.Summary{Name: fmt.Sprintf("%sminrtt/scenario%d", prefix, i), Runs: 5, Metrics: map[string]campaign.Aggregate{}}
		for k, m := range metrics {
			v := 1234.5 * float64(i+k+1)
			s.Metrics[m] = campaign.Aggregate{Mean: v, SampleStddev: new(0.0123), Median: v, Min: v, Max: v, CI95: &[2]float64{v, v}, Runs: 5}
			for _, other := range r.Scenarios {
				r.Comparisons[k].Pairs = append(r.Comparisons[k].Pairs, campaign.Pair{A: other.Name, B: s.Name, Verdict: "~"})
			}
		}
		r.Scenarios = append(r.Scenarios, s)
	}
	return campaignPage(t, r)
}

// TestEffectsOnPage: medians and intervals of a factor, and what they are over.
func TestEffectsOnPage(t *testing.T) {
	holds(t, manyScenarios(t, 2, ""),
		"Main effects of scheduler</h2>", `<th scope="col" class="n">minrtt</th><th scope="col" class="n">rr</th>`,
		`data-v="31">31 <span class="dev">30 to 32</span></td>`, `data-v="1046">1046</td>`, "<td>lia, olia; without balia</td>",
	)
}

// campaignFits returns a check that nothing is cut off, in windows of any width and for any number
// of scenarios: tables are folded where they have too little room.
func campaignFits(scenarios int) func(*testing.T, *browser) {
	return func(_ *testing.T, b *browser) {
		b.eval(`for (const d of document.querySelectorAll("details")) d.open = true`)
		for _, width := range []int{1100, 800, 400} {
			b.narrow(width)
			b.check(fmt.Sprintf("cut off at %d px", width), `[...document.querySelectorAll(".wide, svg, body")].filter(e => e.scrollWidth > e.clientWidth + 1 && e.clientWidth > 0 ||
				e.getBoundingClientRect().right > innerWidth + 1).map(e => e.getAttribute("aria-label") || e.tagName).join()`, "")
		}
		folded := `String(document.querySelector("table.key").classList.contains("folds"))`
		b.check("folded", folded, "true")
		b.check("values have names", `document.querySelector("table.key td").dataset.l`, "minrtt/scenario0")
		b.narrow(2000)
		b.check("folded in a wide window", folded, strconv.FormatBool(scenarios > 4))
	}
}
