package build

import "mpanalyze/internal/report"

// memory is where the small values of a report lie: a short connection has some
// two hundred that may be null, and a piece of memory for each would cost more
// than to find its value.
type memory struct {
	conns      slab[report.Connection]
	plain      slab[report.TCP]
	subflows   slab[report.Subflow]
	events     slab[report.Event]
	connDirs   slab[report.ConnDir]
	subDirs    slab[report.SubDir]
	ints       slab[int64]
	small      slab[int]
	floats     slab[float64]
	bools      slab[bool]
	sides      slab[report.Side]
	directions slab[report.Direction]
	stats      slab[report.Stat]
	spreads    slab[report.SpreadStat]
	srtts      slab[report.SRTTStat]
	rates      slab[report.RateStat]
	waits      slab[report.WaitStat]
	offsets    slab[report.OffsetStat]
	orders     slab[report.OutOfOrder]
	worths     slab[report.ReinjectionWorth]
	texts      slab[string]
	drops      slab[report.Drops]
	kinds      slab[report.Retransmissions]
	bursts     slab[report.Bursts]
	decisions  slab[report.CwndDecisions]
	verdicts   slab[report.List[report.Verdict]]
	flags      slab[report.CapableFlags]
	codes      slab[report.FallbackCode]
}

// reuse lets the next report lie where this one does, once nobody looks at it any more.
func (m *memory) reuse() {
	for _, s := range []interface{ reuse() }{
		&m.conns,
		&m.plain,
		&m.subflows,
		&m.events,
		&m.connDirs,
		&m.subDirs,
		&m.ints,
		&m.small,
		&m.floats,
		&m.bools,
		&m.sides,
		&m.directions,
		&m.stats,
		&m.spreads,
		&m.srtts,
		&m.rates,
		&m.waits,
		&m.offsets,
		&m.orders,
		&m.worths,
		&m.texts,
		&m.drops,
		&m.kinds,
		&m.bursts,
		&m.decisions,
		&m.verdicts,
		&m.flags,
		&m.codes,
	} {
		s.reuse()
	}
}

// slab gives out values of one type, many of them from one piece of memory, which
// lives as long as any of them.
type slab[T any] struct {
	all  []T
	used int
}

// slabValues is how many values one piece holds at most.
const slabValues = 64

// of returns a pointer to a value equal to v that is nobody else's.
func (s *slab[T]) of(v T) *T {
	if s.used == len(s.all) {
		s.all, s.used = make([]T, min(max(2*len(s.all), 4), slabValues)), 0
	}
	p := &s.all[s.used]
	*p = v
	s.used++
	return p
}

// list returns a list of n zero values that are nobody else's.
func (s *slab[T]) list(n int) []T {
	if n > len(s.all)-s.used {
		s.all, s.used = make([]T, max(n, min(2*len(s.all), slabValues))), 0
	}
	out := s.all[s.used : s.used+n : s.used+n]
	clear(out)
	s.used += n
	return out
}

func (s *slab[T]) reuse() { s.used = 0 }
