//go:build unix

package output_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"gotest.tools/v3/assert"

	"mpanalyze/internal/testrun"
)

// TestProtectedFileOfRoot runs TestProtectedFile as nobody, because root may write every file.
// Everybody else runs it without this.
func TestProtectedFileOfRoot(t *testing.T) {
	if os.Geteuid() != 0 {
		return
	}
	dir := t.TempDir()
	text, err := os.ReadFile(os.Args[0])
	assert.NilError(t, err)
	program, temporary := filepath.Join(dir, "output.test"), filepath.Join(dir, "tmp")
	assert.NilError(t, errors.Join(os.WriteFile(program, text, 0o755), os.Mkdir(temporary, 0o777), os.Chmod(temporary, 0o777)))
	for at := dir; strings.HasPrefix(at, filepath.Clean(os.TempDir())+"/"); at = filepath.Dir(at) {
		assert.NilError(t, os.Chmod(at, 0o755))
	}
	cmd := testrun.Command(t, program, "-test.run=^TestProtectedFile$", "-test.v")
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "TMPDIR="+temporary)
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
	out, err := cmd.CombinedOutput()
	if errors.Is(err, syscall.EPERM) || errors.Is(err, syscall.EACCES) {
		t.Skip("the system does not let a program run as nobody: ", err)
	}
	assert.Check(t, err == nil && strings.Contains(string(out), "--- PASS: TestProtectedFile "), "%v\n%s", err, out)
}
