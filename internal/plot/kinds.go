package plot

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"mpanalyze/internal/campaign"
	"mpanalyze/internal/catalogue"
	"mpanalyze/internal/evidence"
	"mpanalyze/internal/metrics"
	"mpanalyze/internal/timeline"
)

// Kind is one sort of figure.
type Kind struct {
	Name     string
	Short    string   // what it shows, for help
	Metrics  []string // series that it draws if the user names none; nil if it takes no metric
	Arrivals bool     // whether it needs the capture at the receiving host analysed alone
	Options  Options  // may be set before the figure is made
	pair     bool     // whatever it draws is from captures of both hosts
	series   []string // further series that it needs
	held     []string // those of them that get a point at both ends of the time
	chunks   bool
	dist     bool                                              // curves are distribution functions
	above    bool                                              // they are the shares above each value
	lines    bool                                              // curves are metrics over time
	colour   string                                            // what the colours of its curves stand for, if they do not stand for scenarios
	figures  bool                                              // it takes metrics of the report, not series
	cells    bool                                              // samples are averaged in cells
	coarsens bool                                              // the cells become longer where there are too many
	loose    bool                                              // panels follow each other, whatever they show
	title    string                                            // of the figure with these views or panels
	views    []view                                            // panels over time
	panels   func(m *maker, name string) []Panel               // panels of a metric
	panel    func(m *maker, name string, paths []string) Panel // of a metric on some paths, in place of panels
	columns  int                                               // of these panels
	make     func(m *maker, names []string) (*Figure, error)   // of a figure without these
}

// Kinds lists the figures.
func Kinds() []Kind {
	return []Kind{
		{Name: "time_account", Short: "what the time went to: a band per path over time, coloured by state, and the path's throughput as a line over it; with events and the first verdict; of several runs the shares of the states, stacked: a bar per scenario, the mean of its runs, or a bar per run of a single scenario", series: []string{timeAccount, throughput}, held: []string{timeAccount}, make: timeAccountFigure},
		{Name: "dsn", Short: "data sequence numbers over time by path, with retransmissions, reinjections and DATA_ACK; --style window adds a panel of the data ahead of it and the window", series: []string{rwnd}, chunks: true, title: "Data sequence", views: dsnViews},
		{Name: "ssn", Short: "subflow sequence numbers over time", chunks: true, title: "Subflow sequence", views: ssnViews},
		{Name: seriesKind, Short: "metrics over time, per path and in total", Metrics: []string{"throughput", "goodput", "path_delay", "srtt", "protocol_delay", "hol_degree", "hol_blocking"}, chunks: true, cells: true, lines: true, colour: ByPath, title: "Over time", columns: gridColumns, panel: (*maker).linePanel},
		{Name: "grid", Short: "a panel per metric and path; a curve per scenario: mean and range of its runs in each cell of --interval; rates of all paths together; --style smooth=TIME takes a running median of each run", Metrics: []string{"path_delay", "srtt", "protocol_delay", "hol_degree"}, chunks: true, cells: true, coarsens: true, lines: true, title: "Over time", columns: gridColumns, panel: (*maker).linePanel},
		{Name: "order", Short: "when data passes and when it is acknowledged, and the out-of-order offset", series: []string{dsnOffset}, chunks: true, title: "Order of the data", views: orderViews},
		{Name: "shares", Short: "bytes, retransmissions and reinjections of each path as bars", make: sharesFigure},
		{Name: "mix", Short: "bytes of the paths stacked for each scenario, as X_Y; marks on a second axis: their retransmitted segments; a panel for each network: label network, or scenarios named network/X_Y", loose: true, make: mixFigure},
		{Name: "heat", Short: "heat map of scenarios named X_Y or X/Y: X down, Y across, the mean of the runs as colour; a panel for each network", Metrics: []string{"bytes"}, figures: true, loose: true, make: heatFigure},
		{Name: "ranks", Short: "heat map of the ranks of scenarios: a column for each value of the label --steady, as the hour, and one for all runs", Metrics: []string{"bytes"}, figures: true, loose: true, make: ranksFigure},
		{Name: "bars", Short: "mean, standard deviation and variance of metrics, or one of them (throughput.stddev): of scenarios named environment/method a group of bars per environment, a bar per method", Metrics: []string{"throughput", "rtt"}, figures: true, title: "Statistics of the runs", columns: 3, panels: (*maker).barsPanels},
		{Name: "cdf", Short: "distribution functions, the runs of a scenario pooled, with their range; --color says what colours stand for", Metrics: []string{"path_delay", "waiting_time", "hol_wait", "in_order_wait"}, dist: true, title: "Distribution", columns: gridColumns, panel: (*maker).cdfPanel},
		{Name: "ccdf", Short: "the share of values above each value, as 1 - cdf, on a logarithmic axis: the tail of a distribution", Metrics: []string{"path_delay", "waiting_time", "hol_wait", "in_order_wait"}, dist: true, above: true, title: "Distribution", columns: gridColumns, panel: (*maker).cdfPanel},
		{Name: "box", Short: "a box per scenario over its runs, each run a dot", Metrics: []string{"goodput", "protocol_delay", "hol_degree", "hol_blocking"}, figures: true, title: "Runs", columns: gridColumns, panels: (*maker).boxPanels},
		{Name: "occupancy", Short: "reorder buffer and receive window over time", series: []string{holQueue, rwnd, rwndFree}, chunks: true, title: "Buffers", views: bufferViews},
		{Name: "owd", Short: "one-way delay and loss per path; takes captures of both hosts (--both)", pair: true, title: "One-way delay", views: []view{owdView}},
		{Name: "arrival", Short: "data sequence numbers where they are sent and where they are received; of captures of both hosts", pair: true, chunks: true, title: "Data sequence, sent and received", views: []view{arrivalView}},
		{Name: "offset", Short: "out-of-order offset O3-DSN of the data as it arrives; of captures of both hosts", pair: true, Arrivals: true, title: "Out-of-order offset", views: []view{offsetView}},
		{Name: "delay", Short: "end-to-end delay from sending until the data is in order, per path; of captures of both hosts", pair: true, chunks: true, title: "End-to-end delay", views: []view{delayView}},
		{Name: "jitter", Short: "interarrival jitter per path; of captures of both hosts", pair: true, title: "Jitter", views: []view{jitterView}},
		{Name: "rec16", Short: "arrival, offset, throughput at the receiver, delay and jitter in one figure", pair: true, Arrivals: true, chunks: true, cells: true, title: "Captures of both hosts", views: []view{arrivalView, offsetView, receivedRateView, delayView, jitterView}},
	}
}

