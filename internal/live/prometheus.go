package live

import (
	"io"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/common/expfmt"

	"mpanalyze/internal/report"
)

// Exposition turns intervals into the text format of Prometheus, as the textfile collector of its
// node_exporter reads it. Counters count from the first interval on; those of paths count the
// connections that are shown. Gauges are of the latest interval. It implements [prometheus.Collector].
type Exposition struct {
	version                      string
	opened, ended, payload, late int64
	paths                        map[pathDir]*pathSums // bounded by maxPaths
	last                         Interval
}

// maxPaths bounds the paths and directions that have counters; what others carried counts for the path "others".
const maxPaths = 1000

// NewExposition returns an exposition without intervals. version is that of the program.
func NewExposition(version string) *Exposition {
	return &Exposition{version: version, paths: map[pathDir]*pathSums{}}
}

// pathDir names a path in one direction.
type pathDir struct {
	path string
	dir  report.Direction
}

// pathSums is what the subflows of one path did: counters from the first interval on, and what is of the latest one.
type pathSums struct {
	payload, segments, retransmitted, lost int64
	lossUnknown                            bool  // data was sent whose losses the capture does not show
	now                                    bool  // the latest interval shows the path
	recent                                 int64 // payload of the latest interval
	least, most                            float64
	timed                                  bool // least and most are known
}

// Add takes the next interval.
func (x *Exposition) Add(v *Interval) {
	x.opened += v.Opened
	x.ended += v.Ended
	x.payload += v.Payload
	x.late += v.Late
	x.last = *v
	for _, s := range x.paths {
		s.now, s.recent, s.timed = false, 0, false
	}
	for i := range v.Shown {
		for k := range v.Shown[i].Subflows {
			s := &v.Shown[i].Subflows[k]
			x.path(s.Path, report.A2B).add(&s.A2B)
			x.path(s.Path, report.B2A).add(&s.B2A)
		}
	}
}

// path returns the sums of a path in one direction.
func (x *Exposition) path(name string, d report.Direction) *pathSums {
	at := pathDir{name, d}
	if x.paths[at] == nil && len(x.paths) >= maxPaths {
		at.path = "others"
	}
	if x.paths[at] == nil {
		x.paths[at] = &pathSums{}
	}
	return x.paths[at]
}

// add adds what one subflow did in an interval. A counter never falls: losses that turn out to be none
// stay counted.
func (s *pathSums) add(d *SubDir) {
	s.now = true
	s.recent += d.Payload
	s.payload += d.Payload
	s.segments += d.Segments
	s.retransmitted += d.Retransmitted
	if d.Lost != nil {
		s.lost += max(0, *d.Lost)
	} else if d.Segments > 0 {
		s.lossUnknown = true
	}
	if r := d.SRTT; r != nil && !s.timed {
		s.timed, s.least, s.most = true, *r, *r
	} else if r != nil {
		s.least, s.most = min(s.least, *r), max(s.most, *r)
	}
}

// Write writes the state after the latest interval.
func (x *Exposition) Write(w io.Writer) error {
	registry := prometheus.NewRegistry()
	registry.MustRegister(x)
	families, err := registry.Gather()
	for _, f := range families {
		if err == nil {
			_, err = expfmt.MetricFamilyToText(w, f)
		}
	}
	return err
}

// Describe implements [prometheus.Collector]: which paths and verdicts there are is known later.
func (x *Exposition) Describe(chan<- *prometheus.Desc) {}

