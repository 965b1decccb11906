package page

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"mpanalyze/internal/overlay"
	"mpanalyze/internal/plot"
	"mpanalyze/internal/report"
	"mpanalyze/internal/timeline"
)

// charts lists the charts of each direction with data.
var charts = []struct {
	title   string
	kind    string
	metrics []string // for the kinds that take some
}{
	{title: timeTitle, kind: "time_account"},
	{title: "Data sequence numbers", kind: "dsn"},
	{title: "Throughput", kind: "series", metrics: []string{"throughput"}},
	{title: "Path delay: first sending to DATA_ACK", kind: "series", metrics: []string{"path_delay"}},
	{title: "Smoothed round-trip time", kind: "series", metrics: []string{"srtt"}},
	{title: "Protocol delay: the slowest path of each cell", kind: "series", metrics: []string{"protocol_delay"}},
	{title: "Degree of head-of-line blocking", kind: "series", metrics: []string{"hol_degree"}},
	{title: "Head-of-line blocking by the waits that were measured", kind: "series", metrics: []string{"hol_blocking"}},
	{title: "Data that waits for lower data", kind: "series", metrics: []string{"hol_queue"}},
}

// chart is one panel with its title and a description in words.
type chart struct {
	Title, Alt string
	Direction  report.Direction
	panel      plot.Panel
}

// isTime reports whether the chart shows what the time went to.
func (c *chart) isTime() bool { return c.panel.Rows != nil }

const (
	// maxCoords bounds the points of the whole page; a point takes about 20 bytes. If there
	// are more, all charts get coarser.
	maxCoords    = 300_000
	mostColumns  = 1024 // for a page with few charts, so that zooming in shows more
	leastColumns = 32
)

// draw returns the charts of each connection.
func draw(list []*report.Connection, doc *report.Document, store *timeline.Store, beside []overlay.Series) (out [][]chart) {
	for columns := mostColumns; ; columns /= 2 {
		out = out[:0]
		total := 0
		for _, c := range list {
			first, second := report.A2B, report.B2A
			if c.Bulk() == report.B2A {
				first, second = second, first
			}
			drawn := append(direction(c, first, doc, store, columns), direction(c, second, doc, store, columns)...)
			others, _ := overlays(c, doc, beside, columns)
			drawn = append(drawn, others...)
			out = append(out, drawn)
			for _, d := range drawn {
				for _, l := range d.panel.Layers {
					total += len(l.XY)
				}
			}
		}
		if total <= maxCoords || columns <= leastColumns {
			return out
		}
	}
}

// direction returns the charts of one direction of a connection.
func direction(c *report.Connection, d report.Direction, doc *report.Document, store *timeline.Store, columns int) (out []chart) {
	dir := c.Dir(d)
	if dir.Volume() == 0 {
		return nil
	}
	run := &plot.Run{Document: doc, Store: store, Connection: c.ID, Direction: d, Columns: columns}
	for _, x := range charts {
		kind, err := plot.KindNamed(x.kind)
		var f *plot.Figure
		if err == nil {
			kind.Options.Kernel = true // only runs with records have such series
			f, err = kind.Make([]*plot.Run{run}, x.metrics)
		}
		if errors.Is(err, plot.ErrEmpty) {
			continue // the tables and the verdicts say what is missing and why
		}
		if err != nil {
			panic(err) // no such kind: a mistake in the table above
		}
		p := f.Panels[0]
		if p.Rows != nil && dir.TimeAccount == nil {
			continue // the throughput has a chart of its own
		}
		if !slices.ContainsFunc(p.Layers, func(l plot.Layer) bool { return len(l.XY) > 1 }) {
			continue // a chart of single points would show no more than the tables
		}
		title := x.title + ", " + string(d)
		if doc.Clock != nil { // tables of captures of both hosts also have figures of the other one
			title += ", in the sender's capture"
		}
		if i := strings.LastIndex(p.Y, "("); i >= 0 {
			title += " " + p.Y[i:] // the unit
		}
		out = append(out, chart{Title: title, Alt: alt(title, &p), Direction: d, panel: p})
	}
	return out
}

// alt describes a chart in words.
func alt(title string, p *plot.Panel) string {
	if p.Rows != nil {
		return altOfRows(title, p.Rows)
	}
	low, high, from, to := math.Inf(1), math.Inf(-1), math.Inf(1), math.Inf(-1)
	for _, l := range p.Layers {
		for _, c := range l.XY {
			low, high = min(low, c.Lo), max(high, c.Hi)
			from, to = min(from, c.X), max(to, c.X)
		}
	}
	return fmt.Sprintf("Chart. %s. From %.4g to %.4g s the values lie between %.4g and %.4g.", title, from, to, low, high)
}

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
