package page

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"mpanalyze/internal/overlay"
	"mpanalyze/internal/plaintext"
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
	{title: "Where the time went: state and throughput of each path", kind: "time_account"},
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
	Index      int // among the charts of its connection
	Title, Alt string
	direction  report.Direction
	panel      plot.Panel
}

const (
	// maxCoords bounds the points of the whole page; a point takes about 20 bytes. If there
	// are more, all charts get coarser.
	maxCoords    = 300_000
	mostColumns  = 1024 // for a page with few charts, so that zooming in shows more
	leastColumns = 32
)

// draw gives each section its charts: those of the direction with more data, those of the other one,
// and those of series beside the captures.
func draw(list []section, doc *report.Document, store *timeline.Store, beside []overlay.Series) {
	for columns, total := mostColumns, maxCoords+1; total > maxCoords && columns >= leastColumns; columns /= 2 {
		total = 0
		for i := range list {
			s := &list[i]
			s.Charts, s.Absent = nil, nil
			for _, d := range []report.Direction{s.Bulk(), report.Directions[1-s.Bulk().Sender()]} {
				s.addDirection(d, doc, store, columns)
			}
			s.addOverlays(doc, beside, columns)
			for k := range s.Charts {
				s.Charts[k].Index = k
				for _, l := range s.Charts[k].panel.Layers {
					total += len(l.XY)
				}
			}
		}
	}
}

// addDirection adds the charts of one direction of the connection.
func (s *section) addDirection(d report.Direction, doc *report.Document, store *timeline.Store, columns int) {
	dir := s.Dir(d)
	if dir.Volume() == 0 {
		return
	}
	run := &plot.Run{Document: doc, Store: store, Connection: s.ID, Direction: d, Columns: columns}
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
		s.Charts = append(s.Charts, chart{Title: title, Alt: alt(title, &p), direction: d, panel: p})
	}
}

// alt describes a chart in words.
func alt(title string, p *plot.Panel) string {
	if p.Rows != nil {
		text := []string{"Chart. " + title + "."}
		for _, r := range p.Rows {
			text = append(text, strings.TrimSuffix(plaintext.Clean(r.Name)+": "+strings.Join(r.Words, ", "), ": ")+".")
		}
		return strings.Join(text, " ")
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

// addOverlays adds a chart of each series beside the captures that has values in the time of the
// connection, and says why others have none.
func (s *section) addOverlays(doc *report.Document, beside []overlay.Series, columns int) {
	run := &plot.Run{Document: doc, Connection: s.ID, Columns: columns}
	for i := range beside {
		p, err := run.OverlayPanel(&beside[i])
		if err != nil {
			s.Absent = append(s.Absent, err.Error())
			continue
		}
		title := "Beside the capture: " + p.Y
		s.Charts = append(s.Charts, chart{Title: title, Alt: alt(title, &p), panel: p})
	}
}

// openPart is the part of a connection's data from which on a direction has an opening.
const openPart = 0.1

// Openings returns the charts of what the time of the connection's directions went to, which stand
// at the top of the page, too.
func (s *section) Openings() (out []chart) {
	least := openPart * float64(s.A2B.Volume()+s.B2A.Volume())
	for _, x := range s.Charts {
		if x.panel.Rows != nil && float64(s.Dir(x.direction).Volume()) >= least {
			out = append(out, x)
		}
	}
	return out
}

// NoAccount says why it is not known what the time of the direction with the most data went to.
func (s *section) NoAccount() string {
	bulk := s.Bulk()
	if dir := s.Dir(bulk); dir.Volume() > 0 {
		if why, absent := dir.Unavailable.Of("time_account"); absent {
			return "Not known where the time of " + string(bulk) + " went: " + why + "."
		}
	}
	return ""
}