// seriesKind is the kind that draws what records of the hosts say.
const seriesKind = "series"

// ofCells is a series that has a value in each cell, from the first cell on.
const ofCells = "goodput"

const (
	rwnd      = "rwnd"
	rwndFree  = "rwnd_free"
	holQueue  = "hol_queue"
	dsnOffset = "dsn_offset"

	timeAccount = "time_account"
	throughput  = "throughput"
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
	said := cmp.Or(catalogue.DidYouMean(name, known), "; want one of "+strings.Join(known, ", "))
	return Kind{}, fmt.Errorf("no kind of figure %q%s", name, said)
}

// Check refuses metrics that the kind cannot draw.
func (k *Kind) Check(names []string) error {
	if len(names) > 0 && k.Metrics == nil {
		return fmt.Errorf("a figure of kind %s shows always the same; it takes no metric", k.Name)
	}
	for _, n := range names {
		if k.figures {
			n, _ = splitStat(n)
		}
		switch {
		case k.Name == seriesKind && slices.Contains(evidence.SeriesNames(), n):
		case len(catalogue.Lookup(metrics.Table(), n)) == 0:
			return k.unknown(n)
		case k.lines && pairSeries[n].series != "":
		case pairSeries[n].series != "":
			return fmt.Errorf("--kind %s does not draw %s: --kind series and grid do, with captures of both hosts", k.Name, n)
		case !k.figures && !slices.Contains(metrics.SeriesNames(), n):
			return fmt.Errorf("metric %q has no series; want some of %s", n, strings.Join(metrics.SeriesNames(), ", "))
		}
	}
	return nil
}

