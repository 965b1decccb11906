package metrics

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"gotest.tools/v3/assert"

	"mpanalyze/internal/catalogue"
)

// TestTableIsComplete: every row has all fields that a reader needs, with known words.
func TestTableIsComplete(t *testing.T) {
	kinds := []string{"", catalogue.Observed, catalogue.Echo, catalogue.Inferred, catalogue.Holes, catalogue.SendOrder, catalogue.Matched, catalogue.Reconstructed}
	seen := map[string]bool{}
	for _, m := range Table() {
		assert.Check(t, m.Name != "" && m.JSON != "" && m.Unit != "" && m.Definition != "" && m.Source != "" && len(m.Levels) != 0, "%+v: something is missing", m)
		for _, l := range m.Levels {
			if key := m.JSON + " " + string(l); seen[key] {
				t.Errorf("%s stands twice", key)
			} else {
				seen[key] = true
			}
		}
		if m.Better != catalogue.HigherIsBetter && m.Better != catalogue.LowerIsBetter && m.Better != catalogue.NeitherIsBetter {
			t.Errorf("%s: better %q", m.JSON, m.Better)
		}
		for _, k := range []string{m.Evidence.Sender, m.Evidence.Receiver, m.Evidence.Both} {
			assert.Check(t, slices.Contains(kinds, k), "%s: evidence %q", m.JSON, k)
		}
		assert.Check(t, m.Evidence.Both != "", "%s: two captures know less than one", m.JSON)
		if text := m.Definition; !strings.HasSuffix(text, ".") || m.Caveats != "" && !strings.HasSuffix(m.Caveats, ".") {
			t.Errorf("%s: an unfinished sentence", m.JSON)
		}
		for _, text := range []string{m.Definition, m.Formula, m.Caveats} {
			if strings.Contains(text, "econstructed") && m.Evidence.Both != catalogue.Reconstructed {
				t.Errorf("%s: reconstructed in words and not in its evidence", m.JSON)
			}
		}
		if m.Evidence.Both == catalogue.Reconstructed && !strings.Contains(m.Caveats, "reconstructed") {
			t.Errorf("%s: its caveats do not say that it is reconstructed", m.JSON)
		}
	}
}

// TestUnitsAgree: the name in reports ends in the unit, and in no other unit. A metric that
// can exceed 100 percent says what it is a percentage of. Counts and words need no ending.
func TestUnitsAgree(t *testing.T) {
	suffix := map[string]string{"ms": "_ms", "Mbit/s": "_mbps", "percent": "_percent"}
	without := []string{"1", catalogue.Composite, "bytes", "packets", "segments", "blocks", "events", "bits", "true or false", "name", "version"}
	for _, m := range Table() {
		want, bound := suffix[m.Unit]
		if !bound && !slices.Contains(without, m.Unit) {
			t.Errorf("%s has the new unit %q. Add it to suffix with the ending that names in reports have for it. If it holds a time and is no number per second (/s), Metric.DependsOnTimes has to know it", m.Name, m.Unit)
		}
		assert.Check(t, !bound || m.JSON == m.Name+want || m.JSON == m.Name+"_percent_of_data", "%s in %s is called %s in reports", m.Name, m.Unit, m.JSON)
		for unit, s := range suffix {
			assert.Check(t, !strings.HasSuffix(m.JSON, s) || m.Unit == unit, "%s is in %s", m.JSON, m.Unit)
		}
		if strings.Contains(m.JSON, "bytes") && m.Unit != "bytes" || strings.HasSuffix(m.JSON, "_segments") && m.Unit != "segments" && m.Unit != "packets" {
			t.Errorf("%s is in %s", m.JSON, m.Unit)
		}
		assert.Check(t, m.Unit != "1" && m.Unit != catalogue.Composite || m.JSON == m.Name, "%s has no unit and is called %s in reports", m.Name, m.JSON)
		assert.Check(t, m.JSON == m.Name || strings.HasPrefix(m.JSON, m.Name+"_"), "%s is called %s in reports", m.Name, m.JSON)
	}
}

// TestSeriesHaveRows: the table and the collector have the same series.
func TestSeriesHaveRows(t *testing.T) {
	var fromTable []string
	for _, m := range Table() {
		if m.Series {
			fromTable = append(fromTable, m.Name)
		}
	}
	names := SeriesNames()
	slices.Sort(names)
	if d := cmp.Diff(names, fromTable); d != "" {
		t.Error("-series +table:", d)
	}
}

