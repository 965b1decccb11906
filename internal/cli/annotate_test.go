package cli_test

import (
	"strings"
	"testing"

	"mpanalyze/internal/cli"
)

// TestAnnotateFlags: impossible command lines stop before the capture is read.
func TestAnnotateFlags(t *testing.T) {
	for args, message := range map[string]string{
		"annotate x.pcap":                "the file to write is missing",
		"annotate - -o out.pcapng":       "standard input can be read only once",
		"annotate x.pcap -o o --label x": `label "x": want ADDRESS=NAME`,
	} {
		var f fake
		if r := run(&f, nil, strings.Fields(args)...); r.code != cli.ExitFailed || !strings.Contains(r.err, message) || r.out != "" {
			t.Errorf("%s: exit status %d, stdout %q, stderr %q", args, r.code, r.out, r.err)
		}
	}
}
