package campaign

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"testing"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"
)

func TestNamesOfFigures(t *testing.T) {
	for figure, want := range map[string]Name{
		"b2a.protocol_delay_ms.avg":         {"b2a", "", "protocol_delay_ms.avg", "ms"},
		"b2a.LTE.srtt_ms.max":               {"b2a", "LTE", "srtt_ms.max", "ms"},
		"a2b.10.1.1.1-10.9.9.9.drops.per_s": {"a2b", "10.1.1.1-10.9.9.9", "drops.per_s", "seg/s"},
		"a2b.LTE#2.bytes":                   {"a2b", "LTE#2", "bytes", "bytes"},
		"b2a.bytes":                         {"b2a", "", "bytes", "bytes"},
		"b2a.wifi.bursts.bytes.avg":         {"b2a", "wifi", "bursts.bytes.avg", "bytes"}, // not the bytes of a path "wifi.bursts"
		"b2a.network.srtt_ms.avg":           {"b2a", "network", "srtt_ms.avg", "ms"},      // a path of a metric's name
		"b2a.throughput_mbps.variance":      {"b2a", "", "throughput_mbps.variance", "(Mbit/s)²"},
		"b2a.wifi.rtt_ms.cov":               {"b2a", "wifi", "rtt_ms.cov", ""},
		"b2a.out_of_order.extent_ms.p95":    {"b2a", "", "out_of_order.extent_ms.p95", "ms"},
		"b2a.out_of_order.extent_bytes.max": {"b2a", "", "out_of_order.extent_bytes.max", "bytes"},
		"b2a.out_of_order.ratio":            {"b2a", "", "out_of_order.ratio", ""},
		"b2a.dsn_offset_bytes.peak":         {"b2a", "", "dsn_offset_bytes.peak", "bytes"},
		"b2a.wifi.drops.percent":            {"b2a", "wifi", "drops.percent", "percent"},
		"b2a.aggregation_benefit":           {"b2a", "", "aggregation_benefit", ""},
		"b2a.streaming.late_percent":        {"b2a", "", "streaming.late_percent", "percent"},
		"b2a.protocol_delay_ms.samples":     {"b2a", "", "protocol_delay_ms.samples", ""},
		"b2a.of nobody":                     {"b2a", "", "of nobody", ""},
	} {
		assert.Check(t, is.DeepEqual(NameOf(figure), want), "%s", figure)
	}
}

// TestValuesOfRuns reads the tidy table back: it has every figure of every run once, and a
// maximum of the HoL degree below 0 as 0.
func TestValuesOfRuns(t *testing.T) {
	runs := spread(2, 9) // zeta_max is -1 and 0 ms
	s := campaignOf(t, []string{"minrtt/lia", "old"}, map[string][]session{"minrtt/lia": runs, "old": spread(1, 30)})
	s.Baseline, s.Scenarios = s.Scenarios[1:], s.Scenarios[:1]
	s.Baseline[0].Runs[0].Baseline = true
	for i := range s.Scenarios[0].Runs {
		s.Scenarios[0].Runs[i].Factors = []Factor{{"scheduler", "minrtt"}, {"run", "lia"}}
	}
	var b bytes.Buffer
	assert.NilError(t, s.WriteValues(&b))
	lines, err := csv.NewReader(&b).ReadAll()
	assert.NilError(t, err)
	want := []string{"scenario", "scheduler", "run_2", "hour", "run", "direction", "path", "metric", "unit", "value", "role", "end"}
	assert.Check(t, is.DeepEqual(lines[0], want), "columns")
	figures := 0
	for _, m := range s.Members() {
		figures += len(m.Names)
	}
	assert.Check(t, len(lines)-1 == figures, "%d lines of %d figures", len(lines)-1, figures)
	for _, want := range []string{
		"minrtt/lia,minrtt,lia,0,1,b2a,,protocol_delay_ms.avg,ms,9,scenario,receiver",
		"minrtt/lia,minrtt,lia,1,2,b2a,,protocol_delay_ms.avg,ms,10,scenario,receiver",
		"minrtt/lia,minrtt,lia,0,1,b2a,,hol_degree_ms.max,ms,0,scenario,receiver",
		"minrtt/lia,minrtt,lia,0,1,b2a,,hol_degree_ms.avg,ms,-0.5,scenario,receiver",
		"minrtt/lia,minrtt,lia,1,2,b2a,LTE,srtt_ms.max,ms,20,scenario,receiver",
		"old,,,0,1,b2a,wifi,bytes,bytes,800,baseline,receiver",
	} {
		assert.Check(t, slices.ContainsFunc(lines, func(l []string) bool { return strings.Join(l, ",") == want }), "no line %s", want)
	}
	// The JSON has the same.
	var out bytes.Buffer
	var result Result
	result.ListRuns(s)
	assert.NilError(t, result.WriteJSON(&out))
	var back Result
	assert.NilError(t, json.Unmarshal(out.Bytes(), &back))
	if m := back.Runs[0].Metrics; len(back.Runs) != 3 || m["b2a.protocol_delay_ms.avg"] != 9 || m["b2a.hol_degree_ms.max"] != 0 || len(m) != len(s.Scenarios[0].Runs[0].Names) {
		t.Errorf("%d runs; %d figures of the first, delay %v", len(back.Runs), len(m), m["b2a.protocol_delay_ms.avg"])
	}
}

// TestClippedRunsAreSaid: zeta_max of -1, 0, 1 and 2 ms average (0+0+1+2)/4, and a note
// says so; without such a run there is none.
func TestClippedRunsAreSaid(t *testing.T) {
	for first, want := range map[float64]string{9: "HoL degree max: 2 of 4 runs count as 0", 30: ""} {
		s := campaignOf(t, []string{"a"}, map[string][]session{"a": spread(4, first)})
		l := s.Paper("fi23", "b2a")
		notes := strings.Join(l.Notes, "\n")
		assert.Check(t, strings.Contains(notes, want) && (notes == "") == (want == ""), "from %v: notes %q", first, notes)
		got := s.Scenarios[0].Summarize(nil).Metrics["b2a.hol_degree_ms.max"].Mean
		assert.Check(t, want == "" || got == 0.75, "mean %s", strconv.FormatFloat(got, 'g', -1, 64))
	}
}
