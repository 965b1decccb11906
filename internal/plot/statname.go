package plot

import (
	"slices"
	"strings"
	"time"

	"mpanalyze/internal/campaign"
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

// statLabel names a statistic of a metric on an axis, with its unit and, where it is over cells, their length: a variance over
// longer cells is smaller. word is empty for the mean.
func (m *maker) statLabel(metric, stat, word string) string {
	unit := unitOf(metric)
	if word == "" {
		return Label(metric, unit)
	}
	text := Label(metric, "") + m.inCells(metric) + ", " + word
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

// inCells says of a metric over the cells of the sampling grid how long these are, if they are the same in all runs.
func (m *maker) inCells(metric string) string {
	var all []string
	for _, r := range m.all {
		if by := r.Document.MadeBy; by != nil {
			all = campaign.Once(all, by.Options.Interval)
		}
	}
	if len(all) != 1 || !slices.Contains(overCells, metric) {
		return ""
	}
	cell, err := time.ParseDuration(all[0])
	if err != nil || cell <= 0 {
		return ""
	}
	return " in cells of " + duration(int64(cell))
}

// overCells are the metrics that have a value for each cell of the sampling grid.
var overCells = []string{"throughput", "goodput", "share", "protocol_delay", "hol_degree", "hol_blocking", "hol_degree_all_paths"}

// statsOf returns the statistics that can stand for one, the best first. For rates, the variance in the report is over cells, so the
// mean over cells fits to it; what is not over cells has the usual mean alone.
func statsOf(stat string) []string {
	if stat == "cell_mean" {
		return []string{stat, "avg"}
	}
	return []string{stat}
}
