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

	points  []Point // bounded by 8 * columns
	columns int
	sorted  bool
}

// add takes a point, in any order of time.
func (l *Lane) add(p Point) (grown int) {
	before := len(l.points)
	l.Seen++
	l.sorted = false
	l.points = append(l.points, p)
	if len(l.points) >= 8*l.columns {
		l.thin(l.columns)
	}
	return len(l.points) - before
}

// Points returns what was kept, by time, in at most 4 points a column.
func (l *Lane) Points(columns int) []Point {
	if len(l.points) > 4*columns {
		l.thin(columns)
	}
	l.sort()
	return l.points
}

func (l *Lane) sort() {
	if !l.sorted {
		slices.SortStableFunc(l.points, func(a, b Point) int {
			return cmp.Or(cmp.Compare(a.T, b.T), cmp.Compare(a.Lo, b.Lo), cmp.Compare(a.Hi, b.Hi))
		})
		l.sorted = true
	}
}

// thin keeps at most 4 points of each of at most that many columns. A column
// is a power of two wide and begins at a multiple of its width, so that each
// wider one holds whole narrower ones: thinning twice loses no more than once.
func (l *Lane) thin(columns int) {
	l.sort()
	first, last := l.points[0].T, l.points[len(l.points)-1].T
	shift := uint(0)
	for last>>shift-first>>shift >= int64(columns) {
		shift++
	}
	out := l.points[:0]
	for i := 0; i < len(l.points); {
		j := i
		for j < len(l.points) && l.points[j].T>>shift == l.points[i].T>>shift {
			j++
		}
		out = extremes(out, l.points[i:j])
		i = j
	}
	l.points = out
}

// extremes appends the first, the lowest, the highest and the last of the
// points of one column, in order of time. The result may share its memory with
// column, at or before its beginning.
func extremes(out, column []Point) []Point {
	lo, hi := 0, 0
	for i, p := range column {
		if p.Lo < column[lo].Lo {
			lo = i
		}
		if p.Hi > column[hi].Hi {
			hi = i
		}
	}
	keep := [4]int{0, min(lo, hi), max(lo, hi), len(column) - 1}
	for i, k := range keep {
		if i == 0 || k != keep[i-1] {
			out = append(out, column[k])
		}
	}
	return out
}
