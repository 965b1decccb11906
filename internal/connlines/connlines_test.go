package connlines_test

import (
	"bytes"
	"context"
	"encoding/csv"
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	"mpanalyze/internal/connlines"
	"mpanalyze/internal/engine"
	"mpanalyze/internal/metrics"
	"mpanalyze/internal/report"
	"mpanalyze/internal/report/reporttest"
	"mpanalyze/internal/schemas"
)

// linesOf returns what JSON writes of a report.
func linesOf(t *testing.T, s report.Source) (list []connlines.Line) {
	t.Helper()
	var out bytes.Buffer
	assert.NilError(t, connlines.JSON(&out, s))
	for line := range strings.Lines(out.String()) {
		var l connlines.Line
		assert.NilError(t, json.Unmarshal([]byte(line), &l))
		list = append(list, l)
	}
	return list
}

// sub returns a direction of a subflow that sent segments and lost some of them.
func sub(segments, again int64, d *report.Drops) *report.SubDir {
	return &report.SubDir{Segments: segments, RetransmittedSegments: again, RetransmittedBytes: 1000 * again, Drops: d}
}

// onPath returns the report on a connection whose subflows run over one path.
func onPath(subs ...*report.SubDir) *report.Document {
	c := report.Connection{
		A2B: &report.ConnDir{Bytes: new(int64(10)), Paths: report.List[report.PathShare]{{
			Path: "=lte", Bytes: new(int64(12)), FirstBytes: new(int64(10)), Percent: new(100.0), ReinjectedBytes: new(int64(2)),
		}}},
		B2A: &report.ConnDir{},
		Verdicts: &report.List[report.Verdict]{
			{Code: report.VerdictHeavyLoss, Severity: report.Critical, Subflow: new(0)}, {Code: report.VerdictHeavyLoss, Severity: report.Major, Subflow: new(1)}, {Code: report.VerdictAggregates, Severity: report.Fine},
		},
	}
	for i, s := range subs {
		c.Subflows = append(c.Subflows, report.Subflow{ID: i, A2B: s})
		c.A2B.Paths[0].Subflows = append(c.A2B.Paths[0].Subflows, i)
	}
	return &report.Document{Connections: report.List[report.Connection]{c}}
}

// TestDrops: the losses of a path are those of its subflows that sent data, of all segments sent.
func TestDrops(t *testing.T) {
	inferred := func(count, before, unresolved int64) *report.Drops {
		return &report.Drops{Count: count, BeforeCapture: &before, Unresolved: unresolved, Evidence: report.Inferred}
	}
	holes := func(count int64) *report.Drops { return &report.Drops{Count: count, Evidence: report.Holes} }
	silent := sub(0, 0, nil)
	silent.Unavailable.Set("drops", "it sent nothing")
	blind := sub(5, 0, nil)
	blind.Unavailable.Set("drops", "no SACK")
	for _, c := range []struct {
		name string
		subs []*report.SubDir
		want *connlines.Drops
		why  string
	}{
		// 3 + 1 lost of 90 + 100 sent and captured, and 10 lost before the capture: 4 of 200.
		{"at the sender", []*report.SubDir{sub(90, 3, inferred(3, 10, 1)), sub(100, 1, inferred(1, 0, 2))}, &connlines.Drops{Count: 4, Unresolved: 3, Percent: new(2.0), Evidence: report.Inferred}, ""},
		// 3 + 2 that did not arrive, 60 + 35 that did: 5 of 100.
		{"at the receiver", []*report.SubDir{sub(60, 0, holes(3)), sub(35, 0, holes(2))}, &connlines.Drops{Count: 5, Percent: new(5.0), Evidence: report.Holes}, ""},
		{"a silent subflow", []*report.SubDir{silent, sub(95, 0, holes(5))}, &connlines.Drops{Count: 5, Percent: new(5.0), Evidence: report.Holes}, ""},
		{"only a silent subflow", []*report.SubDir{silent}, nil, "it sent nothing"},
		{"a subflow without figure", []*report.SubDir{sub(95, 0, holes(5)), blind}, nil, "no SACK"},
		{"two kinds", []*report.SubDir{sub(95, 0, holes(5)), sub(90, 3, inferred(3, 10, 1))}, nil, "the losses of its subflows rest on different evidence; the report has each"},
	} {
		p := linesOf(t, onPath(c.subs...))[0].A2B.Paths[0]
		if diff := cmp.Diff(c.want, p.Drops); diff != "" || p.Unavailable["drops"] != c.why {
			t.Errorf("%s: %q, want %q, (-want +got)\n%s", c.name, p.Unavailable["drops"], c.why, diff)
		}
	}
}

