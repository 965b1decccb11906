package plaintext

import (
	"testing"

	"mpanalyze/internal/report"
)

// TestNothingFound: for a capture without a TCP connection, the cause is printed that its counts
// show.
func TestNothingFound(t *testing.T) {
	for _, c := range []struct {
		captures []report.Capture
		left     int
		want     string
	}{
		{nil, 0, "No TCP connection found."},
		{[]report.Capture{{}}, 0, "No TCP connection found: the capture has no packet."},
		{[]report.Capture{{Packets: 3, Skipped: report.Skipped{Filtered: 3}}, {Packets: 2, Skipped: report.Skipped{Filtered: 2}}}, 0, "No TCP connection found: --filter leaves out all packets."},
		{[]report.Capture{{Packets: 3, Skipped: report.Skipped{NotIP: 1, NotTCP: 2}}}, 0, "No TCP connection found: no packet is TCP over IP; --decap looks into tunnels."},
		{[]report.Capture{{Packets: 3, Skipped: report.Skipped{Malformed: 3}}}, 0, "No TCP connection found."},
		{[]report.Capture{{Packets: 3}}, 1, "No MPTCP connection found; 1 plain TCP connection left out (--tcp none)."},
	} {
		if got := nothingFound(&report.Document{Captures: c.captures, LeftOutTCP: c.left}); got != c.want {
			t.Errorf("%+v: %q, want %q", c.captures, got, c.want)
		}
	}
	opened := report.Document{Captures: []report.Capture{{Packets: 1, Skipped: report.Skipped{NotTCP: 1}}}, MadeBy: &report.MadeBy{Options: report.Options{Decap: true}}}
	if got := nothingFound(&opened); got != "No TCP connection found: no packet is TCP over IP." {
		t.Errorf("tunnels were opened: %q", got)
	}
}
