package live

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"
	"github.com/prometheus/common/expfmt"

	"mpanalyze/internal/conn"
	"mpanalyze/internal/report"
)

// Exposition turns intervals into the text format of Prometheus, as the textfile collector of its
// node_exporter reads it. Counters count from the first interval on; those of paths count the
// connections that are shown. Gauges are of the latest interval.
type Exposition struct {
	registry *prometheus.Registry

	opened, ended, payload, late, bytes, segments, retransmitted, lost, account *prometheus.CounterVec
	open, end, length, throughput, least, most, verdicts                        *prometheus.GaugeVec

	paths map[pathDir]*pathFacts // bounded by maxPaths
}

// maxPaths bounds the paths and directions that have counters; what others carried counts for the path "others".
const maxPaths = 1000

// pathDir names a path in one direction, and pathState a state of its time.
type (
	pathDir struct {
		path string
		dir  report.Direction
	}
	pathState struct {
		pathDir
		state string
	}
)

// pathFacts is what no counter has.
type pathFacts struct {
	lossUnknown bool    // data was sent whose losses the capture does not show
	least, most float64 // smoothed round-trip times of the latest interval, ms; 0 for none
}

// NewExposition returns an exposition without intervals. version is that of the program.
func NewExposition(version string) *Exposition {
	registry := prometheus.NewRegistry()
	counter := func(name, help string, labels ...string) *prometheus.CounterVec {
		return promauto.With(registry).NewCounterVec(prometheus.CounterOpts{Namespace: "mpanalyze", Name: name, Help: help}, labels)
	}
	gauge := func(name, help string, labels ...string) *prometheus.GaugeVec {
		return promauto.With(registry).NewGaugeVec(prometheus.GaugeOpts{Namespace: "mpanalyze", Name: name, Help: help}, labels)
	}
	gauge("build_info", "Version of the program; the value is 1.", "version").WithLabelValues(version).Set(1)
	x := &Exposition{
		registry: registry, paths: map[pathDir]*pathFacts{},
		opened:  counter("connections_opened_total", "Connections that began, plain TCP included."),
		ended:   counter("connections_ended_total", "Connections that ended or were given up, plain TCP included."),
		payload: counter("payload_bytes_total", "TCP payload of all connections, copies included."),
		late:    counter("late_packets_total", "Packets that came when the interval of their time was over."),
		open:    gauge("connections_open", "Connections that are open, plain TCP included."),
		end:     gauge("interval_end_timestamp_seconds", "End of the latest interval, by the stamps of the capture."),
		length:  gauge("interval_seconds", "Length of the latest interval."),

		bytes:         counter("path_bytes_total", "TCP payload, copies included, of the connections shown.", "path", "direction"),
		segments:      counter("path_segments_total", "Data segments of the connections shown.", "path", "direction"),
		retransmitted: counter("path_retransmitted_segments_total", "Retransmitted segments of the connections shown.", "path", "direction"),
		lost:          counter("path_lost_segments_total", "Lost segments of the connections shown; those that turn out not to be lost stay counted.", "path", "direction"),
		account:       counter("path_account_seconds_total", "Time of the subflows of all connections in the states of time_account, as far as it is settled.", "path", "direction", "state"),
		throughput:    gauge("path_throughput_bytes_per_second", "TCP payload of the latest interval, copies included, of the connections shown.", "path", "direction"),
		least:         gauge("path_srtt_min_seconds", "Smallest smoothed round-trip time among the subflows of the connections shown.", "path", "direction"),
		most:          gauge("path_srtt_max_seconds", "Largest smoothed round-trip time among the subflows of the connections shown.", "path", "direction"),
		verdicts:      gauge("verdicts", "Verdicts that hold for the connections shown.", "code", "severity"),
	}
	for _, c := range []*prometheus.CounterVec{x.opened, x.ended, x.payload, x.late} {
		c.WithLabelValues() // it is there, with 0, before the first interval
	}
	x.open.WithLabelValues()
	return x
}

// add adds to a counter, which never falls.
func add[N int64 | float64](c *prometheus.CounterVec, n N, labels ...string) {
	c.WithLabelValues(labels...).Add(float64(max(0, n)))
}

// Add takes the next interval.
func (x *Exposition) Add(v *Interval) {
	add(x.opened, v.Opened)
	add(x.ended, v.Ended)
	add(x.payload, v.Payload)
	add(x.late, v.Late)
	x.open.WithLabelValues().Set(float64(v.Open))
	x.end.WithLabelValues().Set(float64(v.End()) / 1e9)
	x.length.WithLabelValues().Set(v.Seconds)
	for _, g := range []*prometheus.GaugeVec{x.throughput, x.least, x.most, x.verdicts} {
		g.Reset()
	}
	for _, s := range x.paths {
		s.least, s.most = 0, 0
	}
	for i := range v.Shown {
		for k := range v.Shown[i].Subflows {
			s := &v.Shown[i].Subflows[k]
			for _, from := range sides {
				x.path(pathDir{s.Path, directions[from]}, s.dir(from), v)
			}
		}
		for _, s := range v.Shown[i].Standing {
			x.verdicts.WithLabelValues(string(s.Code), string(s.Severity)).Inc()
		}
	}
	// In order, so that equal captures give equal files where there are more paths than have counters.
	for _, at := range slices.SortedFunc(maps.Keys(v.spent), func(a, b pathState) int { return strings.Compare(fmt.Sprint(a), fmt.Sprint(b)) }) {
		_, name, dir := x.of(at.pathDir)
		add(x.account, float64(v.spent[at])/1e9, name, dir, at.state)
	}
}

var directions = [2]report.Direction{conn.A: report.A2B, conn.B: report.B2A}

// of returns the facts and the labels of a path.
func (x *Exposition) of(at pathDir) (s *pathFacts, name, dir string) {
	if x.paths[at] == nil && len(x.paths) >= maxPaths {
		at.path = "others"
	}
	if x.paths[at] == nil {
		x.paths[at] = &pathFacts{}
	}
	return x.paths[at], at.path, string(at.dir)
}

// path adds what one subflow did in an interval. Losses that turn out to be none stay counted.
func (x *Exposition) path(at pathDir, d *SubDir, v *Interval) {
	s, name, dir := x.of(at)
	add(x.bytes, d.Payload, name, dir)
	add(x.segments, d.Segments, name, dir)
	add(x.retransmitted, d.Retransmitted, name, dir)
	if s.lossUnknown = s.lossUnknown || d.Lost == nil && d.Segments > 0; s.lossUnknown {
		x.lost.DeleteLabelValues(name, dir)
	} else if add(x.lost, 0.0, name, dir); d.Lost != nil {
		add(x.lost, *d.Lost, name, dir)
	}
	if v.Throughput != nil { // the interval has a length, and packets cover it
		x.throughput.WithLabelValues(name, dir).Add(float64(d.Payload) / v.Seconds)
	}
	if r := d.SRTT; r != nil {
		if s.most = max(s.most, *r); s.least == 0 || *r < s.least {
			s.least = *r
		}
		x.least.WithLabelValues(name, dir).Set(s.least / 1e3)
		x.most.WithLabelValues(name, dir).Set(s.most / 1e3)
	}
}

// Write writes the state after the latest interval.
func (x *Exposition) Write(w io.Writer) error {
	families, err := x.registry.Gather()
	for _, f := range families {
		if err == nil {
			_, err = expfmt.MetricFamilyToText(w, f)
		}
	}
	return err
}
