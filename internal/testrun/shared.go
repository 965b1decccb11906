package testrun

import (
	"os"
	"path/filepath"
	"testing"
)

// Shared is the folder of captures beside the repository, as tests of internal/* and cmd/*
// see it. Tests take its files by name and never list it: new captures there must not decide
// whether a change passes.
const Shared = "../../../shared/captures"

// SharedFiles returns the paths of files in [Shared]. Where there is no such folder, it says so
// and returns nothing. It also says which files are absent: a folder with other captures is no
// failure of a change.
func SharedFiles(t testing.TB, names ...string) (paths []string) {
	t.Helper()
	return filesIn(t, Shared, names)
}

func filesIn(t testing.TB, dir string, names []string) (paths []string) {
	t.Helper()
	if _, err := os.Stat(dir); err != nil {
		t.Logf("no captures beside the repository: %v", err)
		return nil
	}
	for _, name := range names {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if _, err := os.Stat(path); err != nil {
			t.Logf("%s lacks %s: it is left out", dir, name)
			continue
		}
		paths = append(paths, path)
	}
	return paths
}
