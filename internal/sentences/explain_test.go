package sentences

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"gotest.tools/v3/assert"

	"mpanalyze/internal/catalogue"
	"mpanalyze/internal/diagnose"
	"mpanalyze/internal/metrics"
	"mpanalyze/internal/report"
	"mpanalyze/internal/report/reporttest"
)

// TestEveryCodeIsExplained: each code of a verdict has its entry, and each entry
// says all that a reader needs.
func TestEveryCodeIsExplained(t *testing.T) {
	want := reporttest.Codes(t, "../report/verdict.go")
	var got []string
	for _, m := range Codes() {
		got = append(got, m.Name)
		if m.JSON != m.Name || m.Formula == "" || m.Source == "" || m.Remedy == "" || !strings.HasSuffix(m.Definition, ".") || !strings.HasPrefix(m.Caveats, "Severity: ") || !strings.HasSuffix(m.Caveats, ".") {
			t.Errorf("%+v: something is missing", m)
		}
		if found := catalogue.Lookup(metrics.Table(), m.Name); len(found) > 0 {
			t.Errorf("%s is a metric, too", m.Name)
		}
	}
	slices.Sort(want)
	slices.Sort(got)
	if d := cmp.Diff(want, got); d != "" || len(want) < 40 {
		t.Errorf("%d codes (-declared +explained):\n%s", len(want), d)
	}
}

// TestLimitsAreTheCodes: the limits in the texts are the limits in the code.
func TestLimitsAreTheCodes(t *testing.T) {
	for name, want := range map[string]string{
		"receive_window": ">= 2 %", "hol_blocked": ">= 25 %", "application_limited": ">= 25 %", "stalled": ">= 1 s", "heavy_loss": "drops.percent >= 3 %", "add_addr_not_joined": "200 ms",
	} {
		found := catalogue.Find(Codes(), name)
		assert.Check(t, len(found) == 1 && strings.Contains(found[0].Formula, want), "%s: %+v does not say %q", name, found, want)
	}
}

// TestStatesAreExplained: explain knows each state of time_account, and names the verdicts that explain it;
// there is no other one.
func TestStatesAreExplained(t *testing.T) {
	assert.Check(t, strings.Contains(Terms()[0].Formula, "\n- heavy_loss: recovery\n"), "%q", Terms()[0].Formula)
	rows := metrics.States()
	all := new(report.TimeAccount).States()
	assert.Check(t, len(rows) == len(all), "%d rows, %d states", len(rows), len(all))
	for _, s := range all {
		found := catalogue.Lookup(rows, s.Name)
		assert.Assert(t, len(found) == 1 && found[0].JSON == "time_account."+s.Name && found[0].Formula != "" && strings.HasSuffix(found[0].Definition, "."), "%s: %+v", s.Name, found)
		_, list, _ := strings.Cut(strings.TrimSuffix(found[0].Caveats, "."), ": ")
		for code, k := range diagnose.Kinds() {
			says := slices.Contains(strings.FieldsFunc(list, func(r rune) bool { return r != '_' && (r < 'a' || r > 'z') }), string(code))
			assert.Check(t, says == slices.Contains(k.States, s.Name), "state %s, verdict %s: %s", s.Name, code, found[0].Caveats)
		}
	}
}
