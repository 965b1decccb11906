package live_test

import (
	"strings"
	"testing"

	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
	"gotest.tools/v3/assert"

	"mpanalyze/internal/live"
	"mpanalyze/internal/report"
)

// TestExposition adds two intervals of 2 s: counters add up, the rest is of the second one.
func TestExposition(t *testing.T) {
	dir := func(payload, segments int64, lost *int64, srtt *float64) live.SubDir {
		return live.SubDir{Payload: payload, Segments: segments, Retransmitted: 1, Lost: lost, SRTT: srtt}
	}
	interval := live.Interval{
		Schema: live.SchemaName, Start: report.Time(10e9), Seconds: 2, Opened: 3, Ended: 1, Open: 2, Late: 1,
		Amounts: live.Amounts{Payload: 5000, Throughput: new(0.02)},
		Shown: report.List[live.Connection]{{
			Subflows: report.List[live.Subflow]{
				{Path: `L"TE`, A2B: dir(0, 1, nil, nil), B2A: dir(3000, 3, new(int64(1)), new(20.0))},
				{Path: `L"TE`, A2B: dir(0, 0, new(int64(0)), nil), B2A: dir(1000, 1, new(int64(2)), new(30.0))},
			},
			Standing: report.List[live.VerdictOf]{{Code: "path_died", Severity: "critical"}, {Code: "path_died", Severity: "critical"}},
		}},
	}
	x := live.NewExposition("v7")
	x.Add(&interval)
	interval.Start = report.Time(12e9)
	x.Add(&interval)
	var b strings.Builder
	assert.NilError(t, x.Write(&b))
	text := b.String()
	parser := expfmt.NewTextParser(model.LegacyValidation)
	families, err := parser.TextToMetricFamilies(strings.NewReader(text))
	assert.NilError(t, err)
	assert.Check(t, len(families) == 16, "%d families", len(families))
	for _, want := range []string{
		"mpanalyze_interval_end_timestamp_seconds 14\n", // 12 s and 2 s
		"# TYPE mpanalyze_connections_opened_total counter\nmpanalyze_connections_opened_total 6\n",
		"mpanalyze_connections_ended_total 2\n", "mpanalyze_connections_open 2\n", "mpanalyze_payload_bytes_total 10000\n", "mpanalyze_late_packets_total 2\n",
		`mpanalyze_build_info{version="v7"} 1` + "\n",
		`mpanalyze_path_throughput_bytes_per_second{direction="b2a",path="L\"TE"} 2000` + "\n", // 4000 bytes in 2 s
		`mpanalyze_path_bytes_total{direction="b2a",path="L\"TE"} 8000` + "\n",                 // two intervals
		`mpanalyze_path_segments_total{direction="b2a",path="L\"TE"} 8` + "\n",
		`mpanalyze_path_retransmitted_segments_total{direction="b2a",path="L\"TE"} 4` + "\n",
		`mpanalyze_path_lost_segments_total{direction="b2a",path="L\"TE"} 6` + "\n",
		`mpanalyze_path_srtt_min_seconds{direction="b2a",path="L\"TE"} 0.02` + "\n",
		`mpanalyze_path_srtt_max_seconds{direction="b2a",path="L\"TE"} 0.03` + "\n",
		`mpanalyze_verdicts{code="path_died",severity="critical"} 2` + "\n",
	} {
		assert.Check(t, strings.Contains(text, want), "%q is missing", want)
	}
	assert.Check(t, !strings.Contains(text, `lost_segments_total{direction="a2b"`) && !strings.Contains(text, `srtt_min_seconds{direction="a2b"`), "what a subflow does not show has a value")
}

// TestExpositionBegins: before the first interval the counters stand at 0, and a path that the latest
// interval does not show keeps its counters.
func TestExpositionBegins(t *testing.T) {
	x := live.NewExposition("v7")
	var b strings.Builder
	assert.NilError(t, x.Write(&b))
	assert.Check(t, strings.Contains(b.String(), "mpanalyze_payload_bytes_total 0\n") && !strings.Contains(b.String(), "mpanalyze_interval"), b.String())
	x.Add(&live.Interval{Schema: live.SchemaName, Seconds: 1, Shown: report.List[live.Connection]{{Subflows: report.List[live.Subflow]{{Path: "lte", A2B: live.SubDir{Segments: 3, SRTT: new(5.0)}}}}}})
	x.Add(&live.Interval{Schema: live.SchemaName, Seconds: 1})
	b.Reset()
	assert.NilError(t, x.Write(&b))
	assert.Check(t, strings.Contains(b.String(), `mpanalyze_path_segments_total{direction="a2b",path="lte"} 3`) && !strings.Contains(b.String(), "srtt"), b.String())
}
