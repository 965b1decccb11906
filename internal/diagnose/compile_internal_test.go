package diagnose

import (
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
	assert.Check(t, rules >= 15, "%d rules", rules)
}
