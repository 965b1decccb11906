package live

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"mpanalyze/internal/report"
)

// Exposition turns intervals into the text format of Prometheus, as the textfile collector of its
// node_exporter reads it. Counters count from the first interval on. Figures of paths are those
// of the latest interval, over the connections that it shows: their number is bounded.
type Exposition struct {
	opened, ended, payload, late int64
	last                         Interval
}

// Add takes the next interval.
func (x *Exposition) Add(v *Interval) {
	x.opened += v.Opened
	x.ended += v.Ended
	x.payload += v.Payload
	x.late += v.Late
	x.last = *v
}

// pathDir names a path in one direction.
type pathDir struct {
	path string
	dir  report.Direction
}

// pathSums is what the subflows of one path did in an interval.
type pathSums struct {
	payload, segments, retransmitted, lost int64
	lostKnown                              bool // of each subflow
	least, most                            float64
	timed                                  bool // least and most are known
}

// Write writes the state after the latest interval.
func (x *Exposition) Write(w io.Writer) error {
	var b strings.Builder
	v := &x.last
	end := time.Unix(0, int64(v.Start)).Add(time.Duration(v.Seconds * float64(time.Second)))
	single(&b, "mpanalyze_interval_end_timestamp_seconds", "gauge", "End of the latest interval, by the stamps of the capture.", float64(end.UnixNano())/1e9)
	single(&b, "mpanalyze_interval_seconds", "gauge", "Length of the latest interval.", v.Seconds)
	single(&b, "mpanalyze_connections_open", "gauge", "Connections that are open, plain TCP included.", float64(v.Open))
	single(&b, "mpanalyze_connections_opened_total", "counter", "Connections that began, plain TCP included.", float64(x.opened))
	single(&b, "mpanalyze_connections_ended_total", "counter", "Connections that ended or were given up, plain TCP included.", float64(x.ended))
	single(&b, "mpanalyze_payload_bytes_total", "counter", "TCP payload of all connections, copies included.", float64(x.payload))
	single(&b, "mpanalyze_late_packets_total", "counter", "Packets that came when the interval of their time was over.", float64(x.late))
	x.paths(&b)
	x.verdicts(&b)
	_, err := io.WriteString(w, b.String())
	return err
}

// paths writes the figures of paths.
func (x *Exposition) paths(b *strings.Builder) {
	sums := map[pathDir]*pathSums{}
	for i := range x.last.Shown {
		c := &x.last.Shown[i]
		for k := range c.Subflows {
			s := &c.Subflows[k]
			sumsOf(sums, s.Path, report.A2B).add(&s.A2B)
			sumsOf(sums, s.Path, report.B2A).add(&s.B2A)
		}
	}
	order := slices.SortedFunc(maps.Keys(sums), func(a, b pathDir) int {
		return cmp.Or(cmp.Compare(a.path, b.path), cmp.Compare(a.dir, b.dir))
	})
	figure := func(name, help string, value func(*pathSums) (float64, bool)) {
		header(b, name, "gauge", help)
		for _, at := range order {
			if v, known := value(sums[at]); known {
				fmt.Fprintf(b, "%s{path=%s,direction=%s} %s\n", name, quoted(at.path), quoted(string(at.dir)), decimal(v))
			}
		}
	}
	whole := x.last.Throughput != nil // the interval has a length, and packets cover it
	figure("mpanalyze_path_throughput_bytes_per_second", "TCP payload of the latest interval, copies included, of the connections shown.", func(s *pathSums) (float64, bool) {
		return float64(s.payload) / x.last.Seconds, whole
	})
	figure("mpanalyze_path_segments", "Data segments that the latest interval adds, of the connections shown.", func(s *pathSums) (float64, bool) { return float64(s.segments), true })
	figure("mpanalyze_path_retransmitted_segments", "Retransmitted segments that the latest interval adds, of the connections shown.", func(s *pathSums) (float64, bool) { return float64(s.retransmitted), true })
	figure("mpanalyze_path_lost_segments", "Lost segments that the latest interval adds, of the connections shown; below 0 where copies turned out to be needless.", func(s *pathSums) (float64, bool) {
		return float64(s.lost), s.lostKnown
	})
	figure("mpanalyze_path_srtt_min_seconds", "Smallest smoothed round-trip time among the subflows of the connections shown.", func(s *pathSums) (float64, bool) { return s.least / 1e3, s.timed })
	figure("mpanalyze_path_srtt_max_seconds", "Largest smoothed round-trip time among the subflows of the connections shown.", func(s *pathSums) (float64, bool) { return s.most / 1e3, s.timed })
}

// sumsOf returns the sums of a path in one direction.
func sumsOf(all map[pathDir]*pathSums, path string, d report.Direction) *pathSums {
	at := pathDir{path, d}
	if all[at] == nil {
		all[at] = &pathSums{lostKnown: true}
	}
	return all[at]
}

// add adds what one subflow did.
func (s *pathSums) add(d *SubDir) {
	s.payload += d.Payload
	s.segments += d.Segments
	s.retransmitted += d.Retransmitted
	if d.Lost == nil {
		s.lostKnown = false
	} else {
		s.lost += *d.Lost
	}
	if d.SRTT == nil {
		return
	}
	if !s.timed {
		s.timed, s.least, s.most = true, *d.SRTT, *d.SRTT
	}
	s.least, s.most = min(s.least, *d.SRTT), max(s.most, *d.SRTT)
}

// verdicts writes how many verdicts stand.
func (x *Exposition) verdicts(b *strings.Builder) {
	count := map[[2]string]int{}
	for i := range x.last.Shown {
		for _, s := range x.last.Shown[i].Standing {
			count[[2]string{string(s.Code), string(s.Severity)}]++
		}
	}
	const name = "mpanalyze_verdicts"
	header(b, name, "gauge", "Verdicts that hold for the connections shown.")
	for _, at := range slices.SortedFunc(maps.Keys(count), func(a, b [2]string) int { return slices.Compare(a[:], b[:]) }) {
		fmt.Fprintf(b, "%s{code=%s,severity=%s} %d\n", name, quoted(at[0]), quoted(at[1]), count[at])
	}
}

// header writes the lines before the samples of a metric.
func header(b *strings.Builder, name, kind, help string) {
	fmt.Fprintf(b, "# HELP %s %s\n# TYPE %s %s\n", name, help, name, kind)
}

// single writes a metric with one sample.
func single(b *strings.Builder, name, kind, help string, value float64) {
	header(b, name, kind, help)
	fmt.Fprintf(b, "%s %s\n", name, decimal(value))
}

func decimal(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) }

// labelText escapes what the text format does not take in the value of a label.
var labelText = strings.NewReplacer("\\", "\\\\", "\"", "\\\"", "\n", "\\n")

func quoted(text string) string { return `"` + labelText.Replace(text) + `"` }
