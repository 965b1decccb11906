package cli

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"mpanalyze/internal/catalogue"
	"mpanalyze/internal/metrics"
	"mpanalyze/internal/plot"
)

// addCompletion adds the command that prints scripts for shells.
func addCompletion(root *cobra.Command) {
	scripts := map[string]func(*cobra.Command) error{
		"bash":       func(c *cobra.Command) error { return root.GenBashCompletionV2(c.OutOrStdout(), true) },
		"zsh":        func(c *cobra.Command) error { return root.GenZshCompletion(c.OutOrStdout()) },
		"fish":       func(c *cobra.Command) error { return root.GenFishCompletion(c.OutOrStdout(), true) },
		"powershell": func(c *cobra.Command) error { return root.GenPowerShellCompletionWithDesc(c.OutOrStdout()) },
	}
	shells := []string{"bash", "zsh", "fish", "powershell"}
	known := func(c *cobra.Command, args []string) error {
		if len(args) == 1 && scripts[args[0]] != nil {
			return nil
		}
		err := errors.New("no shell is named")
		if len(args) > 0 {
			err = fmt.Errorf("no script for %q", strings.Join(args, " "))
		}
		return mistakes(c, fmt.Errorf("%w; want %s", err, alternatives(shells)))
	}
	c := command("completion", known, func(c *cobra.Command, args []string) error { return scripts[args[0]](c) })
	c.ValidArgs = shells
	root.AddCommand(c)
}

// newHelp returns the command that shows the help of another one.
func newHelp() *cobra.Command {
	c := command("help", nil, func(c *cobra.Command, args []string) error {
		of := c.Root()
		if len(args) > 0 {
			var rest []string
			var err error
			if of, rest, err = of.Find(args); err != nil || of == c.Root() || len(rest) > 0 {
				return &usageError{"mpanalyze", unknownCommand(c.Root(), args[0], args)}
			}
		}
		return of.Help()
	})
	c.ValidArgsFunction = func(c *cobra.Command, args []string, _ string) (names []string, _ cobra.ShellCompDirective) {
		for _, sub := range c.Root().Commands() {
			if len(args) == 0 && sub.IsAvailableCommand() {
				names = append(names, sub.Name()+"\t"+sub.Short)
			}
		}
		return names, cobra.ShellCompDirectiveNoFileComp
	}
	return c
}

// completeFlag registers the function that completes the value of a flag.
func completeFlag(c *cobra.Command, flag string, values cobra.CompletionFunc) {
	if err := c.RegisterFlagCompletionFunc(flag, values); err != nil {
		panic(err) // no such flag: a mistake in the command's constructor
	}
}

// complete gives a flag its values for shell completion.
func complete(c *cobra.Command, flag string, values ...string) {
	completeFlag(c, flag, cobra.FixedCompletions(values, cobra.ShellCompDirectiveNoFileComp))
}

// completeList registers the values of a flag that takes a list separated by commas. The last
// entry of the list is completed; values that the list already has are not suggested again.
func completeList(c *cobra.Command, flag string, values func() []string) {
	completeFlag(c, flag, func(_ *cobra.Command, _ []string, typed string) ([]string, cobra.ShellCompDirective) {
		before := typed[:strings.LastIndexByte(typed, ',')+1]
		given := strings.Split(before, ",")
		var out []string
		for _, v := range values() {
			if name, _, _ := strings.Cut(v, "\t"); !slices.Contains(given, name) {
				out = append(out, before+v)
			}
		}
		return out, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
	})
}

// completeStart registers the beginnings of a flag's value. The user types the rest.
func completeStart(c *cobra.Command, flag string, values func() []string) {
	completeFlag(c, flag, func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		return values(), cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
	})
}

// completeFrom registers the values of a flag. Like those of completeList and completeStart, they are
// listed only when a shell asks for them.
func completeFrom(c *cobra.Command, flag string, values func() []string) {
	completeFlag(c, flag, func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		return values(), cobra.ShellCompDirectiveNoFileComp
	})
}

// described returns the names of metrics with a short description, as shell completion shows them.
// sign returns what stands behind a name, and whether the metric is wanted.
func described(all []catalogue.Metric, sign func(*catalogue.Metric) (string, bool)) (out []string) {
	seen := map[string]bool{}
	for i := range all {
		m := &all[i]
		if text, wanted := sign(m); wanted && !seen[m.Name] {
			seen[m.Name] = true
			out = append(out, m.Name+text+"\t"+summaryOf(m))
		}
	}
	return out
}

// summaryOf returns the beginning of a metric's definition.
func summaryOf(m *catalogue.Metric) string {
	text, _, _ := strings.Cut(m.Definition, ". ")
	text, _, _ = strings.Cut(text, ";")
	return strings.Join(strings.Fields(text), " ")
}

// describedMetrics returns the names of all metrics.
func describedMetrics() []string {
	return described(metrics.Table(), func(*catalogue.Metric) (string, bool) { return "", true })
}

// describedSeries returns the names of the metrics that have a series.
func describedSeries() []string {
	names := metrics.SeriesNames()
	return described(metrics.Table(), func(m *catalogue.Metric) (string, bool) { return "", slices.Contains(names, m.Name) })
}

// limitStarts returns the beginnings of the values of compare --fail-on: the name of a metric
// and the sign ">". It leaves out metrics for which neither direction is better.
func limitStarts() []string {
	return described(metrics.Table(), func(m *catalogue.Metric) (string, bool) { return ">", m.Better != catalogue.NeitherIsBetter })
}

// figureStarts returns the beginnings of the values of plot --figure: a kind and the sign "=".
func figureStarts() (out []string) {
	for _, k := range plot.Kinds() {
		out = append(out, k.Name+"=\t"+k.Short)
	}
	return out
}
