package page

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"mpanalyze/internal/campaign"
	"mpanalyze/internal/plaintext"
	"mpanalyze/internal/plot"
	"mpanalyze/internal/report"
)

// statistics holds the words for the statistics in summaries.
var statistics = map[string]string{
	"avg": "average", "max": "largest", "min": "least", "cell_mean": "mean of cells", "stddev": "standard deviation of the population", "median": "median", "per_s": "per second",
}

// words returns the name of a figure in words, with its unit.
func words(figure string) string {
	n := campaign.NameOf(figure)
	metric, stat, _ := strings.Cut(n.Metric, ".")
	for _, unit := range []string{"_ms", "_mbps", "_bytes", "_percent", "_per_s"} {
		metric = strings.TrimSuffix(metric, unit)
	}
	text := plot.Label(cmp.Or(metric, figure), "")
	if stat != "" {
		text += ", " + cmp.Or(statistics[stat], strings.NewReplacer(".", " ", "_", " ").Replace(stat))
	}
	if n.Unit != "" {
		text += " (" + strings.Replace(n.Unit, "percent", "%", 1) + ")"
	}
	if n.Path != "" {
		text = n.Path + ": " + text
	}
	if slices.Contains(report.Directions[:], report.Direction(n.Direction)) {
		text += ", " + n.Direction
	}
	return text
}

// possible names causes that the evidence leaves, with their hosts.
func possible(list report.List[report.Cause]) string {
	var names []string
	for _, c := range list {
		name := strings.ReplaceAll(string(c.Code), "_", " ")
		if c.Host != nil {
			name += " on " + string(*c.Host)
		}
		names = append(names, name)
	}
	return strings.Join(names, ", ")
}

// said writes the value of a line of records, which is mostly a whole number, with its unit.
func said(k report.KernelLine) string {
	if k.Value != nil && *k.Value == math.Trunc(*k.Value) && math.Abs(*k.Value) < 1<<53 {
		text := grouped(int64(*k.Value))
		if k.Unit != nil && *k.Unit != "count" && *k.Unit != "ratio" {
			text += " " + plaintext.Clean(*k.Unit)
		}
		return text
	}
	return plaintext.Amount(&report.Proof{Value: k.Value, Unit: k.Unit})
}
