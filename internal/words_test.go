package internal_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"gotest.tools/v3/assert"
)

// searched finds a function of package strings that gets the words of a verdict, v or g, or of one in a list.
var searched = regexp.MustCompile(`(strings|regexp)\.\w+\([^()]*\b(v|g|w|o|worst|erdicts\)?\[\w+\])\.(Text|Headline|Remedy)\b`)

// TestWordsAreNoData: no package searches in the words of verdicts, and those that judge do not know what
// makes them: only a package of a higher rank may import sentences.
func TestWordsAreNoData(t *testing.T) {
	files, err := filepath.Glob("*/*.go")
	assert.NilError(t, err)
	assert.Check(t, len(files) > 500, "%d files", len(files))
	for _, name := range files {
		text, err := os.ReadFile(name)
		assert.NilError(t, err)
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		for _, found := range searched.FindAllString(string(text), -1) {
			t.Errorf("%s: %s: decide by the form, the parameters or the cause of a verdict", name, found)
		}
		switch dir, _ := filepath.Split(name); dir {
		case "diagnose/", "evidence/", "build/", "metrics/", "symptoms/", "account/":
			assert.Check(t, !strings.Contains(string(text), `"mpanalyze/internal/sentences"`), "%s imports sentences", name)
		}
	}
	assert.Check(t, searched.MatchString(`text, _, _ := strings.Cut(v.Text, ". ")`))
}