// TestCSV: a row for each path of each direction; a direction without paths has one, too. A path
// whose name begins like a formula is none.
func TestCSV(t *testing.T) {
	d := onPath(sub(60, 4, &report.Drops{Count: 3, Evidence: report.Holes}), sub(35, 1, &report.Drops{Count: 2, Evidence: report.Holes}))
	plain := sub(5, 0, nil)
	plain.Unavailable.Set("bytes", "cut")
	plain.Unavailable.Set("bytes_unique", "cut off")
	plain.Unavailable.Set("drops", "no SACK")
	plain.Share, plain.ReinjectedBytes = new(100.0), new(int64(0))
	d.TCP = report.List[report.TCP]{{ID: 7, Path: "wifi", A2B: plain}}
	c := &d.Connections[0]
	c.B2A.Bytes, c.Version, c.Vantage, c.State, c.DurationS = new(int64(0)), new(1), report.VantageA, report.ConnClosed, 6
	var out bytes.Buffer
	assert.NilError(t, connlines.CSV(&out, d))
	got, err := csv.NewReader(&out).ReadAll()
	if err != nil || len(got) != 4 {
		t.Fatalf("%d rows, error %v", len(got), err)
	}
	const start = "1970-01-01T00:00:00.000000000Z"
	conn := func(rest ...string) []string {
		return append([]string{"mptcp", "0", "1", "a", "closed", start, "6", "heavy_loss;aggregates"}, rest...)
	}
	tcp := func(rest ...string) []string {
		return append([]string{"tcp", "7", "", "", "", start, "0", ""}, rest...)
	}
	want := [][]string{
		conn("a2b", "10", "'=lte", "2", "12", "100", "95", "5", "5000", "2", "5", "0", "5", "holes", ""),
		conn("b2a", "0", "", "", "", "", "", "", "", "", "", "", "", "", ""),
		tcp("a2b", "", "wifi", "1", "", "100", "5", "0", "0", "0", "", "", "", "", "data_bytes: cut off; bytes: cut; drops: no SACK"),
	}
	assert.Check(t, is.DeepEqual(got[1:], want))
}

// TestSessions: the lines of real sessions are what the schema says, and each null has its reason.
func TestSessions(t *testing.T) {
	schema := reporttest.Schema(t, schemas.Of("connections"))
	for _, name := range []string{"v1/f-handover/client.pcap.zst", "v1/k-short-bursts/client.pcap.zst", "v1/j-strip-synack/client.pcap.zst", "v1/j-plain-server/client.pcap.zst", "v0/abort/client.pcap.zst"} {
		o := engine.Options{Paths: []string{filepath.Join("../../testdata/sessions", name)}, Connection: engine.AllConnections, Interval: metrics.DefaultInterval}
		d, err := engine.Analyze(context.Background(), o)
		assert.NilError(t, err)
		var out bytes.Buffer
		assert.NilError(t, connlines.JSON(&out, d))
		for line := range strings.Lines(out.String()) {
			assert.Check(t, schema.Validate(reporttest.JSON(t, []byte(line))), "%s", name)
		}
		lines := linesOf(t, d)
		if len(lines) != len(d.Connections)+len(d.TCP) || len(lines) == 0 {
			t.Fatalf("%s: %d lines of %d connections", name, len(lines), len(d.Connections)+len(d.TCP))
		}
		for i := range lines {
			for _, dir := range []*connlines.Direction{lines[i].A2B, lines[i].B2A} {
				reasons(t, name, dir)
			}
		}
	}
}

