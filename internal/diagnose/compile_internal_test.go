package diagnose

import (
	"slices"
	"strings"
	"testing"

	"gotest.tools/v3/assert"
)

// TestRulesCompile: each rule in the files of verdicts is an expression over names that it has, and stands in a section that is read.
func TestRulesCompile(t *testing.T) {
	rules := 0
	for _, k := range Kinds() {
		for name, text := range k.Parts {
			if strings.HasPrefix(name, "found") {
				assert.Check(t, slices.Contains([]string{"found", "found subflow", "found direction", "found path", "found handover", "found handshake"}, name), "%s: section %s", k.Code, name)
				assert.Check(t, compiled(text) != nil)
				rules++
			}
		}
	}
	for _, name := range []string{"plain", "join", "mismatch"} {
		text, err := files.ReadFile("rules/" + name + ".expr")
		assert.NilError(t, err)
		assert.Check(t, compiled(string(text)) != nil)
	}
	assert.Check(t, rules >= 15, "%d rules", rules)
}
