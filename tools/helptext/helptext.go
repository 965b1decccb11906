// Package helptext gives the help texts of commands for man pages.
package helptext

import (
	"bytes"
	"strings"

	"github.com/spf13/cobra"

	"mpanalyze/internal/cli"
)

// Commands returns all commands, the program itself first, without hidden ones.
func Commands() (list []*cobra.Command) {
	root := root(0)
	for _, c := range append([]*cobra.Command{root}, root.Commands()...) {
		if !c.Hidden && c.Name() != "help" {
			list = append(list, c)
		}
	}
	return list
}

// All returns what --help-all prints of a command in lines of at most width characters.
func All(c *cobra.Command, width int) (string, error) {
	var help bytes.Buffer
	r := root(width)
	r.SetOut(&help)
	r.SetArgs(append(strings.Fields(c.CommandPath())[1:], "--help-all"))
	err := r.Execute()
	return help.String(), err
}

func root(width int) *cobra.Command {
	return cli.NewRoot(cli.Streams{OutWidth: width, Getenv: func(string) string { return "" }}, cli.Engine{}, "")
}
