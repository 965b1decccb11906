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

// Key says what a lane holds.
type Key struct {
	Connection int
	Direction  report.Direction
	Subflow    int    // or report.NoSubflow
	What       string // a series' name, or one of the chunk lanes
}

// The lanes that come from chunks, and from packets of two captures.
const (
	DSNFirst          = "dsn first"          // data sequence numbers where they pass for the first time
	DSNRetransmission = "dsn retransmission" // again on their subflow
	DSNReinjection    = "dsn reinjection"    // again, new to the subflow
	DSNAcked          = "dsn acked"          // when the subflow's acknowledgment came; at the receiver: when they were in order
	DataAck           = "data ack"           // position of the DATA_ACK; of the whole connection
	SSNFirst          = "ssn first"          // subflow sequence numbers where they pass for the first time
	SSNReinjection    = "ssn reinjection"    // the same, of reinjected data
	SSNRetransmission = "ssn retransmission" // again
	Way               = "way"                // ms from one capture to the other, each by its own clock, at the time of sending
	Lost              = "lost"               // packets that did not arrive, at the time of sending; the value is 0
)

// The indices of these lanes.
const (
	dsnFirst = iota
	dsnRetransmission
	dsnReinjection
	dsnAcked
	dataAck
	ssnFirst
	ssnReinjection
	ssnRetransmission
	way
	lost
)

var chunkLanes = [...]string{
	dsnFirst: DSNFirst, dsnRetransmission: DSNRetransmission, dsnReinjection: DSNReinjection, dsnAcked: DSNAcked,
	dataAck: DataAck, ssnFirst: SSNFirst, ssnReinjection: SSNReinjection, ssnRetransmission: SSNRetransmission,
	way: Way, lost: Lost,
}

// Lane is one series, thinned: of every column of a figure it keeps the first
// and the last point, the lowest and the highest, which draw the same line as
// all of them.
type Lane struct {
	Key
	Path string
	Seen int64      // points that were added
	Dist stats.Dist // of all values added; empty unless the store was asked for it

	points  []Point // bounded by 4 * columns
	grid    *grid   // what came before them, where they were more
	columns int
}

// add takes a point, in any order of time, and returns by how many points the
// lane got larger.
func (l *Lane) add(p Point) (grown int) {
	l.Seen++
	if l.grid != nil {
		l.grid.add(p)
		return 0
	}
	before := len(l.points)
	l.points = append(l.points, p)
	if len(l.points) >= 4*l.columns {
		l.coarsen()
	}
	return l.size() - before
}

// size is how many points the lane takes the memory of.
func (l *Lane) size() int {
	if l.grid != nil {
		return 4 * cap(l.grid.columns)
	}
	return len(l.points)
}

// coarsen puts all points into a grid of the lane's columns.
func (l *Lane) coarsen() {
	old := l.list()
	l.grid, l.points = newGrid(l.columns), nil
	for _, p := range old {
		l.grid.add(p)
	}
}

// list returns the points that are kept, in no order.
func (l *Lane) list() []Point {
	if l.grid != nil {
		return l.grid.points()
	}
	return l.points
}

// Points returns what was kept, by time, in at most 4 points a column.
func (l *Lane) Points(columns int) []Point {
	points := l.list()
	if len(points) > 4*columns {
		g := newGrid(columns)
		for _, p := range points {
			g.add(p)
		}
		points = g.points()
	}
	l.points, l.grid = points, nil
	slices.SortFunc(l.points, order)
	return l.points
}

// order compares points by time, then by value, so that lanes do not depend on
// the order in which their points came.
func order(a, b Point) int {
	if a.T != b.T {
		return cmp.Compare(a.T, b.T)
	}
	return cmp.Or(cmp.Compare(a.Lo, b.Lo), cmp.Compare(a.Hi, b.Hi))
}
