package cli_test

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"gotest.tools/v3/assert"

	"mpanalyze/internal/cli"
)

// TestShortHelp: --help fits a screen of 80 columns and 24 lines, that of the program one of 34
// lines, which lists all commands. It names --help-all, and flags that there are.
func TestShortHelp(t *testing.T) {
	var out strings.Builder
	root := cli.NewRoot(cli.Streams{Out: &out, OutWidth: 80}, cli.Engine{}, "")
	for _, c := range append(root.Commands(), root) {
		if c.Hidden {
			continue
		}
		out.Reset()
		assert.NilError(t, c.Help())
		text, most := out.String(), 24
		if c == root {
			most = 34
			for _, sub := range root.Commands() {
				assert.Check(t, sub.Hidden || strings.Contains(text, "\n  "+sub.Name()+" ") != slices.Contains([]string{"completion", "version"}, sub.Name()), "the command %s is in no group of the help", sub.Name())
			}
		}
		n := strings.Count(text, "\n")
		assert.Check(t, n <= most && strings.Contains(text, "--help-all"), "%s --help has %d lines, at most %d are wanted, with --help-all:\n%s", c.Name(), n, most, text)
	}
}

// TestHelpFits: no line of any command's full help is wider than the terminal, and each flag
// and each word of its text is there at every width.
func TestHelpFits(t *testing.T) {
	for _, width := range []int{60, 80, 100, 160} {
		var out strings.Builder
		root := cli.NewRoot(cli.Streams{Out: &out, OutWidth: width}, cli.Engine{}, "")
		for _, c := range append(root.Commands(), root) {
			out.Reset()
			assert.NilError(t, errors.Join(c.Flags().Set("help-all", "true"), c.Help()))
			helpFits(t, c, out.String(), width)
		}
	}
}

func helpFits(t *testing.T, c *cobra.Command, text string, width int) {
	t.Helper()
	for line := range strings.Lines(text) {
		n := utf8.RuneCountInString(strings.TrimSuffix(line, "\n"))
		longWord := len(strings.Fields(line)) <= 3 || strings.Contains(line, "'") // what cannot be broken
		assert.Check(t, n <= width || longWord, "%s, width %d: %d characters: %q", c.Name(), width, n, line)
	}
	words := strings.Fields(text)
	all := " " + strings.Join(words, " ") + " "
	c.Flags().VisitAll(func(f *pflag.Flag) {
		_, usage := pflag.UnquoteUsage(f)
		assert.Check(t, f.Hidden || strings.Contains(all, "--"+f.Name) && strings.Contains(all, strings.Join(strings.Fields(usage), " ")),
			"%s, width %d: --%s or its text is not there", c.Name(), width, f.Name)
	})
}
