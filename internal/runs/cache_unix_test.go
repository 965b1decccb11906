//go:build unix

package runs_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gotest.tools/v3/assert"

	"mpanalyze/internal/runs"
)

// TestUnsafeCache: a directory that others may enter, that belongs to another user or whose
// name is a link is no cache. A new one is made with mode 0700, whatever the umask gives.
func TestUnsafeCache(t *testing.T) {
	made := filepath.Join(t.TempDir(), "a", "b")
	openCache(t, made, "1")
	if info, err := os.Stat(made); err != nil || info.Mode() != os.ModeDir|0o700 {
		t.Fatalf("a new cache: %v, %v", info.Mode(), err)
	}
	dir := func(mode os.FileMode) string {
		name := filepath.Join(t.TempDir(), "cache")
		assert.NilError(t, errors.Join(os.Mkdir(name, 0o700), os.Chmod(name, mode)))
		return name
	}
	link := filepath.Join(t.TempDir(), "link")
	assert.NilError(t, os.Symlink(dir(0o700), link))
	cases := map[string]string{
		dir(0o755): "its mode is 0755", dir(0o770): "its mode is 0770", dir(0o701): "its mode is 0701",
		link: "it is a symbolic link", link + "/": "it is a symbolic link",
	}
	if os.Geteuid() == 0 {
		others := dir(0o700)
		assert.NilError(t, os.Chown(others, 65534, 65534))
		cases[others] = "it belongs to user 65534, not to you (0)"
	}
	for name, want := range cases {
		c, err := runs.OpenCache(name, "1")
		assert.Check(t, c == nil && err != nil && strings.Contains(err.Error(), want), "%s: %v, %v, want an error that says %q", name, c, err, want)
	}
	if _, err := runs.OpenCache(dir(0o700), "1"); err != nil {
		t.Errorf("a directory of mode 0700: %v", err)
	}
}
