package campaign

import (
	"slices"
	"strings"
	"testing"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	"mpanalyze/internal/report"
)

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
