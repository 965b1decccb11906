package connlines_test

import (
	"bytes"
	"encoding/csv"
	"strings"
	"testing"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"
	"gotest.tools/v3/golden"

	"mpanalyze/internal/connlines"
	"mpanalyze/internal/report"
	"mpanalyze/internal/report/reporttest"
	"mpanalyze/internal/schemas"
)

func TestRows(t *testing.T) {
	var b bytes.Buffer
	assert.NilError(t, connlines.TSV(&b, reporttest.Everything()))
	golden.Assert(t, b.String(), "connections.golden")
}

// TestOneDirection: a direction that is null has dashes.
func TestOneDirection(t *testing.T) {
	var b bytes.Buffer
	doc := &report.Document{Connections: []report.Connection{{B2A: &report.ConnDir{Bytes: new(int64(7))}}}, TCP: []report.TCP{{A2B: &report.SubDir{BytesUnique: new(int64(8))}}}}
	assert.NilError(t, connlines.TSV(&b, doc))
	lines := strings.Split(b.String(), "\n")
	for i, want := range map[int]string{1: "\t0\t-\t7\t-\t-\t", 2: "\t-\t8\t-\t-\t-\t"} {
		assert.Check(t, strings.Contains(lines[i], want), "line %q lacks %q", lines[i], want)
	}
}

// TestForms: CSV and JSON have each figure by its meaning, and the verdicts; JSON is what its schema says.
func TestForms(t *testing.T) {
	port := func(n int) report.Endpoint { return report.Endpoint{Addr: "10.0.0.1", Port: n} }
	rate := func(mbps float64) *report.RateStat { return &report.RateStat{Avg: mbps} }
	verdicts := report.List[report.Verdict]{{Code: report.VerdictReset}, {Code: report.VerdictPathDied}, {Code: report.VerdictReset}}
	doc := &report.Document{
		Connections: report.List[report.Connection]{{
			ID: 2, Version: new(1), Vantage: report.VantageA, State: report.ConnClosed, Start: 3e9, DurationS: 4, TokenA: new("05"), TokenB: new("06"), Fallback: new("=no"),
			Subflows: []report.Subflow{{A: port(7), B: report.Endpoint{Addr: "::1", Port: 8}}, {}}, Verdicts: &verdicts,
			A2B: &report.ConnDir{Bytes: new(int64(9)), Goodput: rate(10), Throughput: rate(-1)}, B2A: &report.ConnDir{Bytes: new(int64(11)), Goodput: rate(12)},
		}},
		TCP: report.List[report.TCP]{{
			ID: 13, Vantage: report.VantageB, State: report.SubflowReset, Start: 14e9, DurationS: 15, A: port(16), B: port(17), Verdicts: verdicts[:1],
			A2B: &report.SubDir{Bytes: new(int64(-1)), BytesUnique: new(int64(18)), Throughput: rate(19)}, B2A: &report.SubDir{BytesUnique: new(int64(20)), Throughput: rate(21)},
		}},
	}
	var out bytes.Buffer
	assert.NilError(t, connlines.CSV(&out, doc))
	got, err := csv.NewReader(&out).ReadAll()
	assert.NilError(t, err)
	assert.Check(t, is.DeepEqual(got[1:], [][]string{
		{"mptcp", "2", "1", "a", "closed", "1970-01-01T00:00:03.000000000Z", "4", "10.0.0.1:7", "[::1]:8", "2", "9", "11", "10", "12", "05", "06", "'=no", "reset;path_died"},
		{"tcp", "13", "", "b", "reset", "1970-01-01T00:00:14.000000000Z", "15", "10.0.0.1:16", "10.0.0.1:17", "", "18", "20", "19", "21", "", "", "", "reset"},
	}))
	assert.NilError(t, connlines.JSON(&out, doc))
	schema := reporttest.Schema(t, schemas.Of("connections"))
	for line := range strings.Lines(out.String()) {
		assert.Check(t, schema.Validate(reporttest.JSON(t, []byte(line))))
	}
	assert.Check(t, strings.Contains(out.String(), `"a2b_bytes":9,"b2a_bytes":11,"a2b_mbps":10,"b2a_mbps":12,"token_a":"05"`) && strings.Contains(out.String(), `"verdicts":["reset","path_died"]}`), "%s", &out)
}
