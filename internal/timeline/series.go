package timeline

import (
	"cmp"
	"slices"

	"mpanalyze/internal/report"
	"mpanalyze/internal/stats"
)

// Point is one value, or a range of values, at one time.
type Point struct {
	T      int64 // nanoseconds since the connection's start
	Lo, Hi float64
}

// Key says what a series holds.
type Key struct {
	Connection int
	Direction  report.Direction
	Subflow    int    // or report.NoSubflow
	Name       string // of a metric, or one of the names below
}

// whole returns the key of the series of the whole connection.
func (x Key) whole() Key {
	x.Subflow = report.NoSubflow
	return x
}

// Names of series that are made from rows of chunks, or from packets that are in two
// captures.
const (
	DSNFirst          = "dsn first"          // data sequence numbers that pass for the first time
	DSNRetransmission = "dsn retransmission" // data sequence numbers that pass again on their subflow
	DSNReinjection    = "dsn reinjection"    // data sequence numbers that pass again, at other subflow sequence numbers
	DSNAcked          = "dsn acked"          // data sequence numbers at the time of the subflow's acknowledgment; in a capture at the receiver: when the data was in order
	DataAck           = "data ack"           // data sequence number that the DATA_ACK acknowledges; of the whole connection
	SSNFirst          = "ssn first"          // subflow sequence numbers that pass for the first time
	SSNReinjection    = "ssn reinjection"    // subflow sequence numbers of reinjected data
	SSNRetransmission = "ssn retransmission" // subflow sequence numbers that pass again
	OneWayDelay       = "way"                // time of arrival by the receiver's clock minus time of sending by the sender's, ms; the point is at the time of sending
	Lost              = "lost"               // packets that did not arrive; the value is 0, the point is at the time of sending
	DSNArrived        = "dsn arrived"        // data sequence numbers that arrive, by the receiver's clock
	EndToEnd          = "end to end"         // time at which a chunk was in order, by the receiver's clock, minus time of sending by the sender's, ms; the point is at the time of sending
	Jitter            = "jitter"             // interarrival jitter so far (RFC 3550, Section 6.4.1) of a subflow, ms; the point is at the time of sending
)

// Series has the points of one line of a figure, thinned: of the points in each column of
// pixels it keeps the first and the last, the lowest and the highest. They draw the same
// line as all points.
type Series struct {
	Key
	Path string
	Seen int64      // number of points that were added
	Dist stats.Dist // distribution of all values added, by the bytes that they are of; empty unless [Config.Dist] asks for it

	OfData bool // values in Dist are weighted by bytes

	points  []Point // thinned to 4 * columns where there are twice as many
	columns int
	means   *means // nil unless asked for

	latest      float64 // of a series of [Config.Held]: the value that holds
	early, late bool    // that value is from before the time that is gathered; there is a point at its end
}

// add adds a point; points may come in any order of time. It returns by how many points the
// series grew.
func (l *Series) add(p Point) (grown int) {
	before := len(l.points)
	l.Seen++
	if l.points = append(l.points, p); len(l.points) >= 8*l.columns {
		l.points = slices.Clone(thinned(l.points, l.columns)) // in less memory
	}
	return len(l.points) - before
}

// Points returns the points that are kept, by time, at most 4 for each of the columns.
func (l *Series) Points(columns int) []Point {
	if l.Seen >= 4*int64(l.columns) { // so many as if all had come at once
		l.points = slices.Clone(thinned(l.points, l.columns))
	}
	l.points = Thin(l.points, columns)
	return l.points
}

// compare orders points by time, then by value, so that a series does not
// depend on the order in which its points came.
func compare(a, b Point) int {
	if a.T != b.T {
		return cmp.Compare(a.T, b.T)
	}
	return cmp.Or(cmp.Compare(a.Lo, b.Lo), cmp.Compare(a.Hi, b.Hi))
}

// Thin returns points by time, at most 4 for each of the columns. It may change the list.
func Thin(points []Point, columns int) []Point {
	if len(points) > 4*columns {
		points = thinned(points, columns)
	}
	slices.SortFunc(points, compare)
	return points
}

// thinned returns what a figure of this many columns shows of points: the first and the last, the lowest and the highest of each
// column. It changes the list. The width of a column is a power of two, and it begins at a multiple of its width. So a wider column
// consists of whole narrower ones, and thinning twice loses no more than thinning once. There are at least two columns, because none
// holds times on both sides of 0.
func thinned(points []Point, columns int) []Point {
	if len(points) == 0 {
		return points
	}
	slices.SortFunc(points, compare)
	shift := 0
	for first, last := points[0].T, points[len(points)-1].T; ; shift++ {
		if span := last>>shift - first>>shift; span >= 0 && span < int64(max(2, columns)) { // below 0: beyond 64 bits
			break
		}
	}
	out := points[:0] // no longer than what was read
	for len(points) > 0 {
		n, first, low, high := 0, points[0], points[0], points[0]
		for ; n < len(points) && points[n].T>>shift == first.T>>shift; n++ {
			if p := points[n]; p.Lo < low.Lo {
				low = p
			}
			if p := points[n]; p.Hi > high.Hi {
				high = p
			}
		}
		last, at := points[n-1], len(out)
		points = points[n:]
		for _, p := range [...]Point{first, low, high, last} {
			if !slices.Contains(out[at:], p) {
				out = append(out, p)
			}
		}
	}
	return out
}
