package cli

import (
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"
)

// TestConstructors: the constructor of a command makes the command of that name, and the tree of a
// command line that calls it has the same flags of it as the whole tree, and no other command that
// reads anything.
func TestConstructors(t *testing.T) {
	whole := newRoot(&app{}, "")
	for name, construct := range constructors() {
		assert.Check(t, is.Equal(construct(&app{}).Name(), name), "what the constructor makes")
		assert.Check(t, is.Equal(called([]string{name, "--json", "x"}), name), "what a command line that begins with it calls")
		alone := newRoot(&app{}, name)
		var others []string
		for _, c := range alone.Commands() {
			if !c.Hidden && !slices.Contains([]string{name, "help", "completion"}, c.Name()) {
				others = append(others, c.Name())
			}
		}
		one, _, err1 := alone.Find([]string{name})
		same, _, err2 := whole.Find([]string{name})
		assert.Check(t, len(others) == 0 && err1 == nil && err2 == nil && usage(one) == usage(same),
			"%s alone (%v, %v): beside it %v; its flags\n%s\nand in the whole tree\n%s", name, err1, err2, others, usage(one), usage(same))
	}
}

func usage(c *cobra.Command) string {
	return c.LocalFlags().FlagUsages() + c.InheritedFlags().FlagUsages()
}

// TestCalled: command lines that need all commands make all of them.
func TestCalled(t *testing.T) {
	for _, args := range [][]string{nil, {""}, {"--help"}, {"help", "analyze"}, {"completion", "bash"}, {"__complete", "analyze"}, {"--progress", "never", "analyze"}, {"analyse"}, {"--version", "x"}} {
		assert.Check(t, is.Equal(called(args), ""), "what %q calls", args)
	}
	assert.Check(t, is.Equal(called([]string{"--version"}), "version"), "what --version calls")
}

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
