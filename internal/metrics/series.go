package metrics

import (
	"mpanalyze/internal/conn"
	"mpanalyze/internal/stats"
)

// A Series is the values of a metric over time. The unit of the metric declares and
// lists it.
type Series struct {
	name  string // of the metric
	holds bool   // the quantity keeps its value until the next one: [seriesWriter.step] takes it

	// It needs mappings, or DATA_ACKs. The capture may have cut these off.
	maps, acks bool

	index int // among all series
	slot  int // for a series that holds: index of its latest value in a seriesWriter
}

// allSeries are the series of all units, each at its index.
var allSeries []*Series

// AllSeries returns the series of all units, each at its index. The caller must not
// change the list.
func AllSeries() []*Series { return allSeries }

// Index returns the number of the series among all, from 0 on.
func (s *Series) Index() int { return s.index }

// String returns the name of the series' metric, without its unit.
func (s *Series) String() string { return s.name }

// SeriesNames returns the names of all series.
func SeriesNames() (names []string) {
	for _, s := range allSeries {
		names = append(names, s.name)
	}
	return names
}

// SeriesSink takes the values of the series of one direction of one subflow,
// or of one connection.
type SeriesSink interface {
	// Value takes the value that s has from the time t on, ns.
	Value(s *Series, t int64, value float64)
	// Values takes several values that s has at the time t, ns. Each is the Value of an
	// element plus off; the weights do not matter.
	Values(s *Series, t int64, values []stats.Weighted, off float64)
	// Omitted takes the number of values that s has and that are not handed out: they are 0,
	// in cells without data between the two latest values.
	Omitted(s *Series, n int64)
}

// seriesSet is a set of series, one bit for each.
type seriesSet uint64

func (l seriesSet) has(s *Series) bool { return l>>s.index&1 != 0 }

// seriesWriter passes the values of one direction to their sink.
type seriesWriter struct {
	m      *Connection
	sink   SeriesSink
	wanted seriesSet
	from   conn.Side
	held   []step // by the slot of the series
	empty  int64  // values of cells without data that were handed out
}

// seriesWriter returns the seriesWriter of one direction of sub or, if sub is nil, of the
// connection. It returns nil where no sink takes the values.
func (m *Connection) seriesWriter(sub *conn.Subflow, from conn.Side) *seriesWriter {
	if !m.series {
		return nil
	}
	sink := m.k.cfg.Series(m.Conn, sub, from)
	if sink == nil {
		return nil
	}
	return &seriesWriter{m: m, from: from, sink: sink, wanted: m.k.series, held: make([]step, heldSlots)}
}

// wants reports whether a series is wanted. It is short enough to be inlined, because
// usually no series is wanted.
func (o *seriesWriter) wants(s *Series) bool { return o != nil && o.wanted.has(s) }

// emit hands out one value of a series.
func (o *seriesWriter) emit(s *Series, t int64, v float64) {
	if o.wants(s) {
		o.write(s, t, v)
	}
}

func (o *seriesWriter) write(s *Series, t int64, v float64) {
	if !o.withholds(s) {
		o.sink.Value(s, t, v)
	}
}

// emitAll hands out several values of one moment, with off added to each.
func (o *seriesWriter) emitAll(s *Series, t int64, values []stats.Weighted, off float64) {
	if o.wants(s) && !o.withholds(s) {
		o.sink.Values(s, t, values, off)
	}
}

// withholds reports whether a series has no values at this moment, because the capture
// cut off what it needs.
func (o *seriesWriter) withholds(s *Series) bool { return o.m.k.cut && o.m.withheld(s, o.from) }
