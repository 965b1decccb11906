package plot

import (
	"errors"
	"fmt"
	"strings"

	"mpanalyze/internal/catalogue"
	"mpanalyze/internal/metrics"
	"mpanalyze/internal/palette"
	"mpanalyze/internal/report"
	"mpanalyze/internal/timeline"
)

// Run is one analysis of a session.
type Run struct {
	Scenario   string // empty where there is one only
	Document   *report.Document
	Store      *timeline.Store
	Connection int // id; AllConnections for the one with the most data
	Direction  report.Direction
	From, To   int64 // the time that the figure shows, nanoseconds since the connection's start; To 0 for no end
	Columns    int   // to which series are thinned; 0 for those of a printed figure
}

// AllConnections in [Run.Connection] stands for the connection with the most
// data.
const AllConnections = -1

// ErrEmpty says that there is nothing to draw.
var ErrEmpty = errors.New("nothing to draw")

// printColumns is the pixels across a figure of [DefaultSize] at 300 dpi.
const printColumns = 1900

// Resolve sets the connection and the direction where they are open.
func (r *Run) Resolve() error {
	var best *report.Connection
	for i := range r.Document.Connections {
		c := &r.Document.Connections[i]
		if r.Connection != AllConnections && c.ID != r.Connection {
			continue
		}
		if best == nil || c.A2B.Volume()+c.B2A.Volume() > best.A2B.Volume()+best.B2A.Volume() {
			best = c
		}
	}
	if best == nil {
		what := "no Multipath TCP connection"
		if r.Connection != AllConnections {
			what = fmt.Sprintf("no connection %d", r.Connection)
		}
		return fmt.Errorf("%w: %s%s; mpanalyze connections lists what the capture has", ErrEmpty, of(r.Scenario), what)
	}
	r.Connection = best.ID
	if r.Direction == "" {
		r.Direction = report.A2B
		if best.B2A.Volume() > best.A2B.Volume() {
			r.Direction = report.B2A
		}
	}
	return nil
}

func of(scenario string) string {
	if scenario == "" {
		return ""
	}
	return scenario + ": "
}

// connection returns the chosen connection.
func (r *Run) connection() *report.Connection {
	for i := range r.Document.Connections {
		if c := &r.Document.Connections[i]; c.ID == r.Connection {
			return c
		}
	}
	return &report.Connection{}
}

// dir returns the chosen direction of the connection.
func (r *Run) dir() *report.ConnDir {
	c := r.connection()
	if r.Direction == report.B2A {
		return c.B2A
	}
	return c.A2B
}

// series returns the series of a name in the chosen direction.
func (r *Run) series(what string) []*timeline.Series {
	return r.Store.Find(r.Connection, r.Direction, what)
}

// reason says why a metric is missing.
func (r *Run) reason(metric string) string {
	c := r.connection()
	lists := []report.Reasons{r.dir().Unavailable, c.Unavailable}
	for i := range c.Subflows {
		s := &c.Subflows[i]
		lists = append(lists, s.A2B.Unavailable, s.B2A.Unavailable)
	}
	for _, m := range catalogue.Lookup(metrics.Table(), metric) {
		for _, l := range lists {
			if text, ok := l.Of(m.JSON); ok {
				return ": " + text
			}
		}
	}
	return ""
}

// maker holds what the functions that make figures need.
type maker struct {
	runs    []*Run
	paths   palette.Paths
	several bool           // there are several scenarios
	head    string         // the scenario of all runs, where the figure shows several; empty for all scenarios
	numbers map[string]int // of scenarios, by name
	columns int
}

func newMaker(runs []*Run) *maker {
	m := &maker{runs: runs, paths: palette.Paths{}, numbers: map[string]int{}, columns: printColumns}
	for _, r := range runs {
		if r.Columns > 0 {
			m.columns = r.Columns
		}
		m.paths.Document(r.Document)
		if _, ok := m.numbers[r.Scenario]; !ok {
			m.numbers[r.Scenario] = len(m.numbers)
		}
	}
	m.several = len(m.numbers) > 1
	return m
}

// scenarios returns a maker for the runs of each scenario, for figures that
// would be unreadable with all of them in one panel.
func (m *maker) scenarios() (out []*maker) {
	if !m.several {
		return []*maker{m}
	}
	for _, r := range m.runs {
		if m.numbers[r.Scenario] == len(out) {
			out = append(out, &maker{paths: m.paths, columns: m.columns, head: r.Scenario})
		}
		of := out[m.numbers[r.Scenario]]
		of.runs = append(of.runs, r)
	}
	return out
}

// layer begins a layer for a series: paths have their colours, scenarios their
// dashes; what belongs to no path is told apart by scenario.
func (m *maker) layer(r *Run, l *timeline.Series, shape Shape) Layer {
	n := m.numbers[r.Scenario]
	out := Layer{Shape: shape, Colour: palette.Total, Dash: n}
	switch {
	case l.Subflow != report.NoSubflow:
		out.Colour = palette.Of(m.paths.Number(l.Path))
		out.Name = l.Path
	case m.several:
		out.Colour, out.Dash = palette.Of(n), 0
	default:
		out.Name = "total"
	}
	if m.several {
		out.Name = strings.TrimSpace(r.Scenario + " " + out.Name)
	}
	return out
}

// title names what the figure shows.
func (m *maker) title(what string) string {
	if m.several || len(m.runs) > 1 {
		return what
	}
	r := m.runs[0]
	return fmt.Sprintf("%s, connection %d, %s", what, r.Connection, arrow(r.Direction))
}

func arrow(d report.Direction) string {
	if d == report.B2A {
		return "B \u2192 A"
	}
	return "A \u2192 B"
}
