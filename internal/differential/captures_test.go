package differential

import (
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
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

// sample keeps a part of the captures, always the same, unless all are requested, because another
// program needs a third of a second for each. Of those outside testdata/sessions, which are many,
// it keeps a smaller part. It reports whether it left any out.
func sample(t *testing.T, files map[string]string) (less bool) {
	t.Helper()
	var inside, outside []string
	for _, name := range slices.Sorted(maps.Keys(files)) {
		if strings.HasPrefix(files[name], filepath.FromSlash(bundled)) {
			inside = append(inside, name)
		} else {
			outside = append(outside, name)
		}
	}
	kept := append(testrun.Sample(inside), testrun.Sample(testrun.Sample(testrun.Sample(outside)))...)
	n := len(files) - len(kept)
	maps.DeleteFunc(files, func(name, _ string) bool { return !slices.Contains(kept, name) })
	if n > 0 {
		t.Logf("%d captures left out; %s=all compares them, too", n, testrun.Variable)
	}
	return n > 0
}

// captures returns the capture files to compare, by their name below their
// folder, which begins with prefix, and whether these are all that there can be.
func captures(t *testing.T, prefix string) (files map[string]string, all bool) {
	t.Helper()
	files = map[string]string{}
	collect(t, bundled, files)
	if len(files) == 0 {
		t.Fatalf("no captures in %s", bundled)
	}
	switch _, err := os.Stat(shared); {
	case testing.Short():
		t.Log("-short: only captures of testdata/sessions")
	case err != nil:
		t.Logf("only captures of testdata/sessions: %v", err)
	default:
		collect(t, shared, files)
		collect(t, bundled, files) // what both hold is the same, so each name is read once
		all = true
	}
	maps.DeleteFunc(files, func(name, _ string) bool { return !strings.HasPrefix(name, prefix) })
	less := sample(t, files)
	return files, all && !less
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
