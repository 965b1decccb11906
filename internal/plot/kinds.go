package plot

import (
	"fmt"
	"slices"
	"strings"

	"mpanalyze/internal/catalogue"
	"mpanalyze/internal/metrics"
	"mpanalyze/internal/timeline"
)

// Kind is one sort of figure.
type Kind struct {
	Name    string
	Short   string   // what it shows, for help
	Metrics []string // series that it draws where the user names none; nil where it takes no metric
	Pair    bool     // whether it takes captures of both hosts
	series  []string // series that it needs besides
	chunks  bool
	dist    bool
	make    func(m *maker, names []string) (*Figure, error)
}

// Kinds lists the figures.
func Kinds() []Kind {
	return []Kind{
		{Name: "dsn", Short: "data sequence numbers over time by path, with retransmissions, reinjections, DATA_ACK and window edge", series: []string{rwnd}, chunks: true, make: dsnFigure},
		{Name: "ssn", Short: "subflow sequence numbers over time", chunks: true, make: ssnFigure},
		{Name: "series", Short: "metrics over time, per path and in total", Metrics: []string{"throughput", "goodput", "path_delay", "srtt", "protocol_delay", "hol_degree", "hol_blocking"}, make: seriesFigure},
		{Name: "order", Short: "when data passes and when it is acknowledged, and the out-of-order offset", series: []string{dsnOffset}, chunks: true, make: orderFigure},
		{Name: "shares", Short: "bytes, retransmissions and reinjections of each path as bars", make: sharesFigure},
		{Name: "cdf", Short: "distribution functions of the metrics of chunks", Metrics: []string{"path_delay", "waiting_time", "hol_wait", "in_order_wait"}, dist: true, make: cdfFigure},
		{Name: "box", Short: "a box per scenario over its runs, each run a dot", Metrics: []string{"goodput", "protocol_delay", "hol_degree", "hol_blocking"}, make: boxFigure},
		{Name: "occupancy", Short: "reorder buffer and receive window over time", series: []string{holQueue, rwnd, rwndFree}, make: occupancyFigure},
		{Name: "owd", Short: "one-way delay and loss per path; takes --sender and --receiver", Pair: true, make: owdFigure},
	}
}

const (
	rwnd      = "rwnd"
	rwndFree  = "rwnd_free"
	holQueue  = "hol_queue"
	dsnOffset = "dsn_offset"
)

// KindNamed returns the kind of that name.
func KindNamed(name string) (Kind, error) {
	var known []string
	for _, k := range Kinds() {
		if k.Name == name {
			return k, nil
		}
		known = append(known, k.Name)
	}
	return Kind{}, fmt.Errorf("no kind of figure %q: want one of %s", name, strings.Join(known, ", "))
}

// Check refuses metrics that the kind cannot draw.
func (k *Kind) Check(names []string) error {
	if len(names) > 0 && k.Metrics == nil {
		return fmt.Errorf("a figure of kind %s takes no metric", k.Name)
	}
	for _, n := range names {
		switch {
		case len(catalogue.Lookup(metrics.Table(), n)) == 0:
			return fmt.Errorf("no metric %q%s", n, suggestion(n))
		case k.Name != "box" && !slices.Contains(metrics.SeriesNames(), n):
			return fmt.Errorf("metric %q has no series; those that have one: %s", n, strings.Join(metrics.SeriesNames(), ", "))
		}
	}
	return nil
}

func suggestion(name string) string {
	if near := catalogue.Near(name, metrics.SeriesNames()); len(near) > 0 {
		return "; did you mean " + strings.Join(near, ", ") + "?"
	}
	return "; mpanalyze explain lists all metrics"
}

// Config returns what a store must gather for the kind.
func (k *Kind) Config(names []string, from, to int64) timeline.Config {
	c := timeline.Config{Series: slices.Clone(k.series), Chunks: k.chunks, Dist: k.dist, From: from, To: to}
	if k.Pair {
		c.From, c.To = 0, 0 // which packets these are is known with the clocks
	}
	if k.Name != "box" {
		c.Series = append(c.Series, k.names(names)...)
	}
	return c
}

func (k *Kind) names(names []string) []string {
	if len(names) == 0 {
		return k.Metrics
	}
	return names
}

// Make returns the figure of the runs, which must have been resolved. It fails
// with [ErrEmpty] where there is nothing to draw.
func (k *Kind) Make(runs []*Run, names []string) (*Figure, error) {
	if len(runs) == 0 {
		return nil, ErrEmpty
	}
	f, err := k.make(newMaker(runs), k.names(names))
	if err != nil {
		return nil, err
	}
	for i := range f.Panels {
		for _, l := range f.Panels[i].Layers {
			if len(l.XY) > 0 {
				return f, nil
			}
		}
	}
	return nil, ErrEmpty
}

// unitOf returns the unit of a metric; empty where it is a pure number.
func unitOf(name string) string {
	for _, m := range catalogue.Lookup(metrics.Table(), name) {
		if m.Unit != "1" && m.Unit != catalogue.Composite {
			return m.Unit
		}
	}
	return ""
}

// spelt holds the words of metrics' names that are no common ones.
var spelt = strings.NewReplacer("srtt", "SRTT", "rttvar", "RTTVAR", "rtt", "RTT", "rto", "RTO", "hol", "head-of-line", "dsn", "DSN", "dsr", "DSR")

// label names a metric and its unit on an axis.
func label(name, unit string) string {
	text := spelt.Replace(strings.ReplaceAll(name, "_", " "))
	text = strings.ToUpper(text[:1]) + text[1:]
	switch unit {
	case "":
		return text
	case "percent":
		unit = "%"
	}
	return text + " (" + unit + ")"
}

const timeLabel = "Time since the first packet (s)"
