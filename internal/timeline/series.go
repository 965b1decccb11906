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

	points  []Point // bounded by 4 * columns
	grid    *grid   // has the points in place of points once there are 4 * columns of them
	columns int
	means   *means // nil unless asked for

	latest      float64 // of a series of [Config.Held]: the value that holds
	early, late bool    // that value is from before the time that is gathered; there is a point at its end

	some   bool       // data of [DSNFirst] has passed,
	passed int64      // the latest at this time
	gaps   stats.Dist // times between its data that passes one after the other, ns, each weighted by itself
}

// pass adds the time since the data before.
func (l *Series) pass(at int64) {
	if wait := float64(at - l.passed); l.some && wait > 0 {
		l.gaps.AddWeighted(wait, wait)
	}
	if !l.some || at > l.passed {
		l.some, l.passed = true, at
	}
}

// add adds a point; points may come in any order of time. It returns by how many points the
// memory of the series grew.
func (l *Series) add(p Point) (grown int) {
	l.Seen++
	if l.grid != nil {
		l.grid.add(p)
		return 0
	}
	before := len(l.points)
	l.points = append(l.points, p)
	if len(l.points) >= 4*l.columns {
		l.useGrid()
	}
	return l.size() - before
}

// size returns the number of points that the series has memory for.
func (l *Series) size() int {
	if l.grid != nil {
		return 4 * int(l.grid.most)
	}
	return len(l.points)
}

// useGrid moves the points into a new grid.
func (l *Series) useGrid() { l.grid, l.points = newGrid(l.columns, l.kept()), nil }

// kept returns the points that are kept, in arbitrary order.
func (l *Series) kept() []Point {
	if l.grid != nil {
		return l.grid.points()
	}
	return l.points
}

// Points returns the points that are kept, by time, at most 4 for each of the columns.
func (l *Series) Points(columns int) []Point {
	points := l.kept()
	if len(points) > 4*columns {
		points = newGrid(columns, points).points()
	}
	l.points, l.grid = points, nil
	slices.SortFunc(l.points, compare)
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

// Thin returns points in the order of time, at most 4 for each of the columns: as [Series.Points]
// does for points that no store has gathered.
func Thin(points []Point, columns int) []Point {
	return (&Series{points: points}).Points(columns)
}
