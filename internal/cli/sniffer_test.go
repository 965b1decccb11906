package cli

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"gotest.tools/v3/assert"
)

// TestSnifferCommand: tcpdump comes first, then dumpcap; without both the message says
// what to do.
func TestSnifferCommand(t *testing.T) {
	for _, tt := range []struct {
		have, filter, user string
		want               []string
	}{
		{"tcpdump dumpcap", "tcp port 443", "", []string{"/bin/tcpdump", "-i", "eth0", "-s", "256", "-w", "-", "-n", "-U", "--immediate-mode", "tcp port 443"}},
		{"tcpdump", "", "", []string{"/bin/tcpdump", "-i", "eth0", "-s", "256", "-w", "-", "-n", "-U", "--immediate-mode", ""}},
		{"dumpcap", "tcp", "", []string{"/bin/dumpcap", "-i", "eth0", "-s", "256", "-w", "-", "-q", "-P", "-f", "tcp"}},
		{"tcpdump", "tcp", "watch", []string{"/bin/tcpdump", "-i", "eth0", "-s", "256", "-w", "-", "-n", "-U", "--immediate-mode", "-Z", "watch", "tcp"}},
		{"dumpcap", "tcp", "watch", nil}, // it stays root
		{"", "", "", nil},
	} {
		o := &liveOptions{iface: "eth0", user: tt.user}
		o.eo.Filter = tt.filter
		name, args, err := snifferCommand(func(name string) (string, error) {
			if slices.Contains(strings.Fields(tt.have), name) {
				return "/bin/" + name, nil
			}
			return "", errors.New("not there")
		}, o)
		if tt.want == nil {
			assert.Check(t, err != nil && strings.Contains(err.Error(), "install "), "without both: %v", err)
		} else if got := append([]string{name}, args...); err != nil || !slices.Equal(got, tt.want) {
			t.Errorf("%q: %q, %v", tt.have, got, err)
		}
	}
}

// TestSnifferSays reads what tcpdump and dumpcap say.
func TestSnifferSays(t *testing.T) {
	for said, want := range map[string]struct {
		complaint string
		dropped   int64
		remedy    bool
	}{
		"tcpdump: listening on eth0, link-type EN10MB\n9 packets captured\n12 packets received by filter\n3 packets dropped by kernel\n": {"it ended without a capture", 3, false},
		"tcpdump: eth0: You don't have permission to perform this capture on that device\n(socket: Operation not permitted)\n": {
			"eth0: You don't have permission to perform this capture on that device (socket: Operation not permitted)", 0, true,
		},
		"Capturing on 'lo'\nFile: -\nPackets captured: 5\nPackets received/dropped on interface 'lo': 5/2 (pcap:0/dumpcap:0)\n": {"it ended without a capture", 2, false},
		"dumpcap: There is no device named \"x\".\n(No such device exists)\nplease look\n":                                      {`There is no device named "x". (No such device exists)`, 0, false},
	} {
		assert.Check(t, complaint(said) == want.complaint, "%q: %q", said, complaint(said))
		assert.Check(t, dropped(said) == want.dropped, "%q: %d dropped", said, dropped(said))
		assert.Check(t, (captureRemedy(said) != "") == want.remedy, "%q: remedy %q", said, captureRemedy(said))
	}
}
