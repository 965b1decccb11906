package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// entry is what an archive says of a file.
type entry struct {
	mode uint32
	text string
}

var want = map[string]entry{
	"top/": {0o755, ""}, "top/a.txt": {0o644, "text"}, "top/bin/": {0o755, ""}, "top/bin/run": {0o755, "#!"},
}

// tree makes a directory top with other times and modes each time it is called.
func tree(t *testing.T, plain os.FileMode, at time.Time) string {
	t.Helper()
	top := filepath.Join(t.TempDir(), "top")
	if err := os.MkdirAll(filepath.Join(top, "bin"), 0o750); err != nil {
		t.Fatal(err)
	}
	for name, f := range map[string]struct {
		text string
		mode os.FileMode
	}{"a.txt": {"text", plain}, "bin/run": {"#!", plain | 0o100}} {
		file := filepath.Join(top, name)
		if err := os.WriteFile(file, []byte(f.text), f.mode); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(file, at, at); err != nil {
			t.Fatal(err)
		}
	}
	return top
}

// TestPack: archives of equal files are equal whatever their times, owners' modes and
// places, and hold what went in.
func TestPack(t *testing.T) {
	const epoch = "1700000000"
	for _, name := range []string{"x.tar.gz", "x.zip"} {
		var archives [2][]byte
		for i, top := range []string{tree(t, 0o600, time.Now()), tree(t, 0o644, time.Unix(1e9, 0))} {
			file := filepath.Join(t.TempDir(), name)
			if err := run([]string{file, top}, epoch); err != nil {
				t.Fatal(err)
			}
			var err error
			if archives[i], err = os.ReadFile(file); err != nil {
				t.Fatal(err)
			}
		}
		if !bytes.Equal(archives[0], archives[1]) {
			t.Errorf("%s: archives of equal files differ", name)
		}
		read := readTar
		if name == "x.zip" {
			read = readZip
		}
		if diff := cmp.Diff(want, read(t, archives[0], time.Unix(1700000000, 0)), cmp.AllowUnexported(entry{})); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

func readTar(t *testing.T, archive []byte, at time.Time) map[string]entry {
	unzipped, err := gzip.NewReader(bytes.NewReader(archive))
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]entry{}
	for r := tar.NewReader(unzipped); ; {
		h, err := r.Next()
		if err == io.EOF {
			return got
		}
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(r)
		if err != nil || !h.ModTime.Equal(at) || h.Uid != 0 || h.Uname != "" {
			t.Errorf("%s: %v, time %v, owner %d %q", h.Name, err, h.ModTime, h.Uid, h.Uname)
		}
		got[h.Name] = entry{uint32(h.Mode), string(text)}
	}
}

func readZip(t *testing.T, archive []byte, at time.Time) map[string]entry {
	r, err := zip.NewReader(bytes.NewReader(archive), int64(len(archive)))
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]entry{}
	for _, f := range r.File {
		content, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(content)
		if err != nil || !f.Modified.Equal(at) {
			t.Errorf("%s: %v, time %v", f.Name, err, f.Modified)
		}
		got[f.Name] = entry{uint32(f.Mode().Perm()), string(text)}
	}
	return got
}

// TestRefused: what cannot be packed is an error that says what.
func TestRefused(t *testing.T) {
	top := tree(t, 0o644, time.Now())
	if err := os.Symlink("a.txt", filepath.Join(top, "link")); err != nil {
		t.Skip("no symbolic links here:", err)
	}
	out := filepath.Join(t.TempDir(), "x.zip")
	for _, c := range []struct {
		args  []string
		epoch string
		want  string
	}{
		{[]string{out, top}, "1", "neither a file nor a directory"},
		{[]string{out, top}, "", "SOURCE_DATE_EPOCH"},
		{[]string{out}, "1", "usage"},
		{[]string{out, filepath.Join(top, "none")}, "1", "none"},
	} {
		if err := run(c.args, c.epoch); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v: %v, want %q", c.args, err, c.want)
		}
	}
}
