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

// TestRanksAgree: the rows of the figure of ranks are in the order of compare's table.
func TestRanksAgree(t *testing.T) {
	out := filepath.Join(t.TempDir(), "x.svg")
	pattern := filepath.Join(sessions, "campaign", "{scenario}", "run{hour}", "server.pcap.zst")
	for _, metric := range []string{"bytes", "retransmitted_bytes", "throughput"} {
		code, table, errs := trueProgram("compare", "--no-cache", "--pattern", pattern, "--rank", metric, "--steady", "hour")
		if code != cli.ExitOK {
			t.Fatal(errs)
		}
		code, _, errs = trueProgram("plot", "--pattern", pattern, "--kind", "ranks", "--metric", metric, "-o", out)
		svg, err := os.ReadFile(out)
		if code != cli.ExitOK || err != nil {
			t.Fatal(errs, err)
		}
		place := func(text, name string) int { return strings.Index(text, name) }
		lower := place(string(svg), ">lia<") < place(string(svg), ">olia<") // the lowest row is written first
		if below := place(string(table), " olia ") < place(string(table), " lia "); below != lower {
			t.Errorf("%s: lia below olia in the figure %v, in the table %v:\n%s", metric, lower, below, table)
		}
	}
}
