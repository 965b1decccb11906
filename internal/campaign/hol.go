package campaign

import (
	"slices"
	"strings"

	"mpanalyze/internal/report"
)

// The two forms of the HoL degree.
const (
	holDegree   = "hol_degree_ms"
	holBlocking = "hol_blocking_ms"
)

// blocking returns the row of the HoL degree. Captures at the sender alone show
// it too low, so that of any such run hol_blocking, which is not, stands in its
// place: in the whole row, for the two do not compare.
func (l *Layout) blocking(s *Set, row layoutRow, d report.Direction) layoutRow {
	var names []string
	all := true
	for _, sc := range s.Scenarios {
		at := slices.ContainsFunc(sc.Runs, func(m Member) bool { return slices.Contains(m.HoLAtSender, d) })
		if at {
			names = append(names, sc.Name)
		}
		all = all && (at || len(sc.Runs) == 0)
	}
	if len(names) == 0 {
		return row
	}
	where := "the captures are the sender's alone"
	if !all {
		where = "of " + strings.Join(names, ", ") + " the captures are the sender's alone"
	}
	l.Notes = append(l.Notes, "HoL blocking (hol_blocking) stands in the row of the HoL degree: "+where+", and show that too low (mpanalyze explain hol_degree)")
	row.metric, row.title = holBlocking, "HoL blocking"
	return row
}
