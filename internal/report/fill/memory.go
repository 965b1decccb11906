package fill

import "mpanalyze/internal/report"

// Memory is where the small values of a report lie: a short connection has some
// two hundred that may be null, and a piece of memory for each would cost more
// than to find its value.
type Memory struct {
	Conns      Slab[report.Connection]
	Plain      Slab[report.TCP]
	Subflows   Slab[report.Subflow]
	Events     Slab[report.Event]
	ConnDirs   Slab[report.ConnDir]
	SubDirs    Slab[report.SubDir]
	Paths      Slab[report.PathShare]
	Ints       Slab[int64]
	Small      Slab[int]
	Floats     Slab[float64]
	Bools      Slab[bool]
	Sides      Slab[report.Side]
	Directions Slab[report.Direction]
	Stats      Slab[report.Stat]
	Spreads    Slab[report.SpreadStat]
	Srtts      Slab[report.SRTTStat]
	Rates      Slab[report.RateStat]
	Waits      Slab[report.WaitStat]
	Offsets    Slab[report.OffsetStat]
	Orders     Slab[report.OutOfOrder]
	Worths     Slab[report.ReinjectionWorth]
	Texts      Slab[string]
	Drops      Slab[report.Drops]
	Kinds      Slab[report.Retransmissions]
	Bursts     Slab[report.Bursts]
	Decisions  Slab[report.CwndDecisions]
	Verdicts   Slab[report.List[report.Verdict]]
	Flags      Slab[report.CapableFlags]
	Codes      Slab[report.FallbackCode]

	index map[string]int // of Index
}

// Reuse lets the next report lie where this one does, once nobody looks at it any more.
func (m *Memory) Reuse() {
	for _, s := range []interface{ reuse() }{
		&m.Conns,
		&m.Plain,
		&m.Subflows,
		&m.Events,
		&m.ConnDirs,
		&m.SubDirs,
		&m.Paths,
		&m.Ints,
		&m.Small,
		&m.Floats,
		&m.Bools,
		&m.Sides,
		&m.Directions,
		&m.Stats,
		&m.Spreads,
		&m.Srtts,
		&m.Rates,
		&m.Waits,
		&m.Offsets,
		&m.Orders,
		&m.Worths,
		&m.Texts,
		&m.Drops,
		&m.Kinds,
		&m.Bursts,
		&m.Decisions,
		&m.Verdicts,
		&m.Flags,
		&m.Codes,
	} {
		s.reuse()
	}
}

// Index returns an empty table of numbers by name, for the caller until the next call.
func (m *Memory) Index() map[string]int {
	if m.index == nil {
		m.index = map[string]int{}
	}
	clear(m.index)
	return m.index
}

// Slab gives out values of one type, many of them from one piece of memory, which
// lives as long as any of them.
type Slab[T any] struct {
	all  []T
	used int
}

// slabValues is how many values one piece holds at most.
const slabValues = 256

// Of returns a pointer to a value equal to v that is nobody else's.
func (s *Slab[T]) Of(v T) *T {
	if s.used == len(s.all) {
		s.all, s.used = make([]T, min(max(2*len(s.all), 4), slabValues)), 0
	}
	p := &s.all[s.used]
	*p = v
	s.used++
	return p
}

// List returns a list of n zero values that are nobody else's.
func (s *Slab[T]) List(n int) []T {
	if n > len(s.all)-s.used {
		s.all, s.used = make([]T, max(n, min(2*len(s.all), slabValues))), 0
	}
	out := s.all[s.used : s.used+n : s.used+n]
	clear(out)
	s.used += n
	return out
}

func (s *Slab[T]) reuse() { s.used = 0 }
