package campaign

import (
	"fmt"
	"maps"
	"net/netip"
	"slices"
	"strings"
)

// CheckPath refuses the name of a path that no run has, and names those that there are.
func (s *Set) CheckPath(name string) error {
	return s.oneOf("path", name, func(m *Member) []string { return m.AllPaths })
}

// CheckLabel refuses the name of a label that no run has.
func (s *Set) CheckLabel(name string) error {
	return s.oneOf("label", name, func(m *Member) []string { return slices.Collect(maps.Keys(m.Labels)) })
}

// CheckAddress refuses a network in which no run has an address.
func (s *Set) CheckAddress(network netip.Prefix) error {
	addresses := s.names(func(m *Member) []string { return m.Addresses })
	for _, text := range addresses {
		if a, err := netip.ParseAddr(text); err == nil && network.Contains(a) {
			return nil
		}
	}
	return fmt.Errorf("no path of any run begins or ends in %v; addresses are: %s", network, strings.Join(addresses, ", "))
}

// oneOf refuses a name that no run has.
func (s *Set) oneOf(what, name string, of func(*Member) []string) error {
	have := s.names(of)
	switch {
	case slices.Contains(have, name):
		return nil
	case len(have) == 0:
		return fmt.Errorf("no run has a %s %q, or any", what, name)
	}
	return fmt.Errorf("no run has a %s %q; %ss are: %s", what, name, what, strings.Join(have, ", "))
}

// names collects what the runs have, sorted.
func (s *Set) names(of func(*Member) []string) (out []string) {
	for _, sc := range slices.Concat(s.Scenarios, s.Baseline, s.Single) {
		for i := range sc.Runs {
			out = append(out, of(&sc.Runs[i])...)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}
