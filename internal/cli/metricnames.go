package cli

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"mpanalyze/internal/campaign"
	"mpanalyze/internal/catalogue"
	"mpanalyze/internal/evidence"
	"mpanalyze/internal/metrics"
	"mpanalyze/internal/plot"
)

// families is the flag that says which metrics are computed besides the basic ones.
type families struct{ list []string }

func (f *families) register(c *cobra.Command) {
	c.Flags().StringSliceVar(&f.list, "metric", []string{"all"}, "metrics to compute: all, basic (counts, round trips, rates, shares, losses), or basic and a `LIST` of delays, order, windows, verdicts")
	complete(c, "metric", noSpace, catalogue.FamilyNames)
}

func (f *families) asked() string { return strings.Join(f.list, ",") }

// omit returns the families that are not computed.
func (f *families) omit() (catalogue.Families, error) {
	asked, err := catalogue.ParseFamilies(f.asked())
	if err == nil {
		return catalogue.AllFamilies &^ asked, nil
	}
	return 0, fmt.Errorf("--metric %s: %w", f.asked(), err)
}

// checkMetric refuses a pattern of figures if no part of it names a metric, because no run can
// have such a figure. So the mistake is found before the runs are analysed. A pattern with * may
// fit anything.
func checkMetric(flag, pattern string) error {
	if strings.Contains(pattern, "*") || campaign.OfKernel(pattern) {
		return nil
	}
	_, err := catalogue.Resolve(metrics.Table(), pattern)
	if _, found := metricIn(pattern); err == nil || len(found) > 0 {
		return nil
	}
	if parts := strings.Split(pattern, "."); len(parts) > 1 && (parts[0] == "a2b" || parts[0] == "b2a") {
		_, err = catalogue.Resolve(metrics.Table(), strings.Join(parts[1:], "."))
	}
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s %s: %w", flag, pattern, err)
}

// refuse returns an error if a metric that another flag names is of a family that is not
// computed.
func (f *families) refuse(flag, metric string, of catalogue.Families) error {
	if omit, err := f.omit(); err != nil || omit&of == 0 {
		return nil // check reports a wrong --metric once
	}
	return fmt.Errorf("%s: %s is not derived with --metric %s; add %v", flag, metric, f.asked(), of)
}

// metricIn returns the first part of a pattern that names a metric, and the metrics of
// that name.
func metricIn(pattern string) (part string, found []catalogue.Metric) {
	for part = range strings.SplitSeq(pattern, ".") {
		if found = catalogue.Lookup(metrics.Table(), part); len(found) > 0 {
			return part, found
		}
	}
	return "", nil
}

// labelled names the metrics of patterns, each with its unit, as axes do.
func labelled(patterns []string) string {
	var all []string
	for _, pattern := range patterns {
		if name, err := catalogue.Resolve(metrics.Table(), pattern); err == nil {
			pattern = name
		}
		if _, found := metricIn(pattern); len(found) > 0 {
			unit := found[0].Unit
			if unit == "1" || unit == catalogue.Composite {
				unit = ""
			}
			all = campaign.Once(all, plot.Label(found[0].Name, unit))
		}
	}
	return strings.Join(all, ", ")
}

// howDerived returns a hint for a figure that no run has: which figures of its metric there are, else how the metric can be derived.
func howDerived(set *campaign.Set, pattern string) string {
	if name, err := catalogue.Resolve(metrics.Table(), pattern); err == nil {
		pattern = name
	}
	_, found := metricIn(pattern)
	var names []string
	for _, m := range found {
		for _, figure := range set.Match("*."+m.JSON+".*", "") {
			_, name, _ := strings.Cut(figure, "."+m.JSON+".")
			names = campaign.Once(names, m.Name+"."+name)
		}
	}
	switch {
	case len(found) == 0:
		return "mpanalyze explain lists the metrics"
	case len(names) > 0:
		return "there are " + strings.Join(names, ", ")
	case found[0].Option != "":
		return found[0].Option + " derives it where the capture shows it; names of its figures end in .*, as in " + found[0].JSON + ".*"
	}
	return "mpanalyze explain " + found[0].Name + " says which captures show it"
}

// tableList is the flag that says which optional tables are written: words, and names of metrics, whose
// series are written alone.
type tableList struct {
	list  []string
	words []string
}

// register adds the flag, which takes some words besides series and none.
func (t *tableList) register(c *cobra.Command, value, usage string, words ...string) {
	t.words = append(words, "series", "none")
	c.Flags().StringSliceVar(&t.list, "tables", strings.Split(value, ","), usage)
	complete(c, "tables", noSpace, func() []string { return append(describedSeries(), t.words...) })
}

// text returns the list without spaces, which do not count.
func (t *tableList) text() string { return strings.ReplaceAll(strings.Join(t.list, ","), " ", "") }

func (t *tableList) names() []string { return strings.Split(t.text(), ",") }

func (t *tableList) has(word string) bool { return slices.Contains(t.names(), word) }

// series returns the metrics in the list, by the names that they have in series.csv.
func (t *tableList) series() (names []string) {
	for _, name := range t.names() {
		if !slices.Contains(t.words, name) {
			names = append(names, ownName(name))
		}
	}
	return names
}

// ownName takes any name of a metric and returns the name that the metric has in series.csv.
// If no metric or several metrics have the given name, it returns the given name.
func ownName(name string) string {
	resolved, err := catalogue.Resolve(metrics.Table(), name)
	switch {
	case err != nil:
		return name
	case strings.Contains(resolved, "."):
		return resolved
	}
	return catalogue.Lookup(metrics.Table(), resolved)[0].Name
}

// check refuses unknown names.
func (t *tableList) check() (err error) {
	known := slices.Concat(t.words, metrics.SeriesNames(), evidence.SeriesNames())
	for _, name := range t.series() {
		if !slices.Contains(known, name) {
			said := cmp.Or(catalogue.DidYouMean(name, known), "; want some of: "+strings.Join(known, ", "))
			err = errors.Join(err, fmt.Errorf("--tables: no table and no series %q%s", name, said))
		}
	}
	return err
}

// wanted returns a function that reports whether the series of a metric is written; nil if none is.
func (t *tableList) wanted() func(metric string) bool {
	all, names := t.has("series"), t.series()
	if !all && len(names) == 0 {
		return nil
	}
	return func(metric string) bool {
		return all && !evidence.OfFigures(metric) || slices.Contains(names, metric)
	}
}
