package report

// memory is where the small values of a report lie: a short connection has some
// two hundred that may be null, and a piece of memory for each would cost more
// than to find its value.
type memory struct {
	conns      slab[Connection]
	plain      slab[TCP]
	subflows   slab[Subflow]
	events     slab[Event]
	connDirs   slab[ConnDir]
	subDirs    slab[SubDir]
	ints       slab[int64]
	small      slab[int]
	floats     slab[float64]
	bools      slab[bool]
	sides      slab[Side]
	directions slab[Direction]
	stats      slab[Stat]
	spreads    slab[SpreadStat]
	srtts      slab[SRTTStat]
	rates      slab[RateStat]
	waits      slab[WaitStat]
	offsets    slab[OffsetStat]
	orders     slab[OutOfOrder]
	worths     slab[ReinjectionWorth]
	texts      slab[string]
	drops      slab[Drops]
	kinds      slab[Retransmissions]
	bursts     slab[Bursts]
	decisions  slab[CwndDecisions]
	verdicts   slab[List[Verdict]]
	flags      slab[CapableFlags]
	codes      slab[FallbackCode]
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
