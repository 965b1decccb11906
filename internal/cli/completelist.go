package cli

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"mpanalyze/internal/catalogue"
	"mpanalyze/internal/metrics"
	"mpanalyze/internal/plot"
)

// completeFlag gives a flag what completes its value.
func completeFlag(c *cobra.Command, flag string, values cobra.CompletionFunc) {
	if err := c.RegisterFlagCompletionFunc(flag, values); err != nil {
		panic(err) // no such flag: a mistake in the command's constructor
	}
}

// completeList gives a flag that takes a list with commas its values: the last of the
// list is completed, and those that the list has are not suggested again.
func completeList(c *cobra.Command, flag string, values ...string) {
	completeFlag(c, flag, func(_ *cobra.Command, _ []string, typed string) ([]string, cobra.ShellCompDirective) {
		before := typed[:strings.LastIndexByte(typed, ',')+1]
		given := strings.Split(before, ",")
		var out []string
		for _, v := range values {
			if name, _, _ := strings.Cut(v, "\t"); !slices.Contains(given, name) {
				out = append(out, before+v)
			}
		}
		return out, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
	})
}

// completeStart gives a flag the values that its value begins with; more follows them.
func completeStart(c *cobra.Command, flag string, values ...string) {
	completeFlag(c, flag, cobra.FixedCompletions(values, cobra.ShellCompDirectiveNoFileComp|cobra.ShellCompDirectiveNoSpace))
}

// described returns the names of metrics and what each is, as completion shows them.
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

// summaryOf is the beginning of a metric's definition.
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

// limitStarts returns the starts of what compare --fail-on takes: a metric of which one way is
// better, and the sign behind it.
func limitStarts() (out []string) {
	for _, text := range described(metrics.Table(), func(m *catalogue.Metric) bool { return m.Better != catalogue.NeitherIsBetter }) {
		name, what, _ := strings.Cut(text, "\t")
		out = append(out, name+">\t"+what)
	}
	return out
}

// figureStarts returns the starts of what plot --figure takes: a kind, and the sign behind
// it.
func figureStarts() (out []string) {
	for _, k := range plot.Kinds() {
		out = append(out, k.Name+"=\t"+k.Short)
	}
	return out
}
