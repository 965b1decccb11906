package metrics

import (
	"time"

	"mpanalyze/internal/catalogue"
	"mpanalyze/internal/conn"
	"mpanalyze/internal/dss"
	"mpanalyze/internal/stats"
)

// Config steers what is measured.
type Config struct {
	// Interval is the cell of the sampling grid; 0 takes a sample of the
	// delays at every advance of the DATA_ACK, and keeps cells of
	// DefaultInterval for rates.
	Interval time.Duration
	// Skip leaves the start of each direction, and Until unless it is 0
	// everything from then on, out of delays, order, rates and shares. Both count
	// from the direction's first data.
	Skip, Until time.Duration
	// Lines measures of each connection what a line about it says, [Connection.Amounts], and
	// nothing else, whatever the other fields say.
	Lines bool
	// Omit is the families that are not derived. What is derived is what it
	// would be beside them.
	Omit catalogue.Families
	// QoE holds the parameters of the decisions of QoE24.
	QoE QoE
	// Regret says whether the choices of the scheduler are judged.
	Regret bool
	// Player plays the data of each direction as it comes in order.
	Player Player
	// Series says who takes the values of the series that Wanted asks for, of
	// the data that side from sends on sub or, where that is nil, of the
	// metrics of a whole connection. It is asked once for each; nil for none.
	Series func(c *conn.Conn, sub *conn.Subflow, from conn.Side) SeriesSink
	// Wanted says whether a series is wanted, by the metric's name.
	Wanted func(metric string) bool
	// Opened is told of each connection as its measurement begins; nil for nobody.
	Opened func(*Connection)
	// Changes leaves values out of the series that hold ([Series.Holds]) where
	// they are what the one before was, but for the last.
	Changes bool
}

// DefaultInterval is the cell of the sampling grid unless the user sets one.
const DefaultInterval = 100 * time.Millisecond

// Collector measures every connection of a table. It is a [conn.Module].
type Collector struct {
	cfg    Config
	wanted [nRoles]wanted // by the place of the capture
	omits  []string       // by slot: why nobody asked for what a unit derives; empty where somebody did
	series seriesSet      // that somebody wants
	done   func(*Connection)
	hidden bool         // the capture cut options of some SYN: it may have joined any connection
	cut    bool         // it cut options of some packet
	room   room         // scratch of the delays of chunks
	before []*dss.Chunk // scratch of [Connection.beforeFallback]; bounded by the chunks that one packet covers
}

// room is for values on their way into distributions.
type room [2][stats.BatchSize]stats.Weighted

// NewCollector returns a collector that hands each connection's figures to
// done when the connection ends. They change no more.
func NewCollector(cfg Config, done func(*Connection)) *Collector {
	k := &Collector{cfg: cfg, done: done, wanted: wantedBy(units, &cfg), omits: omittedBy(units, &cfg)}
	for _, s := range allSeries {
		if cfg.Series != nil && cfg.Wanted != nil && FamilyOf(s.name)&cfg.Omit == 0 && cfg.Wanted(s.name) {
			k.series |= 1 << s.index
		}
	}
	return k
}

// Open begins to measure a connection.
func (k *Collector) Open(c *conn.Conn) conn.Observer {
	m := k.figures(c)
	m.Symptoms.Init(c, m, !m.Omits(catalogue.FamilyVerdicts))
	if k.cfg.Opened != nil {
		k.cfg.Opened(m)
	}
	if k.cfg.Lines {
		return m.line()
	}
	if m.series { // whoever takes them is asked in the order of the connections
		m.dir(conn.A)
		m.dir(conn.B)
	}
	return m
}

// cell returns the length of a rate's cell in nanoseconds.
func (k *Collector) cell() int64 {
	if k.cfg.Interval > 0 {
		return int64(k.cfg.Interval)
	}
	return int64(DefaultInterval)
}
