package diagnose

import (
	"io/fs"
	"strings"
	"testing"

	"gotest.tools/v3/assert"
)

// TestRulesCompile: each rule is an expression over names that it has.
func TestRulesCompile(t *testing.T) {
	rules := 0
	for _, k := range Kinds() {
		for name, text := range k.Parts {
			if strings.HasPrefix(name, "found") {
				assert.Check(t, compiled(text) != nil)
				rules++
			}
		}
	}
	lists, err := fs.Glob(files, "rules/*.expr")
	assert.Check(t, err == nil && len(lists) >= 3, "%v, %v", lists, err)
	for _, name := range lists {
		text, err := files.ReadFile(name)
		assert.Check(t, err == nil && compiled(string(text)) != nil)
	}
	assert.Check(t, rules >= 15, "%d rules", rules)
}
