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
	Chunks   bool     // also the series that are made of chunks
	Dist     bool     // the distribution of each series in place of its points
	From, To int64    // only this time, nanoseconds since the connection's start; 0 for no bound
	Columns  int      // of a figure; 0 for defaultColumns
	Pair     bool     // also the series that need captures of both hosts, and jitter
	Means    []string // series of which the means of cells are gathered, too
	Cell     int64    // width of these cells, ns
	Held     []string // series whose value holds until the next one: they have a point at From and at To, too
}

// Alike reports whether one store can gather what both configurations ask for, so that each
// figure is the same as with a store of its own.
func (c Config) Alike(o Config) bool {
	return c.Dist == o.Dist && c.From == o.From && c.To == o.To && c.Columns == o.Columns && c.Pair == o.Pair && (c.Cell == o.Cell || c.Cell == 0 || o.Cell == 0)
}

// Add adds what another configuration asks for. [Config.Alike] must hold.
func (c *Config) Add(o Config) {
	c.Chunks, c.Cell = c.Chunks || o.Chunks, max(c.Cell, o.Cell)
	c.Series, c.Means, c.Held = union(c.Series, o.Series), union(c.Means, o.Means), union(c.Held, o.Held)
}

// union returns the names of both lists, each once.
func union(a, b []string) []string {
	out := slices.Clone(a)
	for _, name := range b {
		if !slices.Contains(out, name) {
			out = append(out, name)
		}
	}
	return out
}

// defaultColumns is more than a figure has pixels across.
const defaultColumns = 2048

const (
	// maxPoints bounds the points of all series together, 24 bytes each. Beyond it all
	// series are thinned further.
	maxPoints = 4 << 20
	// maxSeries bounds the series. Points of further series are counted and left out.
	maxSeries = 1 << 14
	// leastColumns is the least number of columns that thinning leaves: a figure of fewer
	// is useless.
	leastColumns = 16
)

// Store makes series from rows. The report has the events, and chunks the data of mappings. It is a [report.RowSink] and a [report.PacketSink].
type Store struct {
	report.NopRows
	cfg     Config
	columns int
	series  map[seriesID]*Series
	cache   [cacheSize]cached // series of recent rows, by a hash of their id
	byConn  map[int][]*Series // the same series by connection
	names   []string          // names of series; an id holds the index of one
	points  int               // number of points that the series have memory for
	dropped int64
	jitters map[seriesID]*running
	gaps    map[seriesID]*gaps // bounded by maxSeries
}

// New returns an empty store.
func New(cfg Config) *Store {
	s := &Store{cfg: cfg, columns: cmp.Or(cfg.Columns, defaultColumns), series: map[seriesID]*Series{}, byConn: map[int][]*Series{}, jitters: map[seriesID]*running{}, gaps: map[seriesID]*gaps{}}
	if s.cfg.From == 0 {
		s.cfg.From = math.MinInt64 // times by the clock of the other capture may be before the connection's start
	}
	if s.cfg.To == 0 {
		s.cfg.To = math.MaxInt64
	}
	s.names = append(slices.Clone(rowNames[:]), cfg.Series...)
	return s
}

// Wants reports whether a series is gathered.
func (s *Store) Wants(metric string) bool { return slices.Contains(s.cfg.Series, metric) }

// Dropped returns how many points were left out because there were too many series.
func (s *Store) Dropped() int64 { return s.dropped }

// Series adds the values of rows of series.
func (s *Store) Series(rows []report.SeriesRow) error {
	for i := range rows {
		r := &rows[i]
		if what := slices.Index(s.cfg.Series, r.Metric); what >= 0 {
			s.add(r.Cell, r.Subflow, len(rowNames)+what, Point{r.T, r.Value, r.Value}, r.Weight)
		}
	}
	return nil
}

// Chunks adds rows of chunks: when their bytes were sent, when they were acknowledged.
func (s *Store) Chunks(rows []report.ChunkRow) error {
	if s.cfg.Chunks {
		for i := range rows {
			s.chunk(&rows[i])
		}
	}
	return nil
}

// chunk adds a row to the series that chunks make.
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
	if r.Kind == report.ChunkFirst {
		s.gap(r, passed)
	}
	length := float64(r.Length)
	s.addRange(r, passed, dsn, float64(r.DSN), length)
	s.addRange(r, passed, ssn, float64(r.SSN), length)
	done := r.Acked
	if r.Arrived != report.NoTime {
		done = r.Delivered
	}
	s.addRange(r, done, dsnAcked, float64(r.DSN), length)
	if s.cfg.Pair && r.Kind == report.ChunkFirst {
		s.addRange(r, r.Arrived, dsnArrived, float64(r.DSN), length)
		if r.Sent != report.NoTime && r.Delivered != report.NoTime {
			ms := float64(r.Delivered-r.Sent) / 1e6
			s.add(r.Cell, r.Subflow, endToEnd, Point{r.Sent, ms, ms}, 0)
		}
	}
	if r.DataAcked != report.NoTime {
		end := float64(r.DSN) + length
		s.add(r.Cell, report.NoSubflow, dataAck, Point{r.DataAcked, end, end}, 0)
	}
}