// unknown returns the error of a name that is no metric, or a metric with a statistic that the kind does not draw.
func (k *Kind) unknown(name string) error {
	metric, stat, _ := strings.Cut(name, ".")
	found := catalogue.Lookup(metrics.Table(), metric)
	switch {
	case len(found) == 0:
		return catalogue.Unknown(metrics.Table(), name)
	case k.figures:
		return fmt.Errorf("no statistic %q of %s; want one of %s", stat, found[0].Name, strings.Join(slices.Sorted(maps.Keys(statWords)), ", "))
	}
	if err := k.Check([]string{found[0].Name}); err != nil {
		return err
	}
	return fmt.Errorf("--kind %s takes metrics without a statistic; did you mean %s?", k.Name, found[0].Name)
}

// Pair reports whether the figure takes captures of both hosts.
func (k *Kind) Pair(names []string) bool {
	return k.pair || slices.ContainsFunc(names, func(n string) bool { return pairSeries[n].series != "" })
}

// Config returns what a store must collect for the kind.
func (k *Kind) Config(names []string, from, to int64) timeline.Config {
	c := timeline.Config{Series: slices.Clone(k.series), Held: k.held, Chunks: k.chunks, Dist: k.dist, From: from, To: to}
	if c.Pair = k.Pair(names); c.Pair {
		c.From, c.To = 0, 0 // which packets are in this time is known only when the clocks are known
	}
	if !k.figures {
		c.Series = append(c.Series, k.names(names)...)
	}
	if k.Name == seriesKind && k.Options.Kernel {
		for _, n := range k.names(names) {
			for _, o := range evidence.Overlays(n) {
				c.Series = append(c.Series, o.Series)
			}
		}
	}
	if k.cells && k.Options.Cell > 0 {
		c.Cell = k.Options.Cell
		c.Series = append(c.Series, ofCells)
		for _, n := range c.Series {
			if of, ok := pairSeries[n]; ok {
				n = of.series
			}
			if shapeOf(n) == Line || k.coarsens && !holds(n) {
				c.Means = append(c.Means, n)
			}
		}
	}
	return c
}

func (k *Kind) names(names []string) []string {
	if len(names) == 0 {
		return k.Metrics
	}
	return names
}

// nothingShown returns an error: there is nothing to draw in the time of --from and --to. It
// says how long the connection is.
func (r *Run) nothingShown() error {
	if r.From == 0 && r.To == 0 {
		return ErrEmpty
	}
	return fmt.Errorf("%w in the time of --from and --to; the connection lasts %.2f s", ErrEmpty, r.connection().DurationS)
}

// ArrivalConfig returns what a store must collect from the capture of the receiving host alone.
func (k *Kind) ArrivalConfig() timeline.Config {
	c := timeline.Config{Series: []string{dsnOffset}}
	if k.cells {
		c.Series = append(c.Series, throughput, ofCells)
		if c.Cell = k.Options.Cell; c.Cell > 0 {
			c.Means = []string{throughput}
		}
	}
	return c
}

// unitOf returns the unit of a metric. It is empty for a pure number.
func unitOf(name string) string {
	if unit := campaign.KernelUnit(name); unit != "" {
		return unit
	}
	for _, m := range catalogue.Lookup(metrics.Table(), name) {
		if m.Unit != "1" && m.Unit != catalogue.Composite {
			return m.Unit
		}
	}
	return ""
}

// spelt replaces acronyms in names of metrics by their usual spelling.
var spelt = strings.NewReplacer("owd", "one-way delay", "ipdv", "delay variation", "end to end", "end-to-end", "cwnd decisions", "next window by QoE24 eq. 2 (MSS)", "awnd delta", "distance of the offered window from its mean", "srtt", "SRTT", "rttvar", "RTTVAR", "rtt", "RTT", "rto", "RTO", "hol", "head-of-line", "dsn", "DSN", "dsr", "DSR", "rwnd", "receive window")

// Label names a metric and its unit, which may be empty, as an axis does.
func Label(name, unit string) string {
	text := spelt.Replace(strings.ReplaceAll(kernelName(name), "_", " "))
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

// dataLabel names the axis of figures that lay several runs over each other: from its handshake to its first data a run takes as
// long as it likes.
const dataLabel = "Time since the first data (s)"
