package plot

import (
	"slices"
	"strings"

	"mpanalyze/internal/catalogue"
	"mpanalyze/internal/metrics"
)

// statWords are the statistics of a run that bars and boxes can draw, as axes name them.
var statWords = map[string]string{
	"avg": "mean", "cell_mean": "mean of the cells", "min": "minimum", "max": "maximum", "p50": "median", "p95": "95th percentile", "p99": "99th percentile",
	"stddev": "standard deviation", "variance": "variance", "cov": "coefficient of variation",
}

// splitStat splits a name like throughput.stddev into a metric and a statistic. The statistic is
// empty if the name has none.
func splitStat(name string) (metric, stat string) {
	i := strings.LastIndexByte(name, '.')
	if i < 0 || statWords[name[i+1:]] == "" {
		return name, ""
	}
	if rows := catalogue.Lookup(metrics.Table(), name[:i]); len(rows) > 0 {
		return rows[0].Name, name[i+1:]
	}
	return name, ""
}

// statLabel names a statistic of a metric on an axis, with its unit. word is empty for the mean.
func statLabel(metric, stat, word string) string {
	unit := unitOf(metric)
	if word == "" {
		return label(metric, unit)
	}
	text := label(metric, "") + ", " + word
	switch {
	case unit == "" || stat == "cov":
		return text
	case unit == "percent":
		unit = "%"
	}
	switch {
	case stat == "variance" && strings.ContainsAny(unit, "/ "):
		unit = "(" + unit + ")\u00b2"
	case stat == "variance":
		unit += "\u00b2"
	}
	return text + " (" + unit + ")"
}

// statsOf returns the statistics that can stand for one, the best first: for the mean of a rate,
// that of its cells fits to their variance.
func statsOf(stat string) []string {
	if slices.Contains(means, stat) && stat != "avg" {
		return means
	}
	return []string{stat}
}
