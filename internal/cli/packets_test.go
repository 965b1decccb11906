package cli_test

import (
	"strings"
	"testing"

	"mpanalyze/internal/cli"
)

// TestFieldFlags: impossible choices of fields stop before the capture is read.
func TestFieldFlags(t *testing.T) {
	for args, message := range map[string]string{
		"packets - -e mpanalyze.dsn":                               `--type "": -e and -E need -T fields`,
		"packets - -T json -e mpanalyze.dsn":                       `--type "json"`,
		"packets - -T fields":                                      "-T fields writes nothing without -e NAME",
		"packets - -T fields -e mpanalyze.dsm":                     `no field "mpanalyze.dsm"`,
		"packets - -T fields -e dsn -E occurrence=f":               `--field-option "occurrence=f": want header=y`,
		"packets - -T fields -e dsn -E separator=xy":               `--field-option "separator=xy"`,
		"packets - -T fields -e dsn --json":                        "-T fields does not go with --json",
		"packets - -T fields -e dsn,ssn -E header=y --normalise":   "-T fields does not go with --json",
		"packets - -T fields -e frame.number -e tcp.len2 --events": "-T fields does not go with --json",
	} {
		var f fake
		if r := run(&f, nil, strings.Fields(args)...); r.code != cli.ExitFailed || !strings.Contains(r.err, message) || r.out != "" || len(f.asked) > 0 {
			t.Errorf("%s: exit status %d, stdout %q, stderr %q", args, r.code, r.out, r.err)
		}
	}
	var f fake
	if r := run(&f, nil, "packets", "-", "-T", "fields", "-e", "dsn,tcp.len", "-E", "header=y", "-E", "separator=,"); r.code != cli.ExitOK || r.out != "mpanalyze.dsn,tcp.len\n" {
		t.Errorf("exit status %d, stdout %q, stderr %q", r.code, r.out, r.err)
	}
}
