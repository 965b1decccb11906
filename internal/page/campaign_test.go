package page_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mpanalyze/internal/campaign"
	"mpanalyze/internal/page"
)

// comparison is two scenarios, the second of a hostile name, with means of 10
// and 30 in runs from 10 to 50.
func comparison(t *testing.T) []byte {
	t.Helper()
	sum := func(name string, mean, least, most float64) campaign.Summary {
		return campaign.Summary{Name: name, Runs: 3, Metrics: map[string]campaign.Aggregate{
			"a2b.goodput_mbps.avg": {Mean: mean, Median: mean, Min: least, Max: most, CI95: [2]float64{least, most}, Runs: 3},
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
	}
	var b bytes.Buffer
	if err := page.WriteCampaign(&b, r); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// TestCampaign: the axis goes from 10 at 200 to 50 at 705, so 30 stands in the
// middle, at 452.5.
func TestCampaign(t *testing.T) {
	text := comparison(t)
	onlyOurs(t, text)
	for _, want := range []string{`<circle cx="200" cy="12"`, `<circle cx="452.5" cy="36"`, `x1="326.25" x2="705"`, "lia: mean 10, from 10 to 10."} {
		if !bytes.Contains(text, []byte(want)) {
			t.Errorf("no %s", want)
		}
	}
}

func TestCampaignInBrowser(t *testing.T) {
	b := browse(t)
	file := filepath.Join(t.TempDir(), "campaign.html")
	if err := os.WriteFile(file, comparison(t), 0o600); err != nil {
		t.Fatal(err)
	}
	b.open(file)
	first := `document.querySelector("#figures ~ .wide tbody th").textContent`
	b.click("#figures ~ .wide th:nth-child(3) button")
	b.click("#figures ~ .wide th:nth-child(3) button")
	if got := b.eval(first); !strings.HasPrefix(got, "</script>") {
		t.Errorf("first after sorting by mean, downwards: %q, want the one of 30", got)
	}
	if got := b.eval(`document.title`); got != "Comparison of 2 scenarios" {
		t.Errorf("title %q", got)
	}
	b.eval(`document.querySelector("#figures").scrollIntoView()`)
	shots(t, b, "campaign")
	if len(b.errors) > 0 {
		t.Errorf("the console says %q", b.errors)
	}
}
