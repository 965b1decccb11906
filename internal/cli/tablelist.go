package cli

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"mpanalyze/internal/catalogue"
	"mpanalyze/internal/evidence"
	"mpanalyze/internal/metrics"
)

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
	completeList(c, "tables", func() []string { return append(describedSeries(), t.words...) })
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

// check refuses unknown names. more are further names of series.
func (t *tableList) check(more ...string) (err error) {
	known := slices.Concat(t.words, metrics.SeriesNames(), evidence.SeriesNames(), more)
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
