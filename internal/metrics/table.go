package metrics

import (
	"cmp"
	"slices"
	"strings"
	"sync"

	"mpanalyze/internal/catalogue"
)

// Table returns every metric, sorted by name and then by name in reports. All callers share it: none
// changes it.
var Table = sync.OnceValue(func() (all []catalogue.Metric) {
	for _, u := range units {
		for _, m := range u.rows() {
			m.Also = append([]string{}, m.Also...) // not nil, so that JSON has an empty list
			m.Family = u.family
			m.Option = u.flag
			all = append(all, m)
		}
	}
	slices.SortStableFunc(all, func(a, b catalogue.Metric) int {
		return cmp.Or(strings.Compare(a.Name, b.Name), strings.Compare(a.JSON, b.JSON))
	})
	return all
})

// FamilyOf returns the family of the metric of a series.
func FamilyOf(series string) catalogue.Families {
	for _, u := range units {
		if slices.ContainsFunc(u.rows(), func(m catalogue.Metric) bool { return m.Series && m.Name == series }) {
			return u.family
		}
	}
	return 0
}

// Omits reports whether any of some families is not derived.
func (m *Connection) Omits(f catalogue.Families) bool { return m.k != nil && m.k.cfg.Omit&f != 0 }
