package page

import (
	"strings"

	"mpanalyze/internal/plaintext"
	"mpanalyze/internal/plot"
	"mpanalyze/internal/report"
)

// timeTitle is the title of the chart that the page begins with.
const timeTitle = "Where the time went: state and throughput of each path"

// opening is a chart that stands at the top of the page, too.
type opening struct {
	Index int // among the charts of its connection
	chart
}

// openPart is the part of a connection's data from which on a direction has an opening.
const openPart = 0.1

// openings returns the charts of what the time of the connection's directions went to, and why
// there is none of the one with the most data.
func openings(c *report.Connection, charts []chart) (out []opening, why string) {
	all := c.A2B.Volume() + c.B2A.Volume()
	for i, x := range charts {
		if x.isTime() && float64(c.Dir(x.Direction).Volume()) >= openPart*float64(all) {
			out = append(out, opening{i, x})
		}
	}
	bulk := c.Bulk()
	dir := c.Dir(bulk)
	if dir == nil || all == 0 {
		return out, ""
	}
	if text, absent := dir.Unavailable.Of("time_account"); absent {
		why = "Not known where the time of " + string(bulk) + " went: " + text + "."
	}
	return out, why
}

// altOfRows describes a chart of rows in words.
func altOfRows(title string, rows []plot.Row) string {
	var text strings.Builder
	text.WriteString("Chart. " + title + ".")
	for _, r := range rows {
		text.WriteString(" " + plaintext.Clean(r.Name))
		if len(r.Words) > 0 {
			text.WriteString(": " + strings.Join(r.Words, ", "))
		}
		text.WriteString(".")
	}
	return text.String()
}
