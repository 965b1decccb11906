package plaintext_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

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
				Subflows: []report.Subflow{{A: end(1, 4000), B: end(2, 80)}, {ID: 1}},
				Verdicts: &report.List[report.Verdict]{
					{
						Code: report.VerdictHoLBlocked, Severity: report.Major, Text: "data waited for \x1b[2Jone path", Direction: new(report.B2A), Subflow: new(1),
						Evidence: []report.Proof{
							{What: "delivery stops", Packet: new(int64(17)), TS: new(0.25), Subflow: new(1)},
							{What: "time", Value: new(61.5), Unit: new("percent")},
							{What: "times", Value: new(9.0), Unit: new("count")},
						},
					},
					{Code: report.VerdictAggregates, Severity: report.Fine, Text: "2 subflows carried the data"},
				},
			},
			{ID: 1, Version: new(1), Vantage: report.VantageUnknown, Subflows: []report.Subflow{{A: end(1, 4001), B: end(2, 80)}}},
		},
		TCP: []report.TCP{{
			ID: 0, A: end(1, 4002), B: end(2, 80), Vantage: report.VantageB, MPTCP: new(report.Requested),
			Verdicts: []report.Verdict{{
				Code: report.VerdictPeerPlain, Severity: report.Critical, Text: "b itself answered without. Possible: nothing else",
				Evidence: []report.Proof{{What: "SYN", Packet: new(int64(1)), TS: new(0.0)}},
			}},
		}},
	}
}

// The gravest comes first, whatever it is; what a terminal would act on is
// escaped.
func TestWhy(t *testing.T) {
	want := `tcp 0: plain TCP, 10.0.0.1:4002 to 10.0.0.2:80, 0.000 s, seen at b
  critical: peer_plain
    b itself answered without. Possible: nothing else
    - packet 1 at 0.000000 s: SYN

connection 0: MPTCP v1, 2 subflows, 10.0.0.1:4000 to 10.0.0.2:80, 1.50 s, seen at a
  warning: hol_blocked, b2a
    data waited for \x1b[2Jone path
    - packet 17 at 0.250000 s on subflow 1: delivery stops
    - 61.5 %: time
    - 9.00: times
  ok: aggregates
    2 subflows carried the data

connection 1: MPTCP v1, 1 subflow, 10.0.0.1:4001 to 10.0.0.2:80, 0.000 s, seen from an unknown place
  nothing that the capture shows stands in its way
`
	var out bytes.Buffer
	if err := plaintext.Why(&out, verdicts(), plaintext.Options{}); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, out.String()); diff != "" {
		t.Errorf("why (-want +got):\n%s", diff)
	}
}

func TestWhyLimits(t *testing.T) {
	d := verdicts()
	for range 60 {
		d.TCP = append(d.TCP, d.TCP[0])
	}
	for all, want := range map[bool]int{false: 30, true: 63} {
		var out bytes.Buffer
		if err := plaintext.Why(&out, d, plaintext.Options{All: all, Width: 60}); err != nil {
			t.Fatal(err)
		}
		if n := strings.Count(out.String(), "\n\n") + 1; n != want {
			t.Errorf("all %v: %d connections, want %d", all, n, want)
		}
		if left := strings.Contains(out.String(), "33 more connections"); left == all {
			t.Errorf("all %v: said to leave 33 out: %v", all, left)
		}
		for line := range strings.SplitSeq(out.String(), "\n") {
			if len(line) > 60 {
				t.Errorf("all %v: line of %d characters: %s", all, len(line), line)
			}
		}
	}
}

func TestWhyJSON(t *testing.T) {
	var out bytes.Buffer
	if err := plaintext.WhyJSON(&out, verdicts()); err != nil {
		t.Fatal(err)
	}
	var got struct {
		Connections, TCP []struct {
			ID       int
			Verdicts []struct {
				Code     string
				Evidence []struct{ Packet *int }
			}
		}
	}
	if err := json.Unmarshal(out.Bytes(), &got); err != nil {
		t.Fatal(err)
	}
	if len(got.Connections) != 2 || got.Connections[1].Verdicts == nil || len(got.TCP) != 1 ||
		got.TCP[0].Verdicts[0].Code != "peer_plain" || *got.Connections[0].Verdicts[0].Evidence[0].Packet != 17 {
		t.Errorf("got %+v", got)
	}
}

// A summary has one line on each connection, without the possibilities.
func TestSummaryVerdicts(t *testing.T) {
	var out bytes.Buffer
	if err := plaintext.Summary(&out, verdicts(), plaintext.Options{}); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"\n  why: hol_blocked, data waited for \\x1b[2Jone path (and 1 more verdict: mpanalyze why)\n",
		"\n  tcp 0 why: peer_plain, b itself answered without\n",
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in\n%s", want, out.String())
		}
	}
	if n := strings.Count(out.String(), "why: "); n != 2 {
		t.Errorf("%d lines with verdicts, want 2", n)
	}
}
