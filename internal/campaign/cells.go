package campaign

import (
	"slices"
	"strings"

	"mpanalyze/internal/bykey"
	"mpanalyze/internal/metrics"
)

// delaysOfCells names the metrics all of whose statistics are over cells of the sampling grid.
var delaysOfCells = []string{"protocol_delay_ms", holDegree, holBlocking, "hol_degree_all_paths_ms"}

// cellOf returns the cell of the sampling grid that a figure of the run depends on, as in "100ms";
// "DATA_ACK" where each DATA_ACK is a sample, and empty where there is no cell or none is known.
// The variance of a rate, for example, falls with longer cells. The average of a rate has none.
func (r *Run) cellOf(figure string) string {
	m, stat := metricOf(figure)
	if r.MadeBy == nil || m.Name == "" {
		return ""
	}
	rate := stat != m.Usual() && fieldNames()[m.JSON+".cell_mean"] && m.Name != "srtt"
	delay := stat == "cell_mean" || slices.Contains(delaysOfCells, m.JSON)
	switch interval := r.MadeBy.Options.Interval; {
	case !rate && !delay:
		return ""
	case interval != "0s":
		return interval
	case rate:
		return metrics.DefaultInterval.String()
	}
	return "DATA_ACK"
}

// gridCell returns the cell of a figure in all runs that have it; several with "+" between them.
func gridCell(figure string, scenarios ...*Scenario) string {
	return joinCells(ofRuns(scenarios, figure, (*Run).cellOf))
}

func joinCells(cells []string) string {
	return strings.Join(slices.DeleteFunc(distinct(cells), func(c string) bool { return c == "" }), "+")
}

// cellNote says in words which rows depend on the length of a cell, and on which.
func cellNote(rows []string, cells []string) string {
	var by bykey.Lists[string]
	for i, c := range cells {
		if c != "" && !slices.Contains(by.Of[c], rows[i]) {
			by.Add(c, rows[i])
		}
	}
	var parts []string
	for _, c := range by.Keys {
		where := " in cells of " + strings.ReplaceAll(c, "+", " or ") // 100ms or 1s: a warning names the runs
		if c == "DATA_ACK" {
			where = " with a sample per DATA_ACK"
		}
		parts = append(parts, strings.Join(by.Of[c], ", ")+where)
	}
	return strings.Join(parts, "; ")
}

// cellName names the row of a figure in a note on cells, for all paths at once.
func (l *Layout) cellName(figure string) string {
	m, stat := metricOf(figure)
	name := l.rowMetric(figure)
	if slices.Contains(delaysOfCells, m.JSON) {
		return name
	}
	return name + " " + statName(stat)
}
