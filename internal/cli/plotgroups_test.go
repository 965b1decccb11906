package cli_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mpanalyze/internal/cli"
)

// TestPlotGroups: runs of a scenario at different hours or in different networks are no fault where
// the figure groups them by that label, and are named in a figure that does not.
func TestPlotGroups(t *testing.T) {
	out := filepath.Join(t.TempDir(), "x.svg")
	for _, c := range []struct {
		label string
		args  []string
		names bool // the message names the label
	}{
		{"hour", []string{"--kind", "ranks"}, false},
		{"day", []string{"--kind", "ranks", "--steady", "day"}, false},
		{"network", []string{"--kind", "mix"}, false},
		{"hour", []string{"--kind", "mix"}, true},
		{"network", []string{"--kind", "shares"}, true},
	} {
		pattern := filepath.Join(sessions, "campaign", "{scenario}", "run{"+c.label+"}", "server.pcap.zst")
		code, _, errs := trueProgram(append([]string{"plot", "--pattern", pattern, "-o", out}, c.args...)...)
		if code != cli.ExitOK || strings.Contains(errs, "vary in "+c.label) != c.names {
			t.Errorf("%s in %q: status %d, %s", c.label, c.args, code, errs)
		}
		if svg, err := os.ReadFile(out); err != nil || c.label == "network" && !c.names && !strings.Contains(string(svg), ">2<") { // the second network is a head
			t.Errorf("%s in %q: %v", c.label, c.args, err)
		}
	}
	pattern := filepath.Join(sessions, "campaign", "{scenario}", "run{run}", "server.pcap.zst")
	if code, _, errs := trueProgram("plot", "--pattern", pattern, "-o", out, "--kind", "ranks"); code != cli.ExitFailed || !strings.Contains(errs, "no label hour") {
		t.Errorf("ranks without the label: status %d, %s", code, errs)
	}
	if code, _, errs := trueProgram("plot", "--pattern", pattern, "-o", out, "--kind", "mix", "--steady", "hour"); code == cli.ExitOK || !strings.Contains(errs, "--steady needs --kind ranks") {
		t.Errorf("--steady with mix: status %d, %s", code, errs)
	}
}
