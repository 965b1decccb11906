package campaign

import (
	"fmt"
	"slices"
	"strings"
)

// group holds scenarios that are compared with one another.
type group struct {
	within    *Factor // the factor and value that they have in common; nil for all scenarios
	scenarios []*Scenario
}

// groups returns the groups of scenarios that are compared with one another: all scenarios, or
// with [Set.Within] one group for each value of that factor.
func (s *Set) groups() []group {
	if s.Within == "" {
		return []group{{nil, s.Scenarios}}
	}
	var out []group
	for _, value := range s.factorValues(s.Within) {
		g := group{within: &Factor{s.Within, value}}
		for _, sc := range s.Scenarios {
			if sc.factor(s.Within) == value {
				g.scenarios = append(g.scenarios, sc)
			}
		}
		out = append(out, g)
	}
	return out
}

// factor returns the value of a factor in all runs of a scenario; empty where there is
// no such factor.
func (sc *Scenario) factor(name string) string {
	if len(sc.Runs) == 0 {
		return ""
	}
	return sc.Runs[0].factor(name)
}

// factors returns the factors of the runs of a scenario; all its runs have the same values.
func (sc *Scenario) factors() []Factor {
	if len(sc.Runs) == 0 {
		return nil
	}
	return sc.Runs[0].Factors
}

// factorValues returns the values of a factor, in the order of the scenarios.
func (s *Set) factorValues(name string) (values []string) {
	for _, sc := range s.Scenarios {
		if v := sc.factor(name); v != "" && !slices.Contains(values, v) {
			values = append(values, v)
		}
	}
	return values
}

// CheckFactor returns an error if a name is not a factor of every scenario; the error lists
// the factors.
func (s *Set) CheckFactor(name string) error {
	if name == "" {
		return nil
	}
	known := s.names(func(m *Member) (names []string) {
		for _, f := range m.Factors {
			names = append(names, f.Name)
		}
		return names
	})
	switch {
	case len(known) == 0:
		return fmt.Errorf("no scenario has factors; they are the names of a --pattern without {scenario}, as in {scheduler}/{cc}/run{run}.pcap, or the columns of a --manifest without scenario")
	case !slices.Contains(known, name):
		return fmt.Errorf("no factor %q; factors are: %s", name, strings.Join(known, ", "))
	}
	for _, sc := range s.Scenarios {
		if len(sc.Runs) > 0 && sc.factor(name) == "" {
			return fmt.Errorf("scenario %s has no factor %s", sc.Name, name)
		}
	}
	return nil
}
