package timeline

import (
	"slices"

	"mpanalyze/internal/report"
)

// edges gives a series of [Config.Held] a point at both ends of the time that is gathered.
// Without them the value that holds at the beginning would be missing.
type edges struct {
	value       float64 // the latest
	early, late bool    // value is from before the time, and there is a point at its end
}

// before takes a value from before the time.
func (x *edges) before(p Point) { x.value, x.early = p.Lo, true }

// inside takes a value. It returns the point at the beginning of the time, if there is one
// that is not yet in the series.
func (x *edges) inside(p Point, from int64) (first Point, ok bool) {
	first, ok = Point{from, x.value, x.value}, x.early && p.T > from
	x.value, x.early = p.Lo, false
	return first, ok
}

// outside takes a point before or after the time that is gathered.
func (s *Store) outside(c *report.Cell, subflow int, what string, p Point) {
	if !slices.Contains(s.cfg.Held, what) {
		return
	}
	switch l := s.seriesOf(c, subflow, what); {
	case l == nil:
		s.dropped++
	case p.T < s.cfg.From:
		l.edges.before(p)
	case !l.edges.late && (l.Seen > 0 || l.edges.early):
		value := l.edges.value
		s.add(c, subflow, what, Point{s.cfg.To, value, value}, 0)
		l.edges.late = true
	}
}
