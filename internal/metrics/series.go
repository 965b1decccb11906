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
	"throughput", "share", "goodput", "protocol_delay", "hol_degree", "hol_degree_all_paths", "hol_queue", "dsn_offset",
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

// outlet is where the values of one direction go.
type outlet struct {
	m    *Connection
	sink SeriesSink // nil: nowhere
	from conn.Side
	held [maxSlots]step
}

// outlet returns that of one direction of sub or, with nil, of the connection.
func (m *Connection) outlet(sub *conn.Subflow, from conn.Side) outlet {
	o := outlet{m: m, from: from}
	if to := m.k.cfg.Series; to != nil {
		o.sink = to(m.Conn, sub, from)
	}
	return o
}

// emit hands out one value of a series. Nearly always there are none, and then
// it is no call at all.
func (o *outlet) emit(s Series, t int64, v float64) {
	if o.sink != nil {
		o.write(s, t, v)
	}
}

func (o *outlet) write(s Series, t int64, v float64) {
	if o.told(s) {
		o.sink.Value(s, t, v)
	}
}

// emitAll hands out values of one moment, and off added to each.
func (o *outlet) emitAll(s Series, t int64, values []stats.Weighted, off float64) {
	if o.sink != nil && o.told(s) {
		o.sink.Values(s, t, values, off)
	}
}

// told reports whether a series is wanted and has values at this moment.
func (o *outlet) told(s Series) bool {
	k := o.m.k
	return k.wanted[s] && !(k.cut && o.m.withheld(s, o.from))
}
