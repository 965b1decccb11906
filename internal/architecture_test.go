package internal_test

import (
	"io/fs"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"

	"gotest.tools/v3/assert"
)

// TestArchitectureListsPackages holds the groups of packages in ARCHITECTURE.md to the
// packages that there are, each in one group.
func TestArchitectureListsPackages(t *testing.T) {
	text, err := os.ReadFile("../ARCHITECTURE.md")
	assert.NilError(t, err)
	_, table, _ := strings.Cut(string(text), "\n| group | packages |\n")
	table, _, _ = strings.Cut(table, "\n\n")
	var listed []string
	for _, name := range regexp.MustCompile("`[^`]+`").FindAllString(table, -1) {
		listed = append(listed, strings.Trim(name, "`"))
	}
	for i, name := range listed {
		assert.Check(t, !slices.Contains(listed[:i], name), "ARCHITECTURE.md lists %s in two groups", name)
	}
	sameNames(t, "ARCHITECTURE.md", listed, packageFolders(t))
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
