package metrics

import (
	"mpanalyze/internal/conn"
	"mpanalyze/internal/stats"
)

// Series names a series.
type Series uint8

// The series.
const (
	SeriesRTT Series = iota
	SeriesRTTNewest
	SeriesSRTT
	SeriesRTTVar
	SeriesRTO
	SeriesInFlight
	SeriesPathDelay
	SeriesWaitingTime
	SeriesHoLWait
	SeriesInOrderWait
	SeriesThroughput
	SeriesShare
	SeriesGoodput
	SeriesProtocolDelay
	SeriesHoLDegree
	SeriesHoLBlocking
	SeriesHoLDegreeAllPaths
	SeriesHoLQueue
	SeriesDSNOffset
	SeriesRwnd
	SeriesRwndFree
	SeriesAwndDelta
	SeriesDSR
	SeriesCwndEstimate
	SeriesThroughputEstimate
	nSeries
)

// NumSeries is how many series there are.
const NumSeries = int(nSeries)

var seriesNames = [nSeries]string{
	"rtt", "rtt_newest", "srtt", "rttvar", "rto", "in_flight", "path_delay", "waiting_time", "hol_wait", "in_order_wait",
	"throughput", "share", "goodput", "protocol_delay", "hol_degree", "hol_blocking", "hol_degree_all_paths",
	"hol_queue", "dsn_offset",
	"rwnd", "rwnd_free", "awnd_delta", "dsr", "cwnd_estimate", "throughput_estimate",
}

// String returns the name of the series' metric, without its unit.
func (s Series) String() string { return seriesNames[s] }

// SeriesNames returns the names of all series.
func SeriesNames() (names []string) {
	for s := range nSeries {
		names = append(names, s.String())
	}
	return names
}

// SeriesSink takes the values of the series of one direction of one subflow,
// or of one connection.
type SeriesSink interface {
	// Value takes the value that s has from the time t on, ns.
	Value(s Series, t int64, value float64)
	// Values takes as many values that s has at the time t, ns: what they are
	// without their weights, and off added.
	Values(s Series, t int64, values []stats.Weighted, off float64)
}

// seriesSet is a set of series, a bit each.
type seriesSet uint32

func (l seriesSet) has(s Series) bool { return l>>s&1 != 0 }

// outlet is where the values of one direction go.
type outlet struct {
	m      *Connection
	sink   SeriesSink
	wanted seriesSet
	from   conn.Side
	held   [maxSlots]step
}

// outlet returns that of one direction of sub or, with nil, of the connection; nil
// where nobody takes the values.
func (m *Connection) outlet(sub *conn.Subflow, from conn.Side) *outlet {
	if !m.series {
		return nil
	}
	sink := m.k.cfg.Series(m.Conn, sub, from)
	if sink == nil {
		return nil
	}
	return &outlet{m: m, from: from, sink: sink, wanted: m.k.series}
}

// wants reports whether anybody wants a series. Nearly always nobody does, and
// then it is no call at all.
func (o *outlet) wants(s Series) bool { return o != nil && o.wanted.has(s) }

// emit hands out one value of a series.
func (o *outlet) emit(s Series, t int64, v float64) {
	if o.wants(s) {
		o.write(s, t, v)
	}
}

func (o *outlet) write(s Series, t int64, v float64) {
	if !o.withholds(s) {
		o.sink.Value(s, t, v)
	}
}

// emitAll hands out values of one moment, and off added to each.
func (o *outlet) emitAll(s Series, t int64, values []stats.Weighted, off float64) {
	if o.wants(s) && !o.withholds(s) {
		o.sink.Values(s, t, values, off)
	}
}

// withholds reports whether a series has no values at this moment, for want of what the
// capture cut off.
func (o *outlet) withholds(s Series) bool { return o.m.k.cut && o.m.withheld(s, o.from) }
