package metrics

import (
	"math"

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

// A step is the latest value of a quantity that keeps its value until it changes. Its
// series needs only the changes, and one value at the time when the quantity was last
// seen, so that a reader knows how long the last value was valid.
type step struct {
	of       *Series
	holds    bool // later values may be left out as long as they are equal
	value    float64
	at, seen int64 // time of the latest value in the series, and of the latest value of all, ns
}

// stepNoise is half a nanosecond, the resolution of clocks, in ms. A value that differs
// by less from the value before counts as equal. Without it, an average that approaches
// a constant round trip would never stop changing.
const stepNoise = 0.5e-6

// step does what emit does, for a series that holds.
func (o *seriesWriter) step(s *Series, t int64, v float64) {
	if o.wants(s) && !o.withholds(s) {
		o.held[s.slot].take(o, s, t, v)
	}
}

// take takes a value. After a value that is out of time order, the next value is always
// written.
func (h *step) take(o *seriesWriter, s *Series, t int64, v float64) {
	h.seen = max(h.seen, t)
	if h.holds && math.Abs(v-h.value) < stepNoise && t >= h.at && o.m.k.cfg.Changes {
		return
	}
	h.of, h.holds, h.value, h.at = s, t >= h.at, v, max(h.at, t)
	o.sink.Value(s, t, v)
}

// lasts says until when the latest value of a series holds.
func (o *seriesWriter) lasts(s *Series, until int64) {
	if h := &o.held[s.slot]; o.wants(s) && h.of == s {
		h.seen = max(h.seen, until)
	}
}

// close writes the last value of each series that holds.
func (o *seriesWriter) close() {
	if o == nil {
		return
	}
	for i := range o.held {
		if h := &o.held[i]; h.seen > h.at {
			o.sink.Value(h.of, h.seen, h.value)
		}
	}
}

// A pause of the data has cells without data. A series has a row for each of them, so that
// its rows follow each other without a gap. These bounds are for very long pauses: a clock can
// jump by years between two packets.
const (
	// maxEmptyRun is how many empty cells in a row have a row each: of 100 ms, half an hour.
	// Of a longer stretch the first and the last cell have one.
	maxEmptyRun = 20_000
	// maxEmptyRows is how many such rows all series of one direction of a subflow, or of a
	// connection, have. Beyond it every stretch counts as long.
	maxEmptyRows = 1 << 20
)

// emitEmpty hands out the zeros of n cells without data; the first begins at the time at.
// It takes no time where the series is not wanted.
func (o *seriesWriter) emitEmpty(s *Series, at, cell, n int64) {
	if !o.wants(s) || o.withholds(s) {
		return
	}
	if n > 2 && (n > maxEmptyRun || o.empty+n > maxEmptyRows) {
		o.sink.Value(s, at, 0)
		o.sink.Value(s, at+(n-1)*cell, 0)
		o.sink.Omitted(s, n-2)
		return
	}
	o.empty += n
	for i := range n {
		o.sink.Value(s, at+i*cell, 0)
	}
}

// withheld reports whether a series has no value at this moment, because the capture
// has cut off what it needs. Earlier values stay written, so a series may have values
// although its figure is absent at the end.
func (m *Connection) withheld(s *Series, from conn.Side) bool {
	return s.maps && m.mapsMissing(from) || s.acks && m.acksCut(from) != ""
}

// mapsMissing does what [Connection.MapsCut] does, while the connection is open. It
// reports true if payload waits for a mapping that the capture cut off, or if
// acknowledged data is missing because the capture cut off the MP_JOIN of its subflow.
func (m *Connection) mapsMissing(from conn.Side) bool {
	for _, s := range m.Subs {
		l := s.Sub.Spaces[from]
		if !l.OptionsCut {
			continue
		}
		if n, _ := l.FirstUnmapped(); n > 0 || l.UnmappedBytes > 0 {
			return true
		}
	}
	return m.k.hidden && m.Conn.Spaces[from].AckedMissingBytes() > 1
}
