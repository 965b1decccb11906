package timeline

import (
	"cmp"
	"math"
	"slices"

	"mpanalyze/internal/report"
)

// Config says what a store gathers.
type Config struct {
	Series   []string // names of series
	Chunks   bool     // the lanes that come from chunks
	Dist     bool     // the distribution of each series too
	From, To int64    // only this time, nanoseconds since the connection's start; To 0 for no end
	Columns  int      // of a figure; 0 for DefaultColumns
}

// DefaultColumns is more than the pixels across a figure.
const DefaultColumns = 2048

const (
	// maxPoints bounds the points of all lanes together, 24 octets each:
	// where there are more, all lanes are thinned further.
	maxPoints = 4 << 20
	// maxLanes bounds the lanes; series beyond are left out and counted.
	maxLanes = 1 << 14
	// leastColumns ends the thinning: what is coarser is no figure.
	leastColumns = 16
)

// Store gathers lanes from rows. It is a [report.RowSink].
type Store struct {
	cfg     Config
	columns int
	lanes   map[Key]*Lane
	wanted  map[string]bool
	points  int
	lost    int64
}

// New returns an empty store.
func New(cfg Config) *Store {
	s := &Store{cfg: cfg, columns: cmp.Or(cfg.Columns, DefaultColumns), lanes: map[Key]*Lane{}, wanted: map[string]bool{}}
	if s.cfg.To == 0 {
		s.cfg.To = math.MaxInt64
	}
	for _, name := range cfg.Series {
		s.wanted[name] = true
	}
	return s
}

// Wants reports whether a series is gathered.
func (s *Store) Wants(metric string) bool { return s.wanted[metric] }

// Lost returns how many points had no lane because there were too many.
func (s *Store) Lost() int64 { return s.lost }

// Series takes a value of a series.
func (s *Store) Series(r *report.SeriesRow) error {
	if s.wanted[r.Metric] {
		s.add(&r.Cell, r.Subflow, r.Metric, Point{r.T, r.Value, r.Value})
	}
	return nil
}

// Chunk takes the life of a chunk.
func (s *Store) Chunk(r *report.ChunkRow) error {
	if !s.cfg.Chunks {
		return nil
	}
	dsn, ssn := DSNFirst, SSNFirst
	switch r.Kind {
	case report.ChunkRetransmission:
		dsn, ssn = DSNRetransmission, SSNRetransmission
	case report.ChunkReinjection:
		dsn, ssn = DSNReinjection, SSNReinjection
	}
	passed := r.Sent
	if passed == report.NoTime {
		passed = r.Arrived
	}
	length := float64(r.Length)
	s.span(r, passed, dsn, float64(r.DSN), length)
	s.span(r, passed, ssn, float64(r.SSN), length)
	done := r.Acked
	if r.Arrived != report.NoTime {
		done = r.Delivered
	}
	s.span(r, done, DSNAcked, float64(r.DSN), length)
	if r.DataAcked != report.NoTime {
		end := float64(r.DSN) + length
		s.add(&r.Cell, report.NoSubflow, DataAck, Point{r.DataAcked, end, end})
	}
	return nil
}

// span adds a range of sequence numbers, of which at may be unknown.
func (s *Store) span(r *report.ChunkRow, at int64, what string, from, length float64) {
	if at != report.NoTime {
		s.add(&r.Cell, r.Subflow, what, Point{at, from, from + length})
	}
}

// Mapping takes nothing: what mappings carry is in the chunks.
func (s *Store) Mapping(*report.MappingRow) error { return nil }

// Event takes nothing: events are in the report.
func (s *Store) Event(*report.EventRow) error { return nil }

func (s *Store) add(c *report.Cell, subflow int, what string, p Point) {
	if p.T < s.cfg.From || p.T > s.cfg.To {
		return
	}
	key := Key{c.Connection, c.Direction, subflow, what}
	l := s.lanes[key]
	if l == nil {
		if len(s.lanes) >= maxLanes {
			s.lost++
			return
		}
		l = &Lane{Key: key, columns: s.columns}
		if subflow != report.NoSubflow {
			l.Path = c.Path
		}
		s.lanes[key] = l
	}
	if s.cfg.Dist {
		l.Dist.Add(p.Lo)
	}
	if s.points += l.add(p); s.points > maxPoints {
		s.shrink()
	}
}

// shrink halves the columns of every lane.
func (s *Store) shrink() {
	if s.columns /= 2; s.columns < leastColumns {
		s.columns = leastColumns
	}
	s.points = 0
	for _, l := range s.lanes {
		l.columns = s.columns
		if len(l.points) > 4*s.columns {
			l.thin(s.columns)
		}
		s.points += len(l.points)
	}
}

// Lane returns a lane; nil where it has no point.
func (s *Store) Lane(k Key) *Lane { return s.lanes[k] }

// Lanes returns the lanes of one direction of a connection that hold that, by
// subflow, those of the whole connection first.
func (s *Store) Lanes(connection int, d report.Direction, what string) (out []*Lane) {
	for k, l := range s.lanes {
		if k.Connection == connection && k.Direction == d && k.What == what {
			out = append(out, l)
		}
	}
	slices.SortFunc(out, func(a, b *Lane) int { return cmp.Compare(a.Subflow, b.Subflow) })
	return out
}

// Count returns the number of lanes.
func (s *Store) Count() int { return len(s.lanes) }
