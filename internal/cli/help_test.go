package cli_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"mpanalyze/internal/cli"
)

// TestHelpFits: no line of any command's help is wider than the terminal, and each flag
// and each word of its text is there at every width.
func TestHelpFits(t *testing.T) {
	for _, width := range []int{60, 80, 100, 160} {
		var out strings.Builder
		root := cli.NewRoot(cli.Streams{Out: &out, OutWidth: width}, cli.Engine{}, "")
		for _, c := range append(root.Commands(), root) {
			out.Reset()
			if err := c.Help(); err != nil {
				t.Fatal(err)
			}
			helpFits(t, c, out.String(), width)
		}
	}
}

func helpFits(t *testing.T, c *cobra.Command, text string, width int) {
	t.Helper()
	for line := range strings.Lines(text) {
		n := utf8.RuneCountInString(strings.TrimSuffix(line, "\n"))
		longWord := len(strings.Fields(line)) <= 3 || strings.Contains(line, "'") // what cannot be broken
		if n > width && !longWord {
			t.Errorf("%s, width %d: %d characters: %q", c.Name(), width, n, line)
		}
	}
	words := strings.Fields(text)
	all := " " + strings.Join(words, " ") + " "
	c.Flags().VisitAll(func(f *pflag.Flag) {
		_, usage := pflag.UnquoteUsage(f)
		if !f.Hidden && (!strings.Contains(all, "--"+f.Name) || !strings.Contains(all, strings.Join(strings.Fields(usage), " "))) {
			t.Errorf("%s, width %d: --%s or its text is not there", c.Name(), width, f.Name)
		}
	})
}