// addRange adds a range of sequence numbers, unless its time is unknown.
func (s *Store) addRange(r *report.ChunkRow, at int64, what int, from, length float64) {
	if at != report.NoTime {
		s.add(r.Cell, r.Subflow, what, Point{at, from, from + length}, 0)
	}
}

// Packet adds a packet that was looked for in both captures ([report.PacketSink]).
func (s *Store) Packet(r *report.PacketRow) error {
	switch {
	case r.Sent == report.NoTime:
	case r.Arrived != report.NoTime:
		ms := float64(r.Arrived-r.Sent) / 1e6
		s.add(&r.Cell, r.Subflow, oneWayDelay, Point{r.Sent, ms, ms}, 0)
		if s.cfg.Pair {
			s.jitter(r, ms)
		}
	case r.Fate == fateLost:
		s.add(&r.Cell, r.Subflow, lost, Point{r.Sent, 0, 0}, 0)
	}
	return nil
}

// running is the state of the jitter of one direction of a subflow.
type running struct{ delay, jitter float64 } // ms

// jitter adds the jitter at the arrival of a packet (RFC 3550, Section 6.4.1). The offset
// between the clocks is in both delays and cancels out. Rows of packets come in the order
// of arrival.
func (s *Store) jitter(r *report.PacketRow, ms float64) {
	at := idOf(r.Connection, r.Direction, r.Subflow, jitter)
	if j := s.jitters[at]; j != nil {
		j.jitter += (math.Abs(ms-j.delay) - j.jitter) / 16
		j.delay = ms
		s.add(&r.Cell, r.Subflow, jitter, Point{r.Sent, j.jitter, j.jitter}, 0)
	} else if len(s.jitters) < maxSeries {
		s.jitters[at] = &running{delay: ms}
	}
}

// fateLost is the value of [report.PacketRow.Fate] for a packet that the network dropped.
const fateLost = "lost"

// seriesID is a [Key] packed into one number, which a map finds in half the time.
type seriesID uint64

// cached is the series that an earlier row went to.
type cached struct {
	at     seriesID
	series *Series // nil for an empty entry
}

// cacheSize is how many series are found without the map; it is a power of two. A few
// connections use fewer at a time.
const cacheSize = 256

func idOf(connection int, d report.Direction, subflow, what int) seriesID {
	p := seriesID(connection)<<33 | seriesID(subflow+1)&0xffffff<<9 | seriesID(what)<<1
	if d == report.B2A {
		p |= 1
	}
	return p
}

// add adds a value of this weight. A weight of 0 counts as 1.
func (s *Store) add(c *report.Cell, subflow, what int, p Point, weight float64) {
	if p.T < s.cfg.From || p.T > s.cfg.To {
		s.outside(c, subflow, what, p)
		return
	}
	l := s.seriesOf(c, subflow, what)
	if l == nil {
		s.dropped++
		return
	}
	switch {
	case s.cfg.Dist && weight > 0: // as in the report
		l.Dist.AddWeighted(p.Lo, weight)
		l.OfData = true
		return
	case s.cfg.Dist:
		l.Dist.Add(p.Lo)
		return
	}
	if l.means != nil {
		l.means.add(p)
	}
	if from, ok := l.edges.inside(p, s.cfg.From); ok {
		s.points += l.add(from)
	}
	if s.points += l.add(p); s.points > maxPoints {
		s.thin()
	}
}

// seriesOf returns the series that a row belongs to. It makes the series if necessary, or
// returns nil if there are too many.
func (s *Store) seriesOf(c *report.Cell, subflow, what int) *Series {
	at := idOf(c.Connection, c.Direction, subflow, what)
	near := &s.cache[(at^at>>9^at>>33)%cacheSize]
	if near.series != nil && near.at == at {
		return near.series
	}
	l := s.series[at]
	if l == nil {
		if len(s.series) >= maxSeries {
			return nil
		}
		l = &Series{Key: Key{c.Connection, c.Direction, subflow, s.names[what]}, columns: s.columns}
		if subflow != report.NoSubflow {
			l.Path = c.Path
		}
		if s.cfg.Cell > 0 && slices.Contains(s.cfg.Means, l.Name) {
			l.means = &means{width: max(1, s.cfg.Cell/partsPerCell)}
		}
		s.series[at] = l
		s.byConn[c.Connection] = append(s.byConn[c.Connection], l)
	}
	*near = cached{at, l}
	return l
}

// thin halves the number of columns of every series.
func (s *Store) thin() {
	if s.columns /= 2; s.columns < leastColumns {
		s.columns = leastColumns
	}
	s.points = 0
	for _, l := range s.series {
		l.columns = s.columns
		if l.size() > 4*s.columns {
			l.useGrid()
		}
		s.points += l.size()
	}
}

// Find returns the series of a name in one direction of a connection: first that of the
// whole connection, then those of its subflows by number.
func (s *Store) Find(connection int, d report.Direction, what string) (out []*Series) {
	for _, l := range s.byConn[connection] {
		if l.Direction == d && l.Name == what {
			out = append(out, l)
		}
	}
	slices.SortFunc(out, func(a, b *Series) int { return cmp.Compare(a.Subflow, b.Subflow) })
	return out
}
