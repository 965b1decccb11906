package cli

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"mpanalyze/internal/catalogue"
	"mpanalyze/internal/metrics"
	"mpanalyze/internal/plot"
)

// completeFlag registers the function that completes the value of a flag.
func completeFlag(c *cobra.Command, flag string, values cobra.CompletionFunc) {
	if err := c.RegisterFlagCompletionFunc(flag, values); err != nil {
		panic(err) // no such flag: a mistake in the command's constructor
	}
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

// described returns the names of the wanted metrics with a short description, as shell
// completion shows them.
func described(all []catalogue.Metric, wanted func(*catalogue.Metric) bool) (out []string) {
	seen := map[string]bool{}
	for i := range all {
		m := &all[i]
		if wanted(m) && !seen[m.Name] {
			seen[m.Name] = true
			out = append(out, m.Name+"\t"+summaryOf(m))
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
	return described(metrics.Table(), func(*catalogue.Metric) bool { return true })
}

// describedSeries returns the names of the metrics that have a series.
func describedSeries() []string {
	names := metrics.SeriesNames()
	return described(metrics.Table(), func(m *catalogue.Metric) bool { return slices.Contains(names, m.Name) })
}

// describedLists returns the values of flags that take a list of series, all or none.
func describedLists() []string { return append(describedSeries(), "all", "none") }

// limitStarts returns the beginnings of the values of compare --fail-on: the name of a metric
// and the sign ">". It leaves out metrics for which neither direction is better.
func limitStarts() []string {
	return withSign(described(metrics.Table(), func(m *catalogue.Metric) bool { return m.Better != catalogue.NeitherIsBetter }), ">")
}

// withSign puts a sign behind names with descriptions.
func withSign(described []string, sign string) (out []string) {
	for _, text := range described {
		out = append(out, strings.Replace(text, "\t", sign+"\t", 1))
	}
	return out
}

// figureStarts returns the beginnings of the values of plot --figure: a kind and the sign "=".
func figureStarts() (out []string) {
	for _, k := range plot.Kinds() {
		out = append(out, k.Name+"=\t"+k.Short)
	}
	return out
}
