package live_test

import (
	"strings"
	"testing"

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
		Start: report.Time(10e9), Seconds: 2, Opened: 3, Ended: 1, Open: 2, Late: 1,
		Amounts: live.Amounts{Payload: 5000, Throughput: new(0.02)},
		Shown: report.List[live.Connection]{{
			Subflows: report.List[live.Subflow]{
				{Path: `L"TE`, A2B: dir(0, 0, nil, nil), B2A: dir(3000, 3, new(int64(1)), new(20.0))},
				{Path: `L"TE`, A2B: dir(0, 0, new(int64(0)), nil), B2A: dir(1000, 1, new(int64(2)), new(30.0))},
			},
			Standing: report.List[live.VerdictOf]{{Code: "path_died", Severity: "critical"}, {Code: "path_died", Severity: "critical"}},
		}},
	}
	var x live.Exposition
	x.Add(&interval)
	interval.Start = report.Time(12e9)
	x.Add(&interval)
	var b strings.Builder
	assert.NilError(t, x.Write(&b))
	text := b.String()
	for _, want := range []string{
		"mpanalyze_interval_end_timestamp_seconds 14\n", // 12 s and 2 s
		"# TYPE mpanalyze_connections_opened_total counter\nmpanalyze_connections_opened_total 6\n",
		"mpanalyze_connections_ended_total 2\n", "mpanalyze_connections_open 2\n", "mpanalyze_payload_bytes_total 10000\n", "mpanalyze_late_packets_total 2\n",
		`mpanalyze_path_throughput_bytes_per_second{path="L\"TE",direction="b2a"} 2000` + "\n", // 4000 bytes in 2 s
		`mpanalyze_path_segments{path="L\"TE",direction="b2a"} 4` + "\n",
		`mpanalyze_path_retransmitted_segments{path="L\"TE",direction="b2a"} 2` + "\n",
		`mpanalyze_path_lost_segments{path="L\"TE",direction="b2a"} 3` + "\n",
		`mpanalyze_path_srtt_min_seconds{path="L\"TE",direction="b2a"} 0.02` + "\n",
		`mpanalyze_path_srtt_max_seconds{path="L\"TE",direction="b2a"} 0.03` + "\n",
		`mpanalyze_verdicts{code="path_died",severity="critical"} 2` + "\n",
	} {
		assert.Check(t, strings.Contains(text, want), "%q is missing", want)
	}
	for _, absent := range []string{`lost_segments{path="L\"TE",direction="a2b"}`, `srtt_min_seconds{path="L\"TE",direction="a2b"}`} {
		assert.Check(t, !strings.Contains(text, absent), "%s has a value although it is not known", absent)
	}
	for line := range strings.Lines(text) {
		if name, _, _ := strings.Cut(line, " "); !strings.HasPrefix(line, "# ") && !strings.Contains(text, "# TYPE "+strings.TrimSpace(strings.Split(name, "{")[0])+" ") {
			t.Errorf("no type before %q", line)
		}
	}
}
