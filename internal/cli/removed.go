package cli

import (
	"fmt"

	"github.com/spf13/cobra"
)

// removed are commands of the release before, and what to use instead. The next release does not
// know them any more.
var removed = []struct{ name, instead string }{
	{"split", "analyze reads a capture of any length in bounded memory; extract --connection 0-99 copies some of its connections"},
	{"merge", "analyze reports on the whole capture in bounded memory, and on each part as on any capture"},
}

// removedCommands returns commands that only say what to use instead.
func removedCommands() (list []*cobra.Command) {
	for _, r := range removed {
		list = append(list, &cobra.Command{
			Use:                r.name,
			Short:              "Removed: " + r.instead,
			Hidden:             true,
			DisableFlagParsing: true,
			RunE: func(*cobra.Command, []string) error {
				return &statusError{ExitDamaged, fmt.Sprintf("the command %s was removed: %s; docs/scale.md says more", r.name, r.instead)}
			},
		})
	}
	return list
}

// sayOldName says, on standard error, that a command was called by the name that it had in the
// release before.
func (a *app) sayOldName(c *cobra.Command) {
	if called := c.CalledAs(); called != "" && called != c.Name() {
		a.sayWarnings([]string{fmt.Sprintf("the command %s is called %s now; the next release does not know the old name", called, c.Name())})
	}
}
