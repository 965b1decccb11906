package cli

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"mpanalyze/internal/catalogue"
	"mpanalyze/internal/metrics"
	"mpanalyze/internal/plot"
)

// newCompletion returns the command that prints scripts for shells.
func newCompletion() *cobra.Command {
	scripts := map[string]func(root *cobra.Command, w io.Writer) error{
		"bash":       func(root *cobra.Command, w io.Writer) error { return root.GenBashCompletionV2(w, true) },
		"zsh":        (*cobra.Command).GenZshCompletion,
		"fish":       func(root *cobra.Command, w io.Writer) error { return root.GenFishCompletion(w, true) },
		"powershell": (*cobra.Command).GenPowerShellCompletionWithDesc,
	}
	shells := []string{"bash", "zsh", "fish", "powershell"}
	c := command("completion", nil, func(c *cobra.Command, args []string) error {
		shell := strings.Join(args, " ")
		if script := scripts[shell]; script != nil {
			return script(c.Root(), c.OutOrStdout())
		}
		said := "no shell is named"
		if len(args) > 0 {
			said = fmt.Sprintf("no script for %q", shell)
		}
		return mistakes(c, fmt.Errorf("%s; want %s", said, alternatives(shells)))
	})
	c.ValidArgs = shells
	return c
}

// newHelp returns the command that shows the help of another one.
func newHelp(root *cobra.Command) *cobra.Command {
	c := command("help", nil, func(_ *cobra.Command, args []string) error {
		if len(args) == 0 {
			return root.Help()
		}
		of, rest, err := root.Find(args)
		if err != nil || of == root || len(rest) > 0 {
			return mistakes(root, unknownCommand(root, args[0], args))
		}
		return of.Help()
	})
	for _, sub := range root.Commands() {
		if sub.IsAvailableCommand() {
			c.ValidArgs = append(c.ValidArgs, cobra.CompletionWithDesc(sub.Name(), sub.Short))
		}
	}
	return c
}

// Without a file: what a value may be, and what it may begin with, so that the user types the rest.
const (
	noFile  = cobra.ShellCompDirectiveNoFileComp
	noSpace = cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
)

// complete registers what the value of a flag may be: words, each with a tab and its description or without one. They are listed only
// when a shell asks for them. end says whether the user types on behind a word: the rest of the value, or the next entry of a list
// with commas, which does not suggest those that it already has.
func complete(c *cobra.Command, flag string, end cobra.ShellCompDirective, values func() []string) {
	completeTyped(c, flag, end, func(typed string) (out []string) {
		before := typed[:strings.LastIndexByte(typed, ',')+1]
		given := strings.Split(before, ",")
		for _, v := range values() {
			if name, _, _ := strings.Cut(v, "\t"); !slices.Contains(given, name) {
				out = append(out, before+v)
			}
		}
		return out
	})
}

// completeTyped registers the function that completes what was typed of the value of a flag.
func completeTyped(c *cobra.Command, flag string, end cobra.ShellCompDirective, values func(typed string) []string) {
	err := c.RegisterFlagCompletionFunc(flag, func(_ *cobra.Command, _ []string, typed string) ([]string, cobra.ShellCompDirective) {
		return values(typed), end
	})
	if err != nil {
		panic(err) // no such flag: a mistake in the command's constructor
	}
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
