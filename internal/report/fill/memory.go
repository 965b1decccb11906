package fill

import (
	"reflect"

	"mpanalyze/internal/report"
)

// Memory holds the small values of a report. A short connection has about two hundred
// values that may be null, and a separate allocation for each would take more time than
// to compute it.
type Memory struct {
	Conns        Slab[report.Connection]
	Plain        Slab[report.TCP]
	Subflows     Slab[report.Subflow]
	Events       Slab[report.Event]
	ConnDirs     Slab[report.ConnDir]
	SubDirs      Slab[report.SubDir]
	Paths        Slab[report.PathShare]
	Ints         Slab[int64]
	Small        Slab[int]
	Floats       Slab[float64]
	Bools        Slab[bool]
	Sides        Slab[report.Side]
	Directions   Slab[report.Direction]
	Stats        Slab[report.Stat]
	Spreads      Slab[report.SpreadStat]
	Srtts        Slab[report.SRTTStat]
	Rates        Slab[report.RateStat]
	Waits        Slab[report.WaitStat]
	Offsets      Slab[report.OffsetStat]
	Orders       Slab[report.OutOfOrder]
	Worths       Slab[report.ReinjectionWorth]
	Texts        Slab[string]
	Drops        Slab[report.Drops]
	Kinds        Slab[report.Retransmissions]
	Bursts       Slab[report.Bursts]
	TimeAccounts Slab[report.TimeAccount]
	Decisions    Slab[report.CwndDecisions]
	Verdicts     Slab[report.List[report.Verdict]]
	Flags        Slab[report.CapableFlags]
	Codes        Slab[report.FallbackCode]

	index map[string]int // result of Index
	slabs []anySlab      // all slabs above; nil until the first Reuse
}

// anySlab is a slab of any type.
type anySlab interface{ reuse() }

// Reuse makes the next report use the memory of this one. It is called when this report
// is not used any more.
func (m *Memory) Reuse() {
	if m.slabs == nil {
		m.slabs = m.fields()
	}
	for _, s := range m.slabs {
		s.reuse()
	}
}

// fields returns the slabs of m.
func (m *Memory) fields() (out []anySlab) {
	for f, v := range reflect.ValueOf(m).Elem().Fields() {
		if f.IsExported() {
			out = append(out, v.Addr().Interface().(anySlab))
		}
	}
	return out
}

// Index returns an empty table of numbers by name. It belongs to the caller until the
// next call.
func (m *Memory) Index() map[string]int {
	if m.index == nil {
		m.index = map[string]int{}
	}
	clear(m.index)
	return m.index
}

// Slab provides values of one type, many from one allocation. The allocation lives as
// long as any of its values.
type Slab[T any] struct {
	all  []T
	used int
}

// slabValues is the largest number of values in one allocation.
const slabValues = 256

// Of returns a pointer to a new value equal to v.
func (s *Slab[T]) Of(v T) *T {
	if s.used == len(s.all) {
		s.all, s.used = make([]T, min(max(2*len(s.all), 4), slabValues)), 0
	}
	p := &s.all[s.used]
	*p = v
	s.used++
	return p
}

// List returns a new list of n zero values.
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
