package timeline

import (
	"cmp"
	"slices"

	"mpanalyze/internal/report"
)

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
