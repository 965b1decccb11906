package overlay

import (
	"cmp"
	"slices"

	"mpanalyze/internal/report"
)

// Point is a value of a series at a time, nanoseconds.
type Point struct {
	T     int64
	Value float64
}

// Series is the values of one name in a file.
type Series struct {
	Name, Unit string

	absolute, relative []Point // since the Unix epoch; since the first packet of the capture
}

// Label names the series and its unit, as an axis does.
func (s *Series) Label() string {
	if s.Unit == "" {
		return s.Name
	}
	return s.Name + " (" + s.Unit + ")"
}

// Since returns the values in the order of time, nanoseconds since start. first is the time of the
// first packet of the capture. Both are nanoseconds since the epoch.
func (s *Series) Since(first, start int64) []Point {
	out := make([]Point, 0, len(s.absolute)+len(s.relative))
	for _, p := range s.absolute {
		out = append(out, Point{p.T - start, p.Value})
	}
	for _, p := range s.relative {
		out = append(out, Point{p.T + first - start, p.Value})
	}
	slices.SortStableFunc(out, func(a, b Point) int { return cmp.Compare(a.T, b.T) })
	return out
}

// Within returns the part of a series from one time to another, both included. A value holds until
// the next one: so the part has a point at from if an earlier value holds there, and one at to if
// a later value follows. Nothing holds beyond the last value.
func Within(list []Point, from, to int64) (out []Point) {
	for i, p := range list {
		switch {
		case p.T < from:
			if i+1 < len(list) && list[i+1].T > from {
				out = append(out, Point{from, p.Value})
			}
		case p.T <= to:
			out = append(out, p)
		default:
			if n := len(out); n > 0 && out[n-1].T < to {
				out = append(out, Point{to, out[n-1].Value})
			}
			return out
		}
	}
	return out
}

// FirstPacket returns the time of the first packet of the captures, to which relative times of a
// file refer. With captures of both hosts it is the sender's, as times of the report are by its
// clock. Without any it is the given time.
func FirstPacket(doc *report.Document, start int64) int64 {
	first := start
	for i := range doc.Captures {
		c := &doc.Captures[i]
		if c.First != nil && (c.Host == nil || *c.Host == report.SenderHost) {
			first = min(first, int64(*c.First))
		}
	}
	return first
}
