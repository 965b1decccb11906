package metrics

import (
	"time"

	"mpanalyze/internal/catalogue"
	"mpanalyze/internal/conn"
	"mpanalyze/internal/dss"
	"mpanalyze/internal/stats"
)

// Config says what is measured.
type Config struct {
	// Interval is the length of a cell of the sampling grid. With 0 each advance of the
	// DATA_ACK is a sample of the delays, and rates have cells of DefaultInterval.
	Interval time.Duration
	// Skip leaves the start of each direction out of delays, order, rates and shares.
	// Until, unless it is 0, leaves out everything from that time on. Both count from the
	// direction's first data.
	Skip, Until time.Duration
	// Lines measures only what a line about a connection needs, [Connection.Amounts],
	// whatever the other fields say.
	Lines bool
	// Omit is the set of families that are not computed. It does not change the values of
	// the others.
	Omit catalogue.Families
	// QoE has the parameters of the decisions of QoE24.
	QoE QoE
	// Regret says whether the choices of the packet scheduler are judged.
	Regret bool
	// Player has the settings of the player that plays the data of each direction as it
	// comes in order.
	Player Player
	// Series returns the sink for the values of the series that Wanted selects. They are of
	// the data that side from sends on sub; if sub is nil, of the metrics of the whole
	// connection. It is called once for each; it may return nil.
	Series func(c *conn.Conn, sub *conn.Subflow, from conn.Side) SeriesSink
	// Wanted reports whether a series is wanted, by the metric's name.
	Wanted func(metric string) bool
	// Opened is called with each connection when its measurement begins; it may be nil.
	Opened func(*Connection)
	// Changes leaves a value out of the series that hold ([Series.Holds]) if it equals the
	// one before, except the last value.
	Changes bool
}

// DefaultInterval is the length of a cell of the sampling grid by default.
const DefaultInterval = 100 * time.Millisecond

// Collector measures every connection of a table. It is a [conn.Module].
type Collector struct {
	cfg     Config
	wanted  [nRoles]meterSet // by the place of the capture
	omits   []string         // by slot of the unit: the reason why its metrics are absent; empty if the unit is used
	series  seriesSet        // the series that are wanted
	done    func(*Connection)
	hidden  bool                        // the capture cut options of some SYN off: that SYN may have joined any connection
	cut     bool                        // the capture cut options of some packet off
	scratch [conn.MaxGoroutines]scratch // by [conn.Packet.Goroutine]
}

// scratch is temporary memory for one packet.
type scratch struct {
	delays   [2][stats.BatchSize]stats.Weighted // of chunks, until they are added to distributions
	measured []*dss.Chunk                       // of [Connection.measured]; bounded by the chunks that one packet covers
}

// NewCollector returns a collector. It passes the figures of each connection to done when
// the connection ends; they do not change after that.
func NewCollector(cfg Config, done func(*Connection)) *Collector {
	k := &Collector{cfg: cfg, done: done, wanted: wantedBy(units, &cfg), omits: omittedBy(units, &cfg)}
	for _, s := range allSeries {
		if cfg.Series != nil && cfg.Wanted != nil && FamilyOf(s.name)&cfg.Omit == 0 && cfg.Wanted(s.name) {
			k.series |= 1 << s.index
		}
	}
	return k
}

// Open begins the measurement of a connection.
func (k *Collector) Open(c *conn.Conn) conn.Observer {
	m := k.figures(c)
	m.Symptoms.Init(c, !m.Omits(catalogue.FamilyVerdicts))
	if k.cfg.Opened != nil {
		k.cfg.Opened(m)
	}
	if k.cfg.Lines {
		return m.line()
	}
	if m.series { // calls [Config.Series] now, in the order of the connections
		m.dir(conn.A)
		m.dir(conn.B)
	}
	return m
}

// cell returns the length of a cell for rates, ns.
func (k *Collector) cell() int64 {
	if k.cfg.Interval > 0 {
		return int64(k.cfg.Interval)
	}
	return int64(DefaultInterval)
}
