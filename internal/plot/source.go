package plot

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"mpanalyze/internal/campaign"
	"mpanalyze/internal/catalogue"
	"mpanalyze/internal/metrics"
	"mpanalyze/internal/overlay"
	"mpanalyze/internal/report"
	"mpanalyze/internal/timeline"
)

// Run is one analysis of a session.
type Run struct {
	Scenario   string            // empty if there is only one
	Labels     map[string]string // other properties of the run, and the factors of its scenario, by name
	Factors    []campaign.Factor // of the scenario, in the order of its name
	Document   *report.Document
	Store      *timeline.Store
	Receiver   *Run        // with captures of both hosts: the analysis of the receiving host's capture alone, if the kind needs it
	End        report.Host // of captures of both hosts: the end that the figure shows; empty for other runs
	Connection int         // id; AllConnections for the one with the most data
	Direction  report.Direction
	From, To   int64 // the time that the figure shows, nanoseconds since the connection's start; To 0 for no end
	Columns    int   // columns of pixels to which series are thinned; 0 for those of a printed figure

	only string // the one path of a facet; empty for all
	x    string // the place on the horizontal axis that the options name; empty for none
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
		r.Direction = best.Bulk()
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
	return cmp.Or(r.Document.Connection(r.Connection), &report.Connection{})
}

// dir returns the chosen direction of the connection.
func (r *Run) dir() *report.ConnDir {
	return cmp.Or(r.connection().Dir(r.Direction), &report.ConnDir{})
}

// series returns the series of a name in the chosen direction.
func (r *Run) series(what string) []*timeline.Series {
	if of, ok := pairSeries[what]; ok {
		what = of.series
	}
	all := r.Store.Find(r.Connection, r.Direction, what)
	if r.only == "" {
		return all
	}
	return slices.DeleteFunc(slices.Clone(all), func(l *timeline.Series) bool { return l.Subflow != report.NoSubflow && l.Path != r.only })
}

// reason says why a metric is missing in the direction of the figure. What subflows with data
// say comes first: of the others no more is known than that no data passed.
func (r *Run) reason(metric string) string {
	c := r.connection()
	lists := []report.Reasons{r.dir().Unavailable, c.Unavailable}
	var idle []report.Reasons
	for i := range c.Subflows {
		if d := r.subflow(i); d.Volume() > 0 {
			lists = append(lists, d.Unavailable)
		} else if d != nil {
			idle = append(idle, d.Unavailable)
		}
	}
	lists = append(lists, idle...)
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
	runs     []*Run // those of the facet, or of one of its scenarios
	all      []*Run // those of the figure: a run for each facet in which it stands
	total    int    // number of runs
	looks    *looks
	several  bool           // there are several scenarios
	head     string         // the scenario of the runs, if they are those of one; empty for all scenarios
	numbers  map[string]int // of scenarios, in the order in which they are given
	columns  int
	options  Options
	byPath   bool // colours stand for paths
	above    bool // distribution functions are the shares above each value
	each     bool // each run has a curve
	repeated bool // a scenario has several runs
	pooled   bool // curves are of cells: those of a scenario's runs are one
	coarse   bool // the cells are longer than the options say
}

// Options say what else a figure shows.
type Options struct {
	Window   bool  // dsn: further panels show the data ahead of the DATA_ACK and the receive window
	NoEvents bool  // events are not marked
	Cell     int64 // width of the cells in which samples are averaged, ns; 0 to draw the line from sample to sample
	Smooth   int64 // grid: length of the time over which the median of each run is taken, ns; 0 for none
	Kernel   bool  // series: what records of the hosts say is drawn over what packets show

	Overlay []overlay.Series // series, time_account: series of a file, a panel each

	Steady   string   // ranks: label of the runs whose values are the columns
	Facet    Facets   // what rows and columns of panels stand for
	X        string   // bars and box: what the places on the horizontal axis stand for, a factor or [ByRun]; empty for what the kind chooses
	Color    string   // what colours stand for: [ByScenario], [ByPath], [ByRun], or the name of a factor; empty for what the kind chooses
	Campaign []string // names of further scenarios and paths: a figure of some has the colours of a figure of all
}

// newMaker returns the maker of a figure of these parts.
func newMaker(parts []part, k *Kind) *maker {
	m := &maker{options: k.Options, numbers: map[string]int{}, columns: printColumns}
	for _, p := range parts {
		m.all = append(m.all, p.runs...)
		seen := map[string]bool{}
		for _, r := range p.runs {
			m.repeated = m.repeated || seen[r.Scenario]
			seen[r.Scenario] = true
		}
	}
	m.runs = m.all
	for _, r := range m.runs {
		if r.Columns > 0 {
			m.columns = r.Columns
		}
		if _, ok := m.numbers[r.Scenario]; !ok {
			m.numbers[r.Scenario] = len(m.numbers)
		}
	}
	m.several = len(m.numbers) > 1
	m.looks = newLooks(m.runs, m.options.Campaign)
	return m
}

// choose chooses what all panels of the figure have in common: what colours stand for, whether runs are pooled, and the cells.
func (m *maker) choose(k *Kind, names []string) {
	m.byPath, m.each, m.above = k.pathColours(m.several), m.options.Color == ByRun, k.above
	m.pooled = k.lines && (!m.byPath || !m.each && len(m.runs) > manyRuns && len(m.runs) > len(m.numbers))
	if m.looks.mixed = k.lines && m.byPath && m.several && m.mixes(names); k.coarsens && m.options.Cell > 0 {
		m.coarsen(names)
	}
}

// manyRuns is the largest number of runs that are drawn as separate lines. The lines of more runs would hide each other.
const manyRuns = 8

// of returns a maker for a part of the runs.
func (m *maker) of(runs []*Run) *maker {
	of := *m
	of.runs = runs
	return &of
}

// scenarios returns a maker for the runs of each scenario.
func (m *maker) scenarios() (out []*maker) {
	if !m.several {
		return []*maker{m}
	}
	at := map[string]*maker{}
	for _, r := range m.runs {
		of := at[r.Scenario]
		if of == nil {
			of = m.of(nil)
			of.several, of.head, at[r.Scenario] = false, r.Scenario, of
			out = append(out, of)
		}
		of.runs = append(of.runs, r)
	}
	return out
}

// title names what the figure shows.
func (m *maker) title(what string) string {
	if m.several || len(m.all) > 1 {
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
