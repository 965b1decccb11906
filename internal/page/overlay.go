package page

import (
	"mpanalyze/internal/overlay"
	"mpanalyze/internal/plot"
	"mpanalyze/internal/report"
)

// overlays returns a chart of each series beside the captures that has values in the time of the
// connection, and why others have none.
func overlays(c *report.Connection, doc *report.Document, beside []overlay.Series, columns int) (out []chart, absent []string) {
	run := &plot.Run{Document: doc, Connection: c.ID, Columns: columns}
	for i := range beside {
		p, err := run.OverlayPanel(&beside[i])
		if err != nil {
			absent = append(absent, err.Error())
			continue
		}
		title := "Beside the capture: " + p.Y
		out = append(out, chart{Title: title, Alt: alt(title, &p), panel: p})
	}
	return out, absent
}
