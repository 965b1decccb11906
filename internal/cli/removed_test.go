package cli_test

import (
	"strings"
	"testing"

	"mpanalyze/internal/cli"
)

// TestRemovedCommands: a command that was removed says what to use instead, whatever its arguments
// are, and does not stand in the help.
func TestRemovedCommands(t *testing.T) {
	for args, want := range map[string]string{
		"split x.pcap --parts 3 --out parts": "the command split was removed: analyze reads",
		"split --help":                       "extract --connection 0-99",
		"merge parts --part 2":               "the command merge was removed: analyze reports",
	} {
		var f fake
		r := run(&f, nil, strings.Fields(args)...)
		if r.code != cli.ExitDamaged || r.out != "" || len(f.asked) > 0 || strings.Count(r.err, "\n") != 1 || !strings.Contains(r.err, want) {
			t.Errorf("%s: exit status %d, stdout %q, stderr %q", args, r.code, r.out, r.err)
		}
	}
	if r := run(new(fake), nil, "--help"); strings.Contains(r.out, "  split") || strings.Contains(r.out, "  merge") {
		t.Errorf("the help lists what was removed:\n%s", r.out)
	}
}

// TestOldNames: a command works by the name that it had before, and says its new one.
func TestOldNames(t *testing.T) {
	const line = "the command figures is called task now"
	if r := run(new(fake), nil, "figures"); !strings.Contains(r.err, line) || !strings.Contains(r.err, "mpanalyze task --help") {
		t.Errorf("figures: stderr %q", r.err)
	}
	if r := run(new(fake), nil, "task"); strings.Contains(r.err, line) {
		t.Errorf("task: stderr %q", r.err)
	}
}
