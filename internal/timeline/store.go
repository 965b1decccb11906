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
	series  map[Key][]*Series // by the key for the whole connection, in the order of subflows
	count   int               // of the series
	cache   [256]*Series      // of recent rows, by [Key.slot]: most rows are of few series
	points  int               // number of points that the series have memory for
	dropped int64
	jitters map[Key]*running
}

// New returns an empty store.
func New(cfg Config) *Store {
	// Times by the clock of the other capture may be before the connection's start.
	cfg.From, cfg.To = cmp.Or(cfg.From, math.MinInt64), cmp.Or(cfg.To, math.MaxInt64)
	return &Store{cfg: cfg, columns: cmp.Or(cfg.Columns, defaultColumns), series: map[Key][]*Series{}, jitters: map[Key]*running{}}
}

// Wants reports whether a series is gathered.
func (s *Store) Wants(metric string) bool { return slices.Contains(s.cfg.Series, metric) }

// Dropped returns how many points were left out because there were too many series.
func (s *Store) Dropped() int64 { return s.dropped }

// Series adds the values of rows of series.
func (s *Store) Series(rows []report.SeriesRow) error {
	for i := range rows {
		if r := &rows[i]; s.Wants(r.Metric) {
			s.add(r.Cell, r.Subflow, r.Metric, Point{r.T, r.Value, r.Value}, r.Weight)
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
	s.addRange(r, passed, dsn, float64(r.DSN), length)
	s.addRange(r, passed, ssn, float64(r.SSN), length)
	done := r.Acked
	if r.Arrived != report.NoTime {
		done = r.Delivered
	}
	s.addRange(r, done, DSNAcked, float64(r.DSN), length)
	if s.cfg.Pair && r.Kind == report.ChunkFirst {
		s.addRange(r, r.Arrived, DSNArrived, float64(r.DSN), length)
		if r.Sent != report.NoTime && r.Delivered != report.NoTime {
			ms := float64(r.Delivered-r.Sent) / 1e6
			s.add(r.Cell, r.Subflow, EndToEnd, Point{r.Sent, ms, ms}, 0)
		}
	}
	if r.DataAcked != report.NoTime {
		end := float64(r.DSN) + length
		s.add(r.Cell, report.NoSubflow, DataAck, Point{r.DataAcked, end, end}, 0)
	}
}

// addRange adds a range of sequence numbers, unless its time is unknown.
func (s *Store) addRange(r *report.ChunkRow, at int64, what string, from, length float64) {
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
		s.add(&r.Cell, r.Subflow, OneWayDelay, Point{r.Sent, ms, ms}, 0)
		if s.cfg.Pair {
			s.jitter(r, ms)
		}
	case r.Fate == "lost": // the network dropped it
		s.add(&r.Cell, r.Subflow, Lost, Point{r.Sent, 0, 0}, 0)
	}
	return nil
}

// running is the state of the jitter of one direction of a subflow.
type running struct{ delay, jitter float64 } // ms

// jitter adds the jitter at the arrival of a packet (RFC 3550, Section 6.4.1). The offset
// between the clocks is in both delays and cancels out. Rows of packets come in the order
// of arrival.
func (s *Store) jitter(r *report.PacketRow, ms float64) {
	at := Key{r.Connection, r.Direction, r.Subflow, Jitter}
	if j := s.jitters[at]; j != nil {
		j.jitter += (math.Abs(ms-j.delay) - j.jitter) / 16
		j.delay = ms
		s.add(&r.Cell, r.Subflow, Jitter, Point{r.Sent, j.jitter, j.jitter}, 0)
	} else if len(s.jitters) < maxSeries {
		s.jitters[at] = &running{delay: ms}
	}
}

// add adds a value of this weight. A weight of 0 counts as 1.
func (s *Store) add(c *report.Cell, subflow int, what string, p Point, weight float64) {
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
	if l.early && p.T > s.cfg.From {
		s.points += l.add(Point{s.cfg.From, l.latest, l.latest})
	}
	l.latest, l.early = p.Lo, false
	if s.points += l.add(p); s.points > maxPoints {
		s.thin()
	}
}

// outside takes a point before or after the time that is gathered, for the points that a series of
// [Config.Held] has at both ends of it. Without them the value that holds at the beginning would be missing.
func (s *Store) outside(c *report.Cell, subflow int, what string, p Point) {
	if !slices.Contains(s.cfg.Held, what) {
		return
	}
	switch l := s.seriesOf(c, subflow, what); {
	case l == nil:
		s.dropped++
	case p.T < s.cfg.From:
		l.latest, l.early = p.Lo, true
	case !l.late && (l.Seen > 0 || l.early):
		s.add(c, subflow, what, Point{s.cfg.To, l.latest, l.latest}, 0)
		l.late = true
	}
}

// slot returns the place of a series in the cache of a store. Each row has a name and a direction.
func (x *Key) slot() uint8 {
	n := len(x.Name)
	return uint8(x.Connection<<6^x.Subflow<<5^n<<3) ^ x.Name[0] ^ x.Name[n-1] ^ x.Direction[0]<<2
}

// seriesOf returns the series that a row belongs to. It makes the series if necessary, or
// returns nil if there are too many.
func (s *Store) seriesOf(c *report.Cell, subflow int, what string) *Series {
	at := Key{c.Connection, c.Direction, subflow, what}
	near := &s.cache[at.slot()]
	if *near != nil && (*near).Key == at {
		return *near
	}
	list := s.series[at.whole()]
	i, found := slices.BinarySearchFunc(list, subflow, func(l *Series, n int) int { return cmp.Compare(l.Subflow, n) })
	if !found {
		if s.count >= maxSeries {
			return nil
		}
		s.count++
		l := &Series{Key: at, columns: s.columns}
		if subflow != report.NoSubflow {
			l.Path = c.Path
		}
		if s.cfg.Cell > 0 && slices.Contains(s.cfg.Means, l.Name) {
			l.means = newMeans(max(1, s.cfg.Cell/partsPerCell))
		}
		list = slices.Insert(list, i, l)
		s.series[at.whole()] = list
	}
	*near = list[i]
	return list[i]
}

// thin halves the number of columns of every series.
func (s *Store) thin() {
	s.columns, s.points = max(s.columns/2, leastColumns), 0
	for _, list := range s.series {
		for _, l := range list {
			l.columns = s.columns
			l.points = slices.Clone(Thin(l.points, s.columns))
			s.points += len(l.points)
		}
	}
}

// Find returns the series of a name in one direction of a connection: first that of the
// whole connection, then those of its subflows by number.
func (s *Store) Find(connection int, d report.Direction, what string) []*Series {
	return s.series[Key{connection, d, report.NoSubflow, what}]
}

// Take replaces a store's series of a name, of one direction of a connection, by those of
// another store. from is the connection there; subflows has the numbers of its subflows here.
// The store must not take rows any more.
func (s *Store) Take(other *Store, from, to int, d report.Direction, name string, subflows map[int]int) {
	var list []*Series
	for _, l := range other.Find(from, d, name) {
		taken := *l
		taken.Connection = to
		if n, ok := subflows[l.Subflow]; ok {
			taken.Subflow = n
		}
		list = append(list, &taken)
	}
	slices.SortStableFunc(list, func(a, b *Series) int { return cmp.Compare(a.Subflow, b.Subflow) })
	s.series[Key{to, d, report.NoSubflow, name}] = list
}
