package plaintext_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	"mpanalyze/internal/plaintext"
	"mpanalyze/internal/report"
)

// verdicts is a document with a healthy connection, a broken plain one, and
// one of which nothing is known.
func verdicts() *report.Document {
	end := func(host byte, port int) report.Endpoint {
		return report.Endpoint{Addr: fmt.Sprintf("10.0.0.%d", host), Port: port}
	}
	return &report.Document{
		Connections: []report.Connection{
			{
				ID: 0, Version: new(1), Vantage: report.VantageA, DurationS: 1.5,
				Subflows: []report.Subflow{{A: end(1, 4000), B: end(2, 80), Path: "10.0.0.1-10.0.0.2"}, {ID: 1, Path: "lte"}},
				A2B:      &report.ConnDir{TimeAccount: &report.TimeAccount{DurationMS: 1499, Path: report.StateTime{MS: 1499, Percent: 100}, SeenAt: report.SeenAtSender}},
				B2A: &report.ConnDir{TimeAccount: &report.TimeAccount{
					DurationMS: 1500, SeenAt: report.SeenAtReceiver, Path: report.StateTime{MS: 834, Percent: 55.6}, Down: report.StateTime{MS: 66, Percent: 4.4}, Undetermined: report.StateTime{MS: 600, Percent: 40},
				}},
				Verdicts: &report.List[report.Verdict]{
					{
						Code: report.VerdictHoLBlocked, Severity: report.Major, Certainty: report.Certain, Text: "data waited for \x1b[2Jone path", Direction: new(report.B2A), Subflow: new(1),
						Cost: new(50.0), CostS: new(0.75), Headline: "data \x1b[2Jwaited", Remedy: "Make \x1b[2Jit quicker.",
						Evidence: []report.Proof{
							{What: "delivery stops", Packet: new(int64(17)), TS: new(0.25), Subflow: new(1)},
							{What: "time", Value: new(61.5), Unit: new("percent")},
							{What: "times", Value: new(9.0), Unit: new("count")},
						},
					},
					{Code: report.VerdictAggregates, Severity: report.Fine, Certainty: report.Certain, Text: "2 subflows carried the data"},
				},
			},
			{ID: 1, Version: new(1), Vantage: report.VantageUnknown, Subflows: []report.Subflow{{A: end(1, 4001), B: end(2, 80)}}},
		},
		TCP: []report.TCP{{
			ID: 0, A: end(1, 4002), B: end(2, 80), Path: "wan", Vantage: report.VantageB, MPTCP: new(report.Requested),
			Verdicts: []report.Verdict{{
				Code: report.VerdictPeerPlain, Severity: report.Critical, Certainty: report.Certain, Text: "b itself answered without. Possible: nothing else", Remedy: "Let b speak it.",
				Evidence: []report.Proof{{What: "SYN", Packet: new(int64(1)), TS: new(0.0)}},
			}},
		}},
	}
}

// The most severe verdict comes first, then the order is by code, path and connection. Characters
// that a terminal would act on are escaped. The remedy is that of the report or, if the report
// has none, that of the code. A direction of 1.5 s or more opens with the states of 5 % or more of its
// time, the longest first.
func TestWhy(t *testing.T) {
	want := `2 MPTCP connections without data; 1 plain TCP connection; in 1.50 s
  critical: peer_plain on wan, 1 of 1 connection
      the worst, tcp 0: b itself answered without. Possible: nothing else
      to do: Let b speak it.
  warning: hol_blocked on lte, 1 of 1 connection: cost 0.750 s
      the worst, connection 0: data waited for \x1b[2Jone path
      to do: Make \x1b[2Jit quicker.
  ok: aggregates, 1 of 3 connections
      the worst, connection 0: 2 subflows carried the data
      to do: Nothing: the paths carry the data together.

tcp 0: plain TCP, 10.0.0.1:4002 to 10.0.0.2:80, 0.000 s, seen at b
  critical: peer_plain
    b itself answered without. Possible: nothing else
    - packet 1 at 0.000000 s: SYN
    to do: Let b speak it.

connection 0: MPTCP v1, 2 subflows, 10.0.0.1:4000 to 10.0.0.2:80, 1.50 s, seen at a
  b2a, 1.50 s: path 56% of the time; a capture at the sender tells of the other 40%
  warning: data \x1b[2Jwaited (hol_blocked, b2a)
    data waited for \x1b[2Jone path
    - packet 17 at 0.250000 s on subflow 1: delivery stops
    - 61.5 %: time
    - 9 times
    to do: Make \x1b[2Jit quicker.
  ok: aggregates
    2 subflows carried the data
    to do: Nothing: the paths carry the data together.

connection 1: MPTCP v1, 1 subflow, 10.0.0.1:4001 to 10.0.0.2:80, 0.000 s, seen from an unknown place
  no problem found in the capture
`
	got := why(t, verdicts(), plaintext.Options{})
	assert.Check(t, is.DeepEqual(got, want), "why")
}

