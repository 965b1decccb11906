package cli

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
)

const completionHelp = `Print a script that makes the Tab key complete commands, flags, names of metrics
and other values of flags in a shell: bash, zsh, fish or powershell.`

const completionExamples = `  mpanalyze completion bash > ~/.local/share/bash-completion/completions/mpanalyze
  mpanalyze completion zsh > "${fpath[1]}/_mpanalyze"
  mpanalyze completion fish > ~/.config/fish/completions/mpanalyze.fish`

// addCompletion adds the command that prints scripts for shells.
func addCompletion(root *cobra.Command) {
	scripts := map[string]func(*cobra.Command) error{
		"bash":       func(c *cobra.Command) error { return root.GenBashCompletionV2(c.OutOrStdout(), true) },
		"zsh":        func(c *cobra.Command) error { return root.GenZshCompletion(c.OutOrStdout()) },
		"fish":       func(c *cobra.Command) error { return root.GenFishCompletion(c.OutOrStdout(), true) },
		"powershell": func(c *cobra.Command) error { return root.GenPowerShellCompletionWithDesc(c.OutOrStdout()) },
	}
	shells := []string{"bash", "zsh", "fish", "powershell"}
	root.AddCommand(&cobra.Command{
		Use:       "completion bash|zsh|fish|powershell",
		Short:     "Print a script that completes command lines in a shell",
		Long:      completionHelp,
		Example:   completionExamples,
		ValidArgs: shells,
		Args: func(c *cobra.Command, args []string) error {
			if len(args) == 1 && scripts[args[0]] != nil {
				return nil
			}
			err := errors.New("no shell is named")
			if len(args) > 0 {
				err = fmt.Errorf("no script for %q", strings.Join(args, " "))
			}
			return mistakes(c, fmt.Errorf("%w; want %s", err, alternatives(shells)))
		},
		RunE: func(c *cobra.Command, args []string) error { return scripts[args[0]](c) },
	})
}

// newHelp returns the command that shows the help of another one.
func newHelp() *cobra.Command {
	return &cobra.Command{
		Use:   "help [COMMAND]",
		Short: "Show the help of a command",
		ValidArgsFunction: func(c *cobra.Command, args []string, _ string) (names []string, _ cobra.ShellCompDirective) {
			for _, sub := range c.Root().Commands() {
				if len(args) == 0 && sub.IsAvailableCommand() {
					names = append(names, sub.Name()+"\t"+sub.Short)
				}
			}
			return names, cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(c *cobra.Command, args []string) error {
			of := c.Root()
			if len(args) > 0 {
				var rest []string
				var err error
				if of, rest, err = of.Find(args); err != nil || of == c.Root() || len(rest) > 0 {
					return &usageError{"mpanalyze", unknownCommand(c.Root(), args[0], args)}
				}
			}
			return of.Help()
		},
	}
}
