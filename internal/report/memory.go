package report

// memory is where the small values of a report lie: a short connection has some
// two hundred that may be null, and a piece of memory for each would cost more
// than to find its value.
type memory struct {
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

// slab gives out values of one type, many of them from one piece of memory, which
// lives as long as any of them.
type slab[T any] struct{ left []T }

// slabValues is how many values one piece holds.
const slabValues = 64

// of returns a pointer to a value equal to v that is nobody else's.
func (s *slab[T]) of(v T) *T {
	if len(s.left) == 0 {
		s.left = make([]T, slabValues)
	}
	p := &s.left[0]
	*p, s.left = v, s.left[1:]
	return p
}
