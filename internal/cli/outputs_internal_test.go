package cli

import (
	"regexp"
	"slices"
	"testing"

	"github.com/spf13/pflag"

	"gotest.tools/v3/assert"
)

// namesNoFile are flags whose help speaks of files, and whose value names none.
var namesNoFile = []string{"pace", "format", "max-share"}

// TestFlagsOfFiles: each flag that names a file or a directory says what the command does with it. So
// keepApart knows of every one.
func TestFlagsOfFiles(t *testing.T) {
	files := regexp.MustCompile(`FILE|DIR|PATH|PATTERN|\b(file|directory|folder)s?\b`)
	found := map[string]int{}
	for _, c := range newRoot(&app{Streams: System()}, "").Commands() {
		c.Flags().VisitAll(func(f *pflag.Flag) {
			use := f.Annotations[useAnnotation]
			if use != nil {
				found[use[0]]++
				return
			}
			assert.Check(t, f.Value.Type() == "bool" || !files.MatchString(f.Usage) || slices.Contains(namesNoFile, f.Name),
				"%s --%s: does the command read or write it? %s", c.Name(), f.Name, f.Usage)
		})
	}
	for _, use := range []string{readsFile, writesFile, findsRuns} {
		assert.Check(t, found[use] >= 5, "only %d flags say: %s", found[use], use)
	}
}
