package diagnose

import (
	"slices"
	"strings"
	"testing"

	"mpanalyze/internal/report"
)

// TestTwice: the three warnings that say that packets are in the file twice are verdicts on each
// connection that has verdicts; other warnings are not.
func TestTwice(t *testing.T) {
	file := "a.pcap"
	for code, want := range map[string]report.Severity{
		"copies_on_one_interface": report.Minor, "packets_repeated": report.Major, "captured_at_two_places": report.Major, "options_cut": "",
	} {
		d := &report.Document{
			Warnings:    report.List[report.Warning]{{Code: code, Message: "half of the packets", Count: 7, Packet: new(int64(3)), File: &file}},
			Connections: report.List[report.Connection]{{Verdicts: &report.List[report.Verdict]{{Code: report.VerdictAggregates, Severity: report.Fine}}}, {}},
			TCP:         report.List[report.TCP]{{MPTCP: new(report.Requested)}, {}},
		}
		Judge{}.Document(d)
		for i, all := range []report.List[report.Verdict]{*d.Connections[0].Verdicts, d.TCP[0].Verdicts} {
			at := slices.IndexFunc(all, func(v report.Verdict) bool { return v.Code == report.VerdictTwice })
			if (at >= 0) != (want != "") {
				t.Errorf("%s, list %d: %+v", code, i, all)
				continue
			}
			if at < 0 {
				continue
			}
			v := &all[at]
			if at != 0 || v.Severity != want || !strings.HasPrefix(parameter(v, "message").Text, "half of the packets") || parameter(v, "file").Text != "a.pcap" || *v.Evidence[0].Value != 7 || *v.Evidence[1].Packet != 3 {
				t.Errorf("%s, list %d: %+v", code, i, v)
			}
		}
		if d.Connections[1].Verdicts != nil || len(d.TCP[1].Verdicts) != 0 {
			t.Errorf("%s: a verdict where nothing was judged", code)
		}
	}
}
