package storage_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"gotest.tools/v3/assert"

	"mpanalyze/internal/storage"
)

// put writes a file in a folder under its own name, and renames it.
func put(t *testing.T, name, content string) {
	t.Helper()
	assert.NilError(t, errors.Join(os.WriteFile(name+".new", []byte(content), 0o600), os.Rename(name+".new", name)))
}

// TestOneFile: a name that had another file before is refused, also where both have equal lengths and
// times, and where the first one is there again at the end. A file that grows is the same one, and
// is changed at the end.
func TestOneFile(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "x")
	second := time.Unix(1e9, 0)
	steps := map[string]func(files *storage.Files) error{
		"replaced": func(files *storage.Files) error { _, err := files.ReadFile(name); return err },
		"replaced for a while": func(files *storage.Files) error {
			_, err := files.Stat(name)
			put(t, name, "the first")
			return err
		},
		"looked at": func(files *storage.Files) error { _, err := files.Stat(name); return err },
	}
	for what, again := range steps {
		put(t, name, "the first")
		keep := os.Link(name, filepath.Join(dir, what)) // so that the number of the inode is not given again
		var files storage.Files
		text, err := files.ReadFile(name)
		if err = errors.Join(keep, err, files.Unchanged()); err != nil || string(text) != "the first" {
			t.Fatal(string(text), err)
		}
		put(t, name, "the other")
		assert.NilError(t, errors.Join(os.Chtimes(name, second, second), os.Chtimes(filepath.Join(dir, what), second, second)))
		if err := again(&files); !errors.Is(err, storage.ErrReplaced) || !storage.Temporary(err) {
			t.Errorf("%s: %v", what, err)
		}
		if err := files.Unchanged(name); !errors.Is(err, storage.ErrReplaced) {
			t.Errorf("%s, at the end: %v", what, err)
		}
		if _, err := (*storage.Files)(nil).ReadFile(name); err != nil {
			t.Errorf("%s, without other readers: %v", what, err)
		}
	}
	var files storage.Files
	_, err := files.Stat(name)
	grown, open := os.OpenFile(name, os.O_APPEND|os.O_WRONLY, 0)
	assert.NilError(t, errors.Join(err, open))
	_, err = grown.WriteString("more")
	assert.NilError(t, errors.Join(err, grown.Close()))
	if _, err := files.ReadFile(name); err != nil {
		t.Errorf("a file that grows: %v", err)
	}
	if err := files.Unchanged(); !errors.Is(err, storage.ErrReplaced) {
		t.Errorf("a file that has grown, at the end: %v", err)
	}
}

// TestTemporary: what says something about a name, the rights or the content comes back; an
// error of the medium, the network, a server or the system may pass.
func TestTemporary(t *testing.T) {
	for err, want := range map[error]bool{
		syscall.EIO: true, syscall.ESTALE: true, syscall.ETIMEDOUT: true, syscall.ECONNRESET: true, syscall.EMFILE: true, syscall.ENOMEM: true,
		syscall.ENOENT: false, syscall.EACCES: false, syscall.EISDIR: false, syscall.ENOTDIR: false, syscall.ENAMETOOLONG: false,
		os.ErrDeadlineExceeded: true, storage.ErrReplaced: true, errors.New("is cut"): false, nil: false,
		&storage.Error{Temporary: true}: true, &storage.Error{Err: fs.ErrNotExist}: false,
	} {
		if err == nil {
			continue
		}
		for _, e := range []error{err, fmt.Errorf("run 1: %w", &fs.PathError{Op: "read", Path: "x", Err: err})} {
			assert.Check(t, storage.Temporary(e) == want, "%v: temporary %v, want %v", e, !want, want)
		}
	}
}
