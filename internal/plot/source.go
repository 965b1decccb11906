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
	Scenario   string // empty if there is only one
	Document   *report.Document
	Store      *timeline.Store
	Receiver   *Run // with captures of both hosts: the analysis of the receiving host's capture alone, if the kind needs it
	Connection int  // id; AllConnections for the one with the most data
	Direction  report.Direction
	From, To   int64 // the time that the figure shows, nanoseconds since the connection's start; To 0 for no end
	Columns    int   // columns of pixels to which series are thinned; 0 for those of a printed figure
}

// AllConnections in [Run.Connection] stands for the connection with the most
// data.
const AllConnections = -1

// ErrEmpty says that there is nothing to draw.
var ErrEmpty = errors.New("nothing to draw")

// printColumns is the width of a figure of [DefaultSize] at 300 dpi, in pixels.
const printColumns = 1900

// Resolve chooses the connection and the direction if they are not set.
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
	head    string            // the scenario of the runs, if the figure has a panel for each; empty for all scenarios
	numbers map[string]int    // of scenarios, by name
	factors *[2]palette.Paths // numbers of the factors in the scenarios' names: all but the last, and the last; nil if there are none
	mixed   bool              // some panels show paths of scenarios, others scenarios alone
	columns int
	options Options
	coarse  bool // the cells are longer than the options say
}

// Options say what else a figure shows.
type Options struct {
	Window   bool  // dsn: further panels show the data ahead of the DATA_ACK and the receive window
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

// scenarios returns a maker for the runs of each scenario, for figures that would be unreadable
// with all scenarios in one panel.
func (m *maker) scenarios() (out []*maker) {
	if !m.several {
		return []*maker{m}
	}
	for _, r := range m.runs {
		if m.numbers[r.Scenario] == len(out) {
			out = append(out, &maker{paths: m.paths, columns: m.columns, options: m.options, coarse: m.coarse, head: r.Scenario})
		}
		of := out[m.numbers[r.Scenario]]
		of.runs = append(of.runs, r)
	}
	return out
}

// layer makes a layer without points for a series. Paths differ by colours, scenarios by dashes.
// A series that belongs to no path has the look of its scenario.
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

// byDash gives a layer the dashes of its scenario. The legend then has one entry for the colour
// and one for the dashes.
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

// look returns the colour and the dashes of a scenario in a panel without paths. If other panels
// have paths, the colour differs from those of paths, and the dashes are the same as there. If
// the names of scenarios have factors, the last factor decides the colour, the others the dashes.
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

// byLook gives a layer the look of its scenario. If scenarios have factors, the legend has
// separate entries for them.
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

// parts splits a scenario's name into the last factor and the factors before it.
func parts(scenario string) (rest, last string) {
	i := strings.LastIndexByte(scenario, '/')
	if i < 0 {
		return "", scenario
	}
	return scenario[:i], scenario[i+1:]
}

// factorsOf gives numbers to the last factors of the scenarios' names and to the factors before
// them. It returns nil if the names have no factors, or more than there are colours or dashes.
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
