package internal_test

import (
	"io/fs"
	"maps"
	"os"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"gotest.tools/v3/assert"
)

// TestArchitectureListsPackages holds the floors of ARCHITECTURE.md to the packages that there are, each on the floor of its
// rank, and the list of those that are for tests alone.
func TestArchitectureListsPackages(t *testing.T) {
	text, err := os.ReadFile("../ARCHITECTURE.md")
	assert.NilError(t, err)
	_, floors, _ := strings.Cut(string(text), "\n```\n15 launch ")
	floors, rest, _ := strings.Cut("15 launch "+floors, "\n```\n")
	_, tests, _ := strings.Cut(rest, "For tests alone are ")
	tests, _, _ = strings.Cut(tests, ". ")
	listed, ranks := map[string]string{}, map[string]int{}
	for name, rank := range table(t, "ranks.txt") {
		ranks[name], err = strconv.Atoi(rank[0])
		assert.NilError(t, err)
	}
	add := func(name, floor string) {
		assert.Check(t, listed[name] == "", "ARCHITECTURE.md lists %s twice", name)
		listed[name] = floor
	}
	for line := range strings.Lines(floors) {
		names, _, _ := strings.Cut(strings.TrimSpace(line), "  ")
		for _, name := range strings.Fields(names)[1:] {
			add(name, strings.Fields(names)[0])
		}
	}
	for _, name := range regexp.MustCompile("`[^`]+`").FindAllString(tests, -1) {
		add(strings.Trim(name, "`"), "tests")
	}
	sameNames(t, "ARCHITECTURE.md", slices.Collect(maps.Keys(listed)), packageFolders(t))
	for name, floor := range listed {
		key, _ := longest(ranks, "internal/"+name)
		assert.Check(t, floor == strconv.Itoa(ranks[key]) || floor == "tests" && ranks[key] >= 100, "%s is on floor %s, and has rank %d", name, floor, ranks[key])
	}
}

// sameNames fails for each name that a document lists although it is not there, and for each that it
// does not list.
func sameNames(t *testing.T, document string, listed, there []string) {
	t.Helper()
	for _, name := range there {
		assert.Check(t, slices.Contains(listed, name), "%s does not list %s", document, name)
	}
	for _, name := range listed {
		assert.Check(t, slices.Contains(there, name), "%s lists %s, which is not there or which nothing needs", document, name)
	}
}

// packageFolders returns the folders below internal that have Go files of a package.
func packageFolders(t *testing.T) (folders []string) {
	t.Helper()
	err := fs.WalkDir(os.DirFS("."), ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && d.Name() == "testdata" {
			return fs.SkipDir
		}
		if folder := path.Dir(name); path.Ext(name) == ".go" && folder != "." && !slices.Contains(folders, folder) {
			folders = append(folders, folder)
		}
		return nil
	})
	assert.NilError(t, err)
	return folders
}
