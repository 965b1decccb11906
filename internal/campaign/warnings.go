package campaign

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"mpanalyze/internal/textwrap"
)

// maxNamed is how many runs a warning names.
const maxNamed = 3

// Warnings returns the warnings of [Set.MixedRuns], and those on scenarios with too few runs to
// show a difference.
func (s *Set) Warnings(used ...string) []string {
	return append(s.MixedRuns(used...), s.tooFew()...)
}

// MixedRuns warns of differences between the runs of a scenario: in properties of the connection
// that figures depend on, and in labels of runs other than the used ones. It also warns of
// scenarios captured at different places, and of captures that count as several runs.
func (s *Set) MixedRuns(used ...string) (warnings []string) {
	all := s.all()
	for _, sc := range all {
		for _, p := range properties {
			warnings = append(warnings, variation(sc, p.name, p.of)...)
		}
		for _, label := range labelsOf(sc) {
			if !slices.Contains(used, label) {
				warnings = append(warnings, variation(sc, label, func(m *Member) string { return m.Labels[label] })...)
			}
		}
		warnings = append(warnings, otherConnections(sc)...)
	}
	warnings = append(warnings, exchanged(s.Members())...)
	warnings = append(warnings, differentVantages(all)...)
	return append(warnings, sameCaptures(all)...)
}

// property is something that the runs of a scenario should have in common.
type property struct {
	name string
	of   func(*Member) string
}

var properties = []property{
	{"vantage", func(m *Member) string { return m.where() }},
	{"MPTCP version", func(m *Member) string {
		if m.Version == nil {
			return "unknown"
		}
		return strconv.Itoa(*m.Version)
	}},
	{"direction of the data", func(m *Member) string { return string(m.Bulk) }},
	{"paths with data", func(m *Member) string { return strings.Join(slices.Sorted(slices.Values(m.Paths)), "+") }},
	{"fallback", func(m *Member) string {
		if m.FellBack {
			return "fell back"
		}
		return "none"
	}},
}

// variation warns if a property differs between runs of a scenario. It names the most
// frequent value and the runs that have another.
func variation(sc *Scenario, name string, of func(*Member) string) []string {
	count := map[string]int{}
	for i := range sc.Runs {
		count[of(&sc.Runs[i])]++
	}
	if len(count) < 2 {
		return nil
	}
	frequent, most := "", 0
	for _, v := range slices.Sorted(maps.Keys(count)) {
		if count[v] > most {
			frequent, most = v, count[v]
		}
	}
	var odd []string
	for i := range sc.Runs {
		if v := of(&sc.Runs[i]); v != frequent {
			odd = append(odd, fmt.Sprintf("%s (%s)", sc.Runs[i].Name, orNone(v)))
		}
	}
	return []string{fmt.Sprintf("runs of %s vary in %s: %s in %d of %d, but %s", sc.Name, name, orNone(frequent), most, len(sc.Runs), firstOf(odd))}
}

func orNone(v string) string {
	if v == "" {
		return "none"
	}
	return v
}

// firstOf lists the first names.
func firstOf(names []string) string {
	if len(names) <= maxNamed {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(names[:maxNamed], ", "), len(names)-maxNamed)
}

// labelsOf returns the names of the labels that runs of sc have, sorted.
func labelsOf(sc *Scenario) (names []string) {
	for i := range sc.Runs {
		names = slices.AppendSeq(names, maps.Keys(sc.Runs[i].Labels))
	}
	return distinct(names)
}

// otherConnections warns of runs whose captures hold more connections than the one that was
// used.
func otherConnections(sc *Scenario) []string {
	var odd []string
	for _, m := range sc.Runs {
		if m.Connections > 1 {
			odd = append(odd, fmt.Sprintf("%s (connection %d of %d)", m.Name, m.Connection, m.Connections))
		}
	}
	return ifAny("runs of "+sc.Name+" have several connections; the one with the most data was taken unless --connection said otherwise: ", odd)
}

// exchanged warns of runs in which the sender's capture was named as the receiver's.
func exchanged(all []*Member) []string {
	var odd []string
	for _, m := range all {
		if m.Exchanged {
			odd = append(odd, nameOf(m.Scenario, m.Name))
		}
	}
	return ifAny("the capture named as the sender's was taken at the host that receives most of the data: figures of the sender are those of the receiver; exchange the columns sender and receiver: ", odd)
}

// ifAny returns a warning with the first of some runs, if there are any.
func ifAny(text string, odd []string) []string {
	if len(odd) == 0 {
		return nil
	}
	return []string{text + firstOf(odd)}
}

// differentVantages warns if scenarios were captured at different places.
func differentVantages(all []*Scenario) []string {
	var first *Scenario
	for _, sc := range all {
		switch {
		case len(sc.Runs) == 0:
		case first == nil:
			first = sc
		case sc.Runs[0].where() != first.Runs[0].where():
			return []string{fmt.Sprintf("%s was captured at %s, %s at %s: delays, losses and orders seen from different places do not compare",
				first.Name, first.Runs[0].where(), sc.Name, sc.Runs[0].where())}
		}
	}
	return nil
}

// nameOf names a run in messages; scenario is empty for a run that was named without one.
func nameOf(scenario, run string) string { return strings.TrimSpace(scenario + " " + run) }

// maxSame is how many runs a warning of equal captures names.
const maxSame = 10

// sameCaptures warns of captures that count in several runs, as captures or through reports.
func sameCaptures(all []*Scenario) (warnings []string) {
	var names []string
	more := 0
	seen := map[string]int{} // runs by hash, and by what names a capture
	for _, sc := range all {
		for i := range sc.Runs {
			m := &sc.Runs[i]
			names = append(names, nameOf(sc.Name, m.Name))
			here, other := len(names)-1, -1
			for _, name := range slices.Concat([]string{m.Content}, m.Captures) {
				if known, ok := seen[name]; ok && known != here && name != "" {
					other = known
				} else {
					seen[name] = here
				}
			}
			switch {
			case other < 0:
			case len(warnings) < maxSame:
				warnings = append(warnings, fmt.Sprintf("%s and %s are the same capture: they are no two runs", names[other], names[here]))
			default:
				more++
			}
		}
	}
	if more > 0 {
		warnings = append(warnings, fmt.Sprintf("%s more are the same capture as another run", textwrap.Count(more, "run")))
	}
	return warnings
}