// reasons checks that exactly the figures that are null have a reason.
func reasons(t *testing.T, name string, d *connlines.Direction) {
	t.Helper()
	check := func(why map[string]string, nulls map[string]bool) {
		t.Helper()
		for field, null := range nulls {
			if text, ok := why[field]; ok != null || null && text == "" {
				t.Errorf("%s: %s is null: %v, and the reason is %q", name, field, null, text)
			}
		}
	}
	check(d.Unavailable, map[string]bool{"bytes": d.Bytes == nil, "mbps": d.Mbps == nil})
	for _, p := range d.Paths {
		check(p.Unavailable, map[string]bool{
			"bytes": p.Bytes == nil, "share_percent": p.Share == nil, "reinjected_bytes": p.ReinjectedBytes == nil,
			"drops": p.Drops == nil, "drops.percent": p.Drops != nil && p.Drops.Percent == nil,
		})
	}
}

// TestLines: each figure of a line and of its directions is the one of that meaning.
func TestLines(t *testing.T) {
	port := func(n int) report.Endpoint { return report.Endpoint{Addr: "10.0.0.1", Port: n} }
	verdicts := report.List[report.Verdict]{{Code: report.VerdictReset, Severity: report.Minor, Direction: new(report.B2A), Subflow: new(1), Text: "-"}}
	rate := func(mbps float64) *report.RateStat { return &report.RateStat{Avg: mbps} }
	plain := func(n int64) *report.SubDir {
		return &report.SubDir{Bytes: new(n), BytesUnique: new(n + 1), Throughput: rate(float64(n + 2)), Share: new(float64(n + 3)), ReinjectedBytes: new(n + 4), Drops: &report.Drops{Evidence: report.Holes}}
	}
	got := linesOf(t, &report.Document{
		Connections: report.List[report.Connection]{{
			ID: 2, Version: new(1), Vantage: report.VantageA, State: report.ConnClosed, Start: 3e9, DurationS: 4, TokenA: new("0x5"), TokenB: new("0x6"), FallbackCode: new(report.FallbackSYN),
			Subflows: []report.Subflow{{A: port(7), B: port(8)}, {}}, Verdicts: &verdicts,
			A2B: &report.ConnDir{Bytes: new(int64(9)), Goodput: rate(10), Throughput: rate(-1)}, B2A: &report.ConnDir{Bytes: new(int64(11)), Goodput: rate(12)},
		}},
		TCP: report.List[report.TCP]{{
			ID: 13, Path: "wifi", Vantage: report.VantageB, State: report.SubflowReset, Start: 14e9, DurationS: 15, A: port(16), B: port(17), FallbackCode: new(report.FallbackSYNACK),
			Verdicts: verdicts, A2B: plain(20), B2A: plain(30),
		}},
	})
	short := []connlines.Verdict{{Code: report.VerdictReset, Severity: report.Minor, Direction: new(report.B2A), Subflow: new(1)}}
	carried := func(n int64) *connlines.Direction {
		paths := []connlines.Path{{Path: "wifi", Subflows: []int{0}, Bytes: new(n), Share: new(float64(n + 3)), ReinjectedBytes: new(n + 4), Drops: &connlines.Drops{Evidence: report.Holes}}}
		paths[0].Unavailable = map[string]string{"drops.percent": ""}
		return &connlines.Direction{Bytes: new(n + 1), Mbps: new(float64(n + 2)), Paths: paths}
	}
	want := []connlines.Line{{
		Schema: connlines.SchemaName, Kind: "mptcp", ID: 2, Version: new(1), Vantage: report.VantageA, State: "closed", Start: 3e9, DurationS: 4, A: new(port(7)), B: new(port(8)), Subflows: 2, TokenA: new("0x5"), TokenB: new("0x6"),
		FallbackCode: new(report.FallbackSYN), Verdicts: short, A2B: &connlines.Direction{Bytes: new(int64(9)), Mbps: new(10.0)}, B2A: &connlines.Direction{Bytes: new(int64(11)), Mbps: new(12.0)},
	}, {
		Schema: connlines.SchemaName, Kind: "tcp", ID: 13, Vantage: report.VantageB, State: "reset", Start: 14e9, DurationS: 15, A: new(port(16)), B: new(port(17)), Subflows: 1,
		FallbackCode: new(report.FallbackSYNACK), Verdicts: short, A2B: carried(20), B2A: carried(30),
	}}
	assert.Check(t, is.DeepEqual(got, want, cmpopts.EquateEmpty()))
}