// TestSourcesAreKnown: a source names studies of the list, RFC sections, or
// programs.
func TestSourcesAreKnown(t *testing.T) {
	study := regexp.MustCompile(`\b(?:[A-Z]{2,}\d\d|[A-Z][a-z]+E\d\d|MIX)\b`)
	var known []string
	for _, p := range catalogue.Papers {
		known = append(known, p.Short)
	}
	for _, m := range Table() {
		for _, name := range study.FindAllString(m.Source, -1) {
			assert.Check(t, slices.Contains(known, name), "%s: unknown study %s", m.JSON, name)
		}
	}
	for _, short := range known {
		if !slices.ContainsFunc(Table(), func(m catalogue.Metric) bool { return strings.Contains(m.Source, short) }) {
			t.Errorf("%s: no metric", short)
		}
	}
}

func TestLookup(t *testing.T) {
	for name, want := range map[string][]string{
		"srtt": {"srtt_ms"}, "srtt_ms": {"srtt_ms"}, "hol_queue": {"hol_queue_bytes", "hol_queue_segments"},
		"bytes": {"bytes", "bytes"}, "mss": {"mss"}, "": nil, "SRTT": nil,
	} {
		var got []string
		for _, m := range catalogue.Lookup(Table(), name) {
			got = append(got, m.JSON)
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("%q: %s", name, d)
		}
	}
}

// A reader of the papers has their symbols, and no Greek keyboard.
func TestFind(t *testing.T) {
	for name, want := range map[string][]string{
		"srtt": {"srtt_ms"}, "SRTT": {"srtt_ms"}, "hol_queue": {"hol_queue_bytes", "hol_queue_segments"},
		"τ_i": {"srtt_ms"}, "tau_i": {"srtt_ms"}, "Theta_i": {"waiting_time_ms"}, "T_i": {"path_delay_ms"}, "t_i": {"path_delay_ms"},
		"T̄": {"protocol_delay_ms"}, "T": {"protocol_delay_ms"}, "υ_av": {"protocol_delay_ms"}, "upsilon_max": {"protocol_delay_ms"},
		"ζ": {"hol_degree_ms"}, "zeta": {"hol_degree_ms"}, "T_over": {"protocol_delay_ms"}, "t-over": {"protocol_delay_ms"}, "upsilon": {"protocol_delay_ms"},
		"theta": {"waiting_time_ms"}, "tau": {"srtt_ms"}, "awndΔ": {"awnd_delta"}, "awnd_Δ": {"awnd_delta"}, "O3-DSN": {"dsn_offset_bytes"}, "holdegree": {"hol_degree_ms"}, "zeta_max": {"hol_degree_ms"}, "delta": {"drops"}, "d1": {"drops"},
		"o3-dsn": {"dsn_offset_bytes"}, "owin": {"in_flight_bytes"}, "DSR": {"dsr_mbps"}, "awnd": {"rwnd_bytes"},
		"RB2LOC": {"rb2loc"}, "hol_wait_clipped": {"hol_wait_ms"}, "drop_rate_per_s": {"drops"}, "handover": {"handovers"},
		"": nil, "xyzzy": nil, "(": nil, "_av": nil,
	} {
		var got []string
		for _, m := range catalogue.Find(Table(), name) {
			got = append(got, m.JSON)
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("%q: %s", name, d)
		}
	}
}

// TestResolve: another name resolves to a figure of the metric if it stands for one.
func TestResolve(t *testing.T) {
	for name, want := range map[string]string{
		"srtt": "srtt", "srtt_ms.max": "srtt_ms.max", "tau.max": "srtt.max", "tau_i": "srtt", "zeta": "hol_degree",
		"zeta_max": "hol_degree.max", "υ_av": "protocol_delay.avg", "T_over.p95": "protocol_delay.p95", "loss": "drops.percent",
		"drop_rate_per_s": "drops.per_s", "d1": "drops.per_s", "hol_wait_clipped": "hol_wait.clipped", "handover.count": "handovers.count", "cwnd": "cwnd_estimate",
	} {
		if got, err := catalogue.Resolve(Table(), name); err != nil || got != want {
			t.Errorf("%q: %q, %v, want %q", name, got, err, want)
		}
	}
	for _, name := range []string{"", "xyzzy", "b2a.srtt", "*"} {
		if got, err := catalogue.Resolve(Table(), name); err == nil {
			t.Errorf("%q: %q, want an error", name, got)
		}
	}
}

// TestOtherNamesAreResolved: every name that explain shows for a metric resolves to it.
func TestOtherNamesAreResolved(t *testing.T) {
	for _, m := range Table() {
		for _, other := range append(m.Symbols(), m.Also...) {
			got, err := catalogue.Resolve(Table(), other)
			if head, _, _ := strings.Cut(got, "."); err != nil || head != m.Name {
				t.Errorf("%s is called %s, too, which is %q, %v", m.Name, other, got, err)
			}
		}
		for other := range m.Figures {
			assert.Check(t, slices.Contains(append(m.Symbols(), m.Also...), other), "%s: %s stands for a figure and is none of its names", m.Name, other)
		}
	}
}
