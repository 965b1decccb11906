//go:build cgo && unix

package main

import (
	"os"
	"path/filepath"
	"testing"

	"mpanalyze/internal/testrun"
)

// TestClosedOutput: without standard output the status is 1, and with /dev/null as standard output, also
// where it is open for reading as some programs open it, it is 0.
func TestClosedOutput(t *testing.T) {
	capture := filepath.Join(sessions, "v1", "l-single-loss", "client.pcap.zst")
	for _, c := range []struct {
		redirect string
		status   int
	}{{">&-", 1}, {"1>/dev/null", 0}, {"1<>/dev/null", 0}} {
		for _, args := range [][]string{{"version"}, {"analyze", capture}, {"analyze", capture, "--json"}, {"why", capture}, {"connections", capture}} {
			cmd := testrun.Command(t, "sh", append([]string{"-c", `"$0" "$@" ` + c.redirect, os.Args[0]}, args...)...)
			cmd.Env = append(os.Environ(), asProgram+"=1")
			said, _ := cmd.CombinedOutput() // the status says it
			if got := cmd.ProcessState.ExitCode(); got != c.status {
				t.Errorf("%q %s: status %d, want %d: %s", args, c.redirect, got, c.status, said)
			}
		}
	}
}
