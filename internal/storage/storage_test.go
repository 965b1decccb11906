package storage_test

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gotest.tools/v3/assert"

	"mpanalyze/internal/storage"
	"mpanalyze/internal/storage/storagetest"
)

func TestNames(t *testing.T) {
	for _, c := range []struct {
		name   string
		object bool
		dir    string // of the name
		joined string // the name and "x/y"
	}{
		{"s3://bucket/a/b.pcap", true, "s3://bucket/a", "s3://bucket/a/b.pcap/x/y"},
		{"s3://bucket", true, "s3://bucket/", "s3://bucket/x/y"},
		{"s3://bucket/", true, "s3://bucket/", "s3://bucket/x/y"},
		{"s3://bucket/a/?endpoint=http://h/p", true, "s3://bucket/a?endpoint=http://h/p", "s3://bucket/a/x/y?endpoint=http://h/p"},
		{"https://host:8080/a/b", true, "https://host:8080/a", "https://host:8080/a/b/x/y"},
		{"gs://b/../c", true, "gs://b/", "gs://b/c/x/y"},
		{"azblob://c/k", true, "azblob://c/", "azblob://c/k/x/y"},
		{"./s3://bucket/a", false, "s3:/bucket", "s3:/bucket/a/x/y"},
		{"ftp://host/a", false, "ftp:/host", "ftp:/host/a/x/y"},
		{"name=s3://bucket/a", false, "name=s3:/bucket", "name=s3:/bucket/a/x/y"},
		{"s3:/bucket", false, "s3:", "s3:/bucket/x/y"},
		{"a/b", false, "a", "a/b/x/y"},
	} {
		native := filepath.FromSlash
		if c.object {
			native = func(s string) string { return s }
		}
		if got := storage.Is(c.name); got != c.object {
			t.Errorf("%s: an object: %v", c.name, got)
		}
		if got := storage.Dir(native(c.name)); got != native(c.dir) {
			t.Errorf("%s: directory %s, want %s", c.name, got, native(c.dir))
		}
		if got := storage.Join(native(c.name), "x/y"); got != native(c.joined) {
			t.Errorf("%s: joined %s, want %s", c.name, got, native(c.joined))
		}
	}
}

// TestWithoutBackend: every function says which build has object storage, and none looks for a
// file of that name.
func TestWithoutBackend(t *testing.T) {
	const name = "s3://bucket/key"
	_, stat := storage.Stat(name)
	_, open := storage.Open(name)
	_, file := storage.ReadFile(name)
	_, dir := storage.ReadDir(name)
	for i, err := range []error{stat, open, file, dir, storage.MkdirAll(name), storage.Put(name, strings.NewReader(""), 0), storage.Reached(name)} {
		if want := "this build does not reach object storage; mpanalyze-cloud is the same program and does: make cloud builds it"; err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("door %d: %v", i, err)
		}
	}
	assert.Check(t, storage.Reached("file"))
}

// TestFiles: a name without a scheme is a file of the system, with or without a backend.
func TestFiles(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "a", "b")
	file := storage.Join(dir, "x")
	for range 2 {
		assert.NilError(t, errors.Join(storage.MkdirAll(dir), os.WriteFile(file, []byte("content"), 0o600)))
		text, err := storage.ReadFile(file)
		if err != nil || string(text) != "content" {
			t.Errorf("%q, %v", text, err)
		}
		r, err := storage.Open(file)
		assert.NilError(t, err)
		text, err = io.ReadAll(r)
		if err = errors.Join(err, r.Close()); err != nil || string(text) != "content" {
			t.Errorf("%q, %v", text, err)
		}
		if entries, err := storage.ReadDir(dir); err != nil || len(entries) != 1 {
			t.Errorf("%v, %v", entries, err)
		}
		a, errA := storage.Stat(file)
		b, errB := storage.Stat(dir)
		assert.NilError(t, errors.Join(errA, errB))
		if !storage.SameFile(a, a) || storage.SameFile(a, b) || storage.Tag(a) != "" {
			t.Errorf("the same: %v, %v; tag %q", storage.SameFile(a, a), storage.SameFile(a, b), storage.Tag(a))
		}
		if _, err := storage.Open(filepath.Join(dir, "none")); !errors.Is(err, fs.ErrNotExist) {
			t.Error(err)
		}
		storagetest.Use(t)
	}
}

// TestObjects: an object is what its name says, and no file.
func TestObjects(t *testing.T) {
	m := storagetest.Use(t)
	m.Set("s3://bucket/a/x", []byte("content"))
	m.Set("s3://bucket/a/y", nil)
	file := filepath.Join(t.TempDir(), "x")
	assert.NilError(t, os.WriteFile(file, []byte("content"), 0o600))
	x, e1 := storage.Stat("s3://bucket/a/x")
	y, e2 := storage.Stat("s3://bucket/a/y")
	f, e3 := storage.Stat(file)
	assert.NilError(t, errors.Join(e1, e2, e3))
	if !storage.SameFile(x, x) || storage.SameFile(x, y) || storage.SameFile(x, f) || storage.SameFile(f, x) {
		t.Error("objects are the same by their names alone")
	}
	if storage.Tag(x) == "" || x.Size() != 7 {
		t.Errorf("tag %q, %d bytes", storage.Tag(x), x.Size())
	}
	_, err := storage.Open("s3://bucket/none")
	var path *fs.PathError
	if !errors.Is(err, fs.ErrNotExist) || !errors.As(err, &path) || path.Path != "s3://bucket/none" {
		t.Errorf("%v", err)
	}
}