// Collect implements [prometheus.Collector].
func (x *Exposition) Collect(out chan<- prometheus.Metric) {
	v := &x.last
	tell := func(kind prometheus.ValueType, name, help string, value float64) {
		out <- prometheus.MustNewConstMetric(prometheus.NewDesc("mpanalyze_"+name, help, nil, nil), kind, value)
	}
	build := prometheus.NewDesc("mpanalyze_build_info", "Version of the program; the value is 1.", []string{"version"}, nil)
	out <- prometheus.MustNewConstMetric(build, prometheus.GaugeValue, 1, x.version)
	if v.Schema != "" { // there was an interval
		tell(prometheus.GaugeValue, "interval_end_timestamp_seconds", "End of the latest interval, by the stamps of the capture.", float64(v.End())/1e9)
		tell(prometheus.GaugeValue, "interval_seconds", "Length of the latest interval.", v.Seconds)
	}
	tell(prometheus.GaugeValue, "connections_open", "Connections that are open, plain TCP included.", float64(v.Open))
	tell(prometheus.CounterValue, "connections_opened_total", "Connections that began, plain TCP included.", float64(x.opened))
	tell(prometheus.CounterValue, "connections_ended_total", "Connections that ended or were given up, plain TCP included.", float64(x.ended))
	tell(prometheus.CounterValue, "payload_bytes_total", "TCP payload of all connections, copies included.", float64(x.payload))
	tell(prometheus.CounterValue, "late_packets_total", "Packets that came when the interval of their time was over.", float64(x.late))
	for at, s := range x.paths {
		x.collectPath(out, at, s)
	}
	x.collectVerdicts(out)
}

// pathFigures are the figures of paths. value is absent where known is false.
var pathFigures = []struct {
	desc  *prometheus.Desc
	kind  prometheus.ValueType
	value func(x *Exposition, s *pathSums) (v float64, known bool)
}{
	{ofPath("path_bytes_total", "TCP payload, copies included, of the connections shown."), prometheus.CounterValue, func(_ *Exposition, s *pathSums) (float64, bool) { return float64(s.payload), true }},
	{ofPath("path_segments_total", "Data segments of the connections shown."), prometheus.CounterValue, func(_ *Exposition, s *pathSums) (float64, bool) { return float64(s.segments), true }},
	{ofPath("path_retransmitted_segments_total", "Retransmitted segments of the connections shown."), prometheus.CounterValue, func(_ *Exposition, s *pathSums) (float64, bool) { return float64(s.retransmitted), true }},
	{ofPath("path_lost_segments_total", "Lost segments of the connections shown; those that turn out not to be lost stay counted."), prometheus.CounterValue, func(_ *Exposition, s *pathSums) (float64, bool) { return float64(s.lost), !s.lossUnknown }},
	{ofPath("path_throughput_bytes_per_second", "TCP payload of the latest interval, copies included, of the connections shown."), prometheus.GaugeValue, func(x *Exposition, s *pathSums) (float64, bool) {
		return float64(s.recent) / x.last.Seconds, s.now && x.last.Throughput != nil // the interval has a length, and packets cover it
	}},
	{ofPath("path_srtt_min_seconds", "Smallest smoothed round-trip time among the subflows of the connections shown."), prometheus.GaugeValue, func(_ *Exposition, s *pathSums) (float64, bool) { return s.least / 1e3, s.timed }},
	{ofPath("path_srtt_max_seconds", "Largest smoothed round-trip time among the subflows of the connections shown."), prometheus.GaugeValue, func(_ *Exposition, s *pathSums) (float64, bool) { return s.most / 1e3, s.timed }},
}

func ofPath(name, help string) *prometheus.Desc {
	return prometheus.NewDesc("mpanalyze_"+name, help, []string{"path", "direction"}, nil)
}

// collectPath gives the figures of a path in one direction.
func (x *Exposition) collectPath(out chan<- prometheus.Metric, at pathDir, s *pathSums) {
	for _, f := range pathFigures {
		if v, known := f.value(x, s); known {
			out <- prometheus.MustNewConstMetric(f.desc, f.kind, v, at.path, string(at.dir))
		}
	}
}

// collectVerdicts gives how many verdicts stand.
func (x *Exposition) collectVerdicts(out chan<- prometheus.Metric) {
	count := map[VerdictOf]int{}
	for i := range x.last.Shown {
		for _, s := range x.last.Shown[i].Standing {
			count[VerdictOf{Code: s.Code, Severity: s.Severity}]++
		}
	}
	desc := prometheus.NewDesc("mpanalyze_verdicts", "Verdicts that hold for the connections shown.", []string{"code", "severity"}, nil)
	for of, n := range count {
		out <- prometheus.MustNewConstMetric(desc, prometheus.GaugeValue, float64(n), string(of.Code), string(of.Severity))
	}
}
