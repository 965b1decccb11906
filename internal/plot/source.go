package plot

import (
	"cmp"
	"errors"
	"fmt"
	"image/color"
	"maps"
	"slices"
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
	Receiver   *Run // of captures of both hosts: that of the host that receives the data, analysed alone, where the kind wants it
	Connection int  // id; AllConnections for the one with the most data
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
	several bool              // there are several scenarios
	head    string            // the scenario of all runs, where the figure shows several; empty for all scenarios
	numbers map[string]int    // of scenarios, by name
	factors *[2]palette.Paths // of which the scenarios' names are made: all but the last, and the last; nil for none
	mixed   bool              // some panels show paths of scenarios, others scenarios alone
	columns int
	options Options
}

// Options say what a figure shows besides.
type Options struct {
	Window   bool  // dsn: data ahead of the DATA_ACK, and the receive window, in a panel of their own
	NoEvents bool  // events are not marked
	Cell     int64 // width of the cells in which samples are averaged, ns; 0 to draw the line from sample to sample
	Points   bool  // samples are drawn as points
}

func newMaker(runs []*Run, o Options) *maker {
	m := &maker{runs: runs, options: o, paths: palette.Paths{}, numbers: map[string]int{}, columns: printColumns}
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
	m.factors = factorsOf(m.numbers)
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
			out = append(out, &maker{paths: m.paths, columns: m.columns, options: m.options, head: r.Scenario})
		}
		of := out[m.numbers[r.Scenario]]
		of.runs = append(of.runs, r)
	}
	return out
}

// layer begins a layer for a series: paths have their colours, scenarios their
// dashes; what belongs to no path is told apart by scenario.
func (m *maker) layer(r *Run, l *timeline.Series, shape Shape) Layer {
	out := Layer{Shape: shape, Colour: palette.Total}
	switch {
	case l.Subflow != report.NoSubflow:
		out.Colour, out.Name = palette.Of(m.paths.Number(l.Path)), l.Path
		m.byDash(&out, r)
	case m.several:
		m.byLook(&out, r.Scenario)
	default:
		out.Name = "total"
	}
	return out
}

// byDash tells a layer apart by its scenario's dashes. The legend shows what the
// colour stands for and what the dashes stand for.
func (m *maker) byDash(l *Layer, r *Run) {
	if !m.several {
		return
	}
	colour := neutral
	if m.mixed {
		colour, _ = m.look(r.Scenario)
	}
	l.Keys = append([]Key{l.key()}, Key{Name: r.Scenario, Rank: ByDash, Shape: l.Shape, Colour: colour, Dash: m.numbers[r.Scenario], Mark: l.Mark})
	l.Dash = m.numbers[r.Scenario]
	l.Name = strings.TrimSpace(r.Scenario + " " + l.Name)
}

// look returns the colour and the dashes of a scenario where no path has a colour.
// Where other panels have paths, the colours are others than theirs, and the
// dashes those that the scenario has there. Where scenarios are made of factors the
// last one has the colours and the others the dashes.
func (m *maker) look(scenario string) (color.NRGBA, int) {
	n := m.numbers[scenario]
	if m.mixed {
		return palette.Of(len(m.paths) + n), n
	}
	if m.factors != nil {
		rest, last := parts(scenario)
		return palette.Of(m.factors[1].Number(last)), m.factors[0].Number(rest)
	}
	return palette.Of(n), n / palette.Colours
}

// byLook tells a layer apart by its scenario. The legend shows factors apart.
func (m *maker) byLook(l *Layer, scenario string) {
	l.Colour, l.Dash = m.look(scenario)
	l.Name = scenario
	if m.factors == nil || m.mixed {
		l.Keys = []Key{{Name: scenario, Rank: ByDash, Shape: l.Shape, Colour: l.Colour, Dash: l.Dash}}
		return
	}
	rest, last := parts(scenario)
	l.Keys = []Key{{Name: last, Shape: l.Shape, Colour: l.Colour}, {Name: rest, Rank: ByDash, Shape: l.Shape, Colour: neutral, Dash: l.Dash}}
}

// parts returns the last factor of a scenario's name and what stands before it.
func parts(scenario string) (rest, last string) {
	i := strings.LastIndexByte(scenario, '/')
	if i < 0 {
		return "", scenario
	}
	return scenario[:i], scenario[i+1:]
}

// factorsOf numbers the last factor of the scenarios' names and what stands before
// it, or returns nil where the names are not made of factors, or of too many to be
// told apart.
func factorsOf(numbers map[string]int) *[2]palette.Paths {
	names := slices.SortedFunc(maps.Keys(numbers), func(a, b string) int { return cmp.Compare(numbers[a], numbers[b]) })
	f := &[2]palette.Paths{{}, {}}
	for _, n := range names {
		rest, last := parts(n)
		if rest == "" || last == "" {
			return nil
		}
		f[0].Number(rest)
		f[1].Number(last)
	}
	if len(f[0]) > len(dashes) || len(f[1]) > palette.Colours {
		return nil
	}
	return f
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
