package differential

import (
	"hash/fnv"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"

	"mpanalyze/internal/testrun"
)

// The folders with captures, seen from this package.
const (
	bundled = "../../testdata/sessions"
	shared  = "../../../shared/captures"
)

// sample keeps a sixteenth of the captures outside testdata/sessions, always the
// same, unless all are asked for, and reports whether it left any out: another
// program needs a third of a second for each.
func sample(t *testing.T, files map[string]string) (less bool) {
	t.Helper()
	if testrun.All() {
		return false
	}
	before := len(files)
	maps.DeleteFunc(files, func(name, path string) bool {
		h := fnv.New32a()
		io.WriteString(h, name)
		return !strings.HasPrefix(path, filepath.FromSlash(bundled)) && h.Sum32()%16 != 0
	})
	if n := before - len(files); n > 0 {
		t.Logf("%d captures left out; %s=all compares them, too", n, testrun.Variable)
	}
	return len(files) < before
}

// captures returns the capture files to compare, by their name below their
// folder, and whether these are all that there can be.
func captures(t *testing.T) (files map[string]string, all bool) {
	t.Helper()
	files = map[string]string{}
	collect(t, bundled, files)
	if len(files) == 0 {
		t.Fatalf("no captures in %s", bundled)
	}
	switch _, err := os.Stat(shared); {
	case testing.Short():
		t.Log("-short: only the captures of testdata/sessions")
	case err != nil:
		t.Logf("only the captures of testdata/sessions: %v", err)
	default:
		collect(t, shared, files)
		collect(t, bundled, files) // what both hold is the same, so each name is read once
		all = !sample(t, files)
	}
	return files, all
}

// collect adds the captures below root to files.
func collect(t *testing.T, root string, files map[string]string) {
	t.Helper()
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		name := strings.TrimSuffix(filepath.Base(path), ".zst")
		if ext := filepath.Ext(name); ext == ".pcap" || ext == ".pcapng" {
			rel, err := filepath.Rel(root, path)
			if err != nil {
				return err
			}
			files[filepath.ToSlash(rel)] = path
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// unpacked opens a capture and undoes its compression. The other programs get
// the bytes of the file in this way, not through the reader under test.
func unpacked(t *testing.T, path string) io.Reader {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	if filepath.Ext(path) != ".zst" {
		return f
	}
	z, err := zstd.NewReader(f, zstd.WithDecoderConcurrency(1))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(z.Close)
	return z
}