func TestWhyLimits(t *testing.T) {
	d := verdicts()
	for range 60 {
		d.TCP = append(d.TCP, d.TCP[0])
	}
	for all, want := range map[bool]int{false: 1 + 5, true: 1 + 63} { // the first block, and one for each
		text := why(t, d, plaintext.Options{All: all, Width: 60})
		if n := strings.Count(text, "\n\n") + 1; n != want {
			t.Errorf("all %v: %d connections, want %d", all, n, want)
		}
		if left := strings.Contains(text, "58 more connections"); left == all {
			t.Errorf("all %v: said to leave 33 out: %v", all, left)
		}
		for line := range strings.SplitSeq(text, "\n") {
			assert.Check(t, len(line) <= 60, "all %v: line of %d characters: %s", all, len(line), line)
		}
	}
}

func TestWhyJSON(t *testing.T) {
	var out bytes.Buffer
	assert.NilError(t, plaintext.WhyJSON(&out, verdicts()))
	var got struct {
		Connections, TCP []struct {
			ID       int
			Verdicts []struct {
				Code     string
				Evidence []struct{ Packet *int }
			}
		}
	}
	assert.NilError(t, json.Unmarshal(out.Bytes(), &got))
	if len(got.Connections) != 2 || got.Connections[1].Verdicts == nil || len(got.TCP) != 1 ||
		got.TCP[0].Verdicts[0].Code != "peer_plain" || *got.Connections[0].Verdicts[0].Evidence[0].Packet != 17 {
		t.Errorf("got %+v", got)
	}
}

// A summary has one line on each connection: the headline, or the text of a report that has none.
func TestSummaryVerdicts(t *testing.T) {
	text := summary(t, verdicts(), plaintext.Options{})
	for _, want := range []string{
		"\n  why: hol_blocked, data \\x1b[2Jwaited (and 1 more verdict: mpanalyze why)\n",
		"\n  tcp 0 why: peer_plain, b itself answered without. Possible: nothing else\n",
	} {
		assert.Check(t, strings.Contains(text, want), "no %q in\n%s", want, text)
	}
	if n := strings.Count(text, "why: "); n != 2 {
		t.Errorf("%d lines with verdicts, want 2", n)
	}
}

// TestWhyAsked: the metrics that the user requested come after the verdicts, and are in the JSON.
func TestWhyAsked(t *testing.T) {
	doc := verdicts()
	doc.Connections[0].A2B, doc.Connections[0].B2A = &report.ConnDir{}, &report.ConnDir{}
	doc.Connections[0].B2A.Streaming = &report.Streaming{Bitrate: 4, Startup: 250, Stalls: 1, Stalled: 300, StalledPercent: 3, LongestStall: 300, LatePercent: 2}
	doc.Connections[0].B2A.SchedulerRegret = &report.SchedulerRegret{Chunks: 7, WorsePercent: 25}
	doc.Fairness = &report.Fairness{}
	text := why(t, doc, plaintext.Options{Width: 200})
	for _, want := range []string{
		"  b2a played at 4.00 Mbit/s: starts after 250 ms, 1 stall of 300 ms, 3.00 % of the time, the longest 300 ms; 2.00 % of the chunks late\n",
		"  b2a scheduler: 0.000 ms lost on average against the best paths (p95 0.000), 25.0 % of 7 chunks on a worse path\n",
		"\nfairness\n  no Multipath TCP and plain TCP of 100 kB or more",
	} {
		assert.Check(t, strings.Contains(text, want), "no %q in\n%s", want, text)
	}
	var out bytes.Buffer
	assert.NilError(t, plaintext.WhyJSON(&out, doc))
	var got struct {
		Connections []struct {
			Streaming map[string]struct{ Stalls int }
			Regret    map[string]struct{ Chunks int } `json:"scheduler_regret"`
		}
		Fairness *struct{}
	}
	assert.NilError(t, json.Unmarshal(out.Bytes(), &got))
	c := got.Connections
	if len(c) != 2 || c[0].Streaming["b2a"].Stalls != 1 || c[0].Regret["b2a"].Chunks != 7 || c[0].Streaming["a2b"].Stalls != 0 || c[1].Streaming != nil || got.Fairness == nil {
		t.Errorf("%+v", got)
	}
}
