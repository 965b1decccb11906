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
	Dist     bool     // the distribution of each series, and no points
	From, To int64    // only this time, nanoseconds since the connection's start; 0 for no bound
	Columns  int      // of a figure; 0 for defaultColumns
}

// defaultColumns is more than the pixels across a figure.
const defaultColumns = 2048

const (
	// maxPoints bounds the points of all lanes together, 24 octets each:
	// where there are more, all lanes are thinned further.
	maxPoints = 4 << 20
	// maxLanes bounds the lanes; series beyond are left out and counted.
	maxLanes = 1 << 14
	// leastColumns ends the thinning: what is coarser is no figure.
	leastColumns = 16
)

// Store gathers lanes from rows. It is a [report.RowSink] and a
// [report.PacketSink].
type Store struct {
	cfg     Config
	columns int
	lanes   map[place]*Lane
	recent  [recent]found   // where rows went lately, by the low bits of their place
	byConn  map[int][]*Lane // the same lanes by connection
	names   []string        // what lanes may hold; a place has its index
	points  int
	lost    int64
}

// New returns an empty store.
func New(cfg Config) *Store {
	s := &Store{cfg: cfg, columns: cmp.Or(cfg.Columns, defaultColumns), lanes: map[place]*Lane{}, byConn: map[int][]*Lane{}}
	if s.cfg.From == 0 {
		s.cfg.From = math.MinInt64 // another clock may stand before the connection's start
	}
	if s.cfg.To == 0 {
		s.cfg.To = math.MaxInt64
	}
	s.names = append(slices.Clone(chunkLanes[:]), cfg.Series...)
	return s
}

// Wants reports whether a series is gathered.
func (s *Store) Wants(metric string) bool { return slices.Contains(s.cfg.Series, metric) }

// Lost returns how many points had no lane because there were too many.
func (s *Store) Lost() int64 { return s.lost }

// Series takes values of series.
func (s *Store) Series(rows []report.SeriesRow) error {
	for i := range rows {
		r := &rows[i]
		if what := slices.Index(s.cfg.Series, r.Metric); what >= 0 {
			s.add(r.Cell, r.Subflow, len(chunkLanes)+what, Point{r.T, r.Value, r.Value})
		}
	}
	return nil
}

// Chunks takes the lives of chunks.
func (s *Store) Chunks(rows []report.ChunkRow) error {
	if s.cfg.Chunks {
		for i := range rows {
			s.chunk(&rows[i])
		}
	}
	return nil
}

// chunk takes the life of a chunk.
func (s *Store) chunk(r *report.ChunkRow) {
	dsn, ssn := dsnFirst, ssnFirst
	switch r.Kind {
	case report.ChunkRetransmission:
		dsn, ssn = dsnRetransmission, ssnRetransmission
	case report.ChunkReinjection:
		dsn, ssn = dsnReinjection, ssnReinjection
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
	s.span(r, done, dsnAcked, float64(r.DSN), length)
	if r.DataAcked != report.NoTime {
		end := float64(r.DSN) + length
		s.add(r.Cell, report.NoSubflow, dataAck, Point{r.DataAcked, end, end})
	}
}

// span adds a range of sequence numbers, of which at may be unknown.
func (s *Store) span(r *report.ChunkRow, at int64, what int, from, length float64) {
	if at != report.NoTime {
		s.add(r.Cell, r.Subflow, what, Point{at, from, from + length})
	}
}

// Packet takes a packet that two captures were searched for
// ([report.PacketSink]).
func (s *Store) Packet(r *report.PacketRow) error {
	switch {
	case r.Sent == report.NoTime:
	case r.Arrived != report.NoTime:
		ms := float64(r.Arrived-r.Sent) / 1e6
		s.add(&r.Cell, r.Subflow, way, Point{r.Sent, ms, ms})
	case r.Fate == fateLost:
		s.add(&r.Cell, r.Subflow, lost, Point{r.Sent, 0, 0})
	}
	return nil
}

// fateLost is [report.PacketRow]'s word for a packet that the network dropped.
const fateLost = "lost"

// Mappings takes nothing: what mappings carry is in the chunks.
func (s *Store) Mappings([]report.MappingRow) error { return nil }

// Unmapped says so ([report.Unmapped]).
func (s *Store) Unmapped() {}

// Event takes nothing: events are in the report.
func (s *Store) Event(*report.EventRow) error { return nil }

// place is a key as one number: a map finds it in half the time.
type place uint64

// found is a lane that a row went to.
type found struct {
	at   place
	lane *Lane // nil: none yet
}

// recent is how many lanes are remembered to spare the map, a power of two:
// more than the busy ones of a few connections.
const recent = 256

func placeOf(connection int, d report.Direction, subflow, what int) place {
	p := place(connection)<<33 | place(subflow+1)&0xffffff<<9 | place(what)<<1
	if d == report.B2A {
		p |= 1
	}
	return p
}

func (s *Store) add(c *report.Cell, subflow, what int, p Point) {
	if p.T < s.cfg.From || p.T > s.cfg.To {
		return
	}
	l := s.lane(c, subflow, what)
	if l == nil {
		s.lost++
		return
	}
	if s.cfg.Dist {
		l.Dist.Add(p.Lo)
		return
	}
	if s.points += l.add(p); s.points > maxPoints {
		s.shrink()
	}
}

// lane returns the lane of a place, a new one if need be, or nil where there
// are too many.
func (s *Store) lane(c *report.Cell, subflow, what int) *Lane {
	at := placeOf(c.Connection, c.Direction, subflow, what)
	near := &s.recent[(at^at>>9^at>>33)%recent]
	if near.lane != nil && near.at == at {
		return near.lane
	}
	l := s.lanes[at]
	if l == nil {
		if len(s.lanes) >= maxLanes {
			return nil
		}
		l = &Lane{Key: Key{c.Connection, c.Direction, subflow, s.names[what]}, columns: s.columns}
		if subflow != report.NoSubflow {
			l.Path = c.Path
		}
		s.lanes[at] = l
		s.byConn[c.Connection] = append(s.byConn[c.Connection], l)
	}
	*near = found{at, l}
	return l
}

// shrink halves the columns of every lane.
func (s *Store) shrink() {
	if s.columns /= 2; s.columns < leastColumns {
		s.columns = leastColumns
	}
	s.points = 0
	for _, l := range s.lanes {
		l.columns = s.columns
		if l.size() > 4*s.columns {
			l.coarsen()
		}
		s.points += l.size()
	}
}

// Lanes returns the lanes of one direction of a connection that hold that, by
// subflow, those of the whole connection first.
func (s *Store) Lanes(connection int, d report.Direction, what string) (out []*Lane) {
	for _, l := range s.byConn[connection] {
		if l.Direction == d && l.What == what {
			out = append(out, l)
		}
	}
	slices.SortFunc(out, func(a, b *Lane) int { return cmp.Compare(a.Subflow, b.Subflow) })
	return out
}
