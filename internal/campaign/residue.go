package campaign

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// maxNamed is how many runs a warning names.
const maxNamed = 3

// Residue warns of what differs between the runs of a scenario and was averaged over:
// properties of the connection that figures depend on, and labels of runs other than
// the used ones.
func (s *Set) Residue(used ...string) (warnings []string) {
	all := slices.Concat(s.Scenarios, s.Baseline)
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
	warnings = append(warnings, differentVantages(all)...)
	warnings = append(warnings, sameCaptures(all)...)
	return append(warnings, s.tooFew()...)
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
	{"paths with data", func(m *Member) string { return strings.Join(m.Paths, "+") }},
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
	usual, most := "", 0
	for _, v := range slices.Sorted(maps.Keys(count)) {
		if count[v] > most {
			usual, most = v, count[v]
		}
	}
	var odd []string
	for i := range sc.Runs {
		if v := of(&sc.Runs[i]); v != usual {
			odd = append(odd, fmt.Sprintf("%s (%s)", sc.Runs[i].Name, orNone(v)))
		}
	}
	return []string{fmt.Sprintf("runs of %s vary in %s: %s in %d of %d, but %s", sc.Name, name, orNone(usual), most, len(sc.Runs), firstOf(odd))}
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
func labelsOf(sc *Scenario) []string {
	names := map[string]bool{}
	for i := range sc.Runs {
		for l := range sc.Runs[i].Labels {
			names[l] = true
		}
	}
	return slices.Sorted(maps.Keys(names))
}

// otherConnections warns of runs whose captures hold more connections than the one that
// was taken.
func otherConnections(sc *Scenario) []string {
	var odd []string
	for i := range sc.Runs {
		if n := sc.Runs[i].Connections; n > 1 {
			odd = append(odd, fmt.Sprintf("%s (connection %d of %d)", sc.Runs[i].Name, sc.Runs[i].Connection, n))
		}
	}
	if len(odd) == 0 {
		return nil
	}
	return []string{fmt.Sprintf("runs of %s have several connections; the one with the most data was taken unless --connection said otherwise: %s", sc.Name, firstOf(odd))}
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

// sameCaptures warns of captures that count as several runs.
func sameCaptures(all []*Scenario) (warnings []string) {
	seen := map[string]string{}
	for _, sc := range all {
		for i := range sc.Runs {
			content := sc.Runs[i].Content
			if content == "" {
				continue
			}
			name := sc.Name + " " + sc.Runs[i].Name
			if other, ok := seen[content]; ok {
				warnings = append(warnings, fmt.Sprintf("%s and %s are the same capture: they are no two runs", other, name))
				continue
			}
			seen[content] = name
		}
	}
	return warnings
}
