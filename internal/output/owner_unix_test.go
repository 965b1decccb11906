//go:build unix

package output

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"gotest.tools/v3/assert"
)

// A file that root replaces keeps its owner, its group and its mode.
func TestOwnerStays(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("only root gives files to others")
	}
	name := filepath.Join(t.TempDir(), "figures.prom")
	assert.NilError(t, os.WriteFile(name, []byte("old"), 0o640))
	if err := os.Chown(name, 1234, 2345); err != nil {
		t.Skipf("this root cannot give files away: %v", err)
	}
	f, err := Create(name)
	assert.NilError(t, err)
	if _, err := f.Write([]byte("new")); err != nil {
		t.Fatal(err)
	}
	assert.NilError(t, f.Commit())
	info, err := os.Stat(name)
	assert.NilError(t, err)
	if s := info.Sys().(*syscall.Stat_t); s.Uid != 1234 || s.Gid != 2345 || info.Mode().Perm() != 0o640 || info.Size() != 3 {
		t.Errorf("owner %d, group %d, mode %v, %d bytes", s.Uid, s.Gid, info.Mode(), info.Size())
	}
}
