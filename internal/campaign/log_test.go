package campaign

import (
	"slices"
	"strings"
	"testing"

	"gotest.tools/v3/assert"

	"mpanalyze/internal/report"
)

func logsOf(runs map[string][]LogSubflow) *Set {
	s := &Set{}
	for _, name := range []string{"lia", "olia"} {
		s.Scenarios = append(s.Scenarios, &Scenario{Name: name, Runs: []Member{{Input{Scenario: name, Name: "1"}, OfLog(report.SideB, runs[name])}}})
	}
	return s
}

// Logs of ss rank by the bytes of all paths, with the segments and shares of the kernel. Two
// subflows of one path add up.
func TestRankLogs(t *testing.T) {
	s := logsOf(map[string][]LogSubflow{
		"lia":  {{Path: "LTE", Sent: 600, Segments: 60, Again: 1}, {Path: "wifi", Sent: 300, Segments: 30}, {Path: "LTE", Sent: 100, Segments: 10, Again: 2}},
		"olia": {{Path: "wifi", Sent: 2000, Segments: 200, Again: 1}, {Path: "LTE", Received: 5}},
	})
	assert.Check(t, s.OfLogs() && s.Bulk() == report.B2A, "logs %v, bulk %s", s.OfLogs(), s.Bulk())
	rank := Ranking{By: AllPathsSent, Direction: report.B2A, Kernel: true, MaxRetransmission: 2}
	got, err := s.Rank(rank)
	assert.NilError(t, err)
	// lia: 3 of 100 segments again, LTE 700 of 1000 bytes; olia: 1 of 200.
	if len(got) != 2 || got[0].Scenario != "olia" || got[0].Value != 2000 || *got[0].Retransmission != 0.5 || got[0].Shares["wifi"] != 100 || got[0].Shares["LTE"] != 0 ||
		got[0].Evidence != report.FromKernel || got[0].Rank != 1 {
		t.Errorf("first %+v", got[0])
	}
	assert.Check(t, got[1].Value == 1000 && *got[1].Retransmission == 3 && got[1].Shares["LTE"] == 70 && got[1].Shares["wifi"] == 30 && got[1].Rank == 0, "second %+v", got[1])
	table := RankTable(got, rank)
	assert.Check(t, slices.Equal(table.About, []string{"evidence"}) && table.Rows[0].About[0] == "kernel", "about %q, %v", table.About, table.Rows[0].About)
	assert.Check(t, slices.ContainsFunc(table.Notes, func(n string) bool { return strings.HasPrefix(n, "evidence: kernel") }), "notes %q", table.Notes)
	l := s.Paper("mix", report.B2A)
	assert.Check(t, slices.Equal(l.Figures, []string{"b2a." + AllPathsSent}), "rows %q", l.Figures)
	v, _ := s.Scenarios[0].Runs[0].Figure("b2a.LTE#2.kernel_bytes_sent")
	assert.Check(t, v == 100, "the second subflow of LTE: %v", v)
}

// A run without counters of the kernel does not rank beside logs, and is not left out in silence.
func TestRankLogsAndCaptures(t *testing.T) {
	s := logsOf(map[string][]LogSubflow{"lia": {{Path: "LTE", Sent: 600}}, "olia": {{Path: "LTE", Sent: 600}}})
	s.Scenarios[1].Runs[0].Run = &Run{Names: []string{"b2a.bytes"}, Values: []float64{5}}
	_, err := s.Rank(Ranking{By: AllPathsSent, Direction: report.B2A, Kernel: true, MaxRetransmission: -1})
	assert.Check(t, err != nil && strings.HasPrefix(err.Error(), "olia 1 has no figure"), "%v", err)
}

// Records beside a capture give the same sum, unless a path that carried data lacks its part.
func TestAllPathsOfRecords(t *testing.T) {
	v, ok := kernelRun(t).Figure("b2a." + AllPathsSent)
	assert.Check(t, ok && v == 5100, "%v, %v", v, ok)
	r := &Run{Names: []string{"b2a.LTE." + kernelSent}, Values: []float64{5}}
	r.addAllPaths(report.B2A, []string{"LTE", "wifi", ""})
	assert.Check(t, len(r.Names) == 1, "%q", r.Names)
	unit := unitOf("b2a." + AllPathsSent)
	assert.Check(t, unit == "bytes" && OfKernel(AllPathsSent), "unit %q", unit)
}
