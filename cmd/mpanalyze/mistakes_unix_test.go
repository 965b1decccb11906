//go:build unix

package main

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"gotest.tools/v3/assert"

	"mpanalyze/internal/testrun"
)

// TestNoPermission: for a capture that may not be read and a place that may not be written, the
// message says what to do. Root may do both, so a test of root runs the program as nobody.
func TestNoPermission(t *testing.T) {
	dir := t.TempDir()
	program := filepath.Join(dir, "mpanalyze")
	copyFile(t, os.Args[0], program, 0o755)
	copyFile(t, filepath.Join(sessions, "v1/l-single-loss/client.pcap.zst"), filepath.Join(dir, "secret.pcap"), 0)
	copyFile(t, filepath.Join(sessions, "v1/l-single-loss/client.pcap.zst"), filepath.Join(dir, "session.pcap"), 0o644)
	assert.NilError(t, os.Mkdir(filepath.Join(dir, "locked"), 0o555))
	open := filepath.Join(dir, "open") // anybody may replace files here, but not write to this one
	assert.NilError(t, errors.Join(os.Mkdir(open, 0o777), os.Chmod(open, 0o777), os.WriteFile(filepath.Join(open, "kept"), []byte("kept"), 0o444)))
	for at := dir; strings.HasPrefix(at, filepath.Clean(os.TempDir())+"/"); at = filepath.Dir(at) {
		assert.NilError(t, os.Chmod(at, 0o755))
	}
	for args, want := range map[string]string{
		"analyze secret.pcap":                                "mpanalyze: secret.pcap: permission denied; change its owner or its rights, or run with those of the owner\n",
		"analyze session.pcap --json=locked/report":          "mpanalyze: writing locked/report: permission denied; name another place\n",
		"analyze session.pcap --json=open/kept":              "mpanalyze: writing open/kept: permission denied; name another place\n",
		"analyze session.pcap --csv locked/tables":           "mpanalyze: writing locked/tables: permission denied; name another place\n",
		"report session.pcap -o locked/report.html":          "mpanalyze: writing locked/report.html: permission denied; name another place\n",
		"compare A=secret.pcap --no-cache":                   "mpanalyze: skipped 1 of 1 runs:\nmpanalyze:   A, run secret.pcap: secret.pcap: permission denied\nmpanalyze: no run is left to compare\n",
		"tcptrace --diff secret.pcap session.pcap":           "mpanalyze: secret.pcap: permission denied; change its owner or its rights, or run with those of the owner\n",
		"plot session.pcap -o locked/x.svg":                  "mpanalyze: writing locked/x.svg: permission denied; name another place\n",
		"extract session.pcap --comments -o locked/x.pcapng": "mpanalyze: writing locked/x.pcapng: permission denied; name another place\n",
		"compare --manifest secret.pcap":                     "mpanalyze: secret.pcap: permission denied; change its owner or its rights, or run with those of the owner\nmpanalyze: run 'mpanalyze compare --help' for usage\n",
		"compare --results secret.pcap":                      "mpanalyze: secret.pcap: permission denied; change its owner or its rights, or run with those of the owner\n",
		"analyze session.pcap --mptcptrace locked/dir":       "mpanalyze: writing locked/dir: permission denied; name another place\n",
	} {
		cmd := testrun.Command(t, program, strings.Fields(args)...)
		cmd.Dir, cmd.Env = dir, append(os.Environ(), asProgram+"=1", "HOME=/", "XDG_CACHE_HOME=/", "GORACE=atexit_sleep_ms=0")
		if os.Geteuid() == 0 {
			cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
		}
		var errs strings.Builder
		cmd.Stderr = &errs
		if err := cmd.Run(); errors.Is(err, syscall.EPERM) || errors.Is(err, syscall.EACCES) {
			t.Skip("the system does not let a program run as nobody: ", err)
		}
		if got := errs.String(); got != want || cmd.ProcessState.ExitCode() != 1 {
			t.Errorf("%s: exit status %d\n%swant\n%s", args, cmd.ProcessState.ExitCode(), got, want)
		}
	}
	kept, err := os.ReadFile(filepath.Join(open, "kept"))
	assert.Check(t, err == nil && string(kept) == "kept", "a file that may not be written holds %q, %v", kept, err)
}

func copyFile(t *testing.T, from, to string, mode os.FileMode) {
	t.Helper()
	in, err := os.Open(from)
	assert.NilError(t, err)
	defer in.Close()
	out, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	assert.NilError(t, err)
	_, err = io.Copy(out, in)
	assert.NilError(t, errors.Join(err, out.Chmod(mode), out.Close()))
}
