package cli

import (
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"gotest.tools/v3/assert"
)

// Each file of help is that of a command, and begins with the name of the command and its purpose.
func TestHelpTextsHaveCommands(t *testing.T) {
	root := newRoot(&app{}, "")
	all := append(root.Commands(), root)
	files, err := helpTexts.ReadDir("help")
	assert.NilError(t, err)
	assert.Check(t, len(files) == len(all), "%d files, %d commands", len(files), len(all))
	for _, f := range files {
		name := strings.TrimSuffix(f.Name(), ".txt")
		at := slices.IndexFunc(all, func(c *cobra.Command) bool { return c.Name() == name })
		if at < 0 {
			t.Errorf("no command %q", name)
			continue
		}
		c := all[at]
		assert.Check(t, c.Short != "" && !strings.Contains(c.Short+c.Use, "\n") && !strings.Contains(c.Long, "Examples:"),
			"%s: use %q, purpose %q, help\n%s", name, c.Use, c.Short, c.Long)
	}
}
