package campaign

import (
	"fmt"
	"maps"
	"net/netip"
	"slices"
	"strings"
)

// CheckPath returns an error if no run has a path of that name; the error lists the paths that
// the runs have.
func (s *Set) CheckPath(name string) error {
	return s.oneOf("path", name, func(m *Member) []string { return m.AllPaths })
}

// CheckLabel returns an error if no run has a label of that name, where one is named.
func (s *Set) CheckLabel(name string) error {
	return s.oneOf("label", name, func(m *Member) []string { return slices.Collect(maps.Keys(m.Labels)) })
}

// CheckAddress returns an error if no run has an address in that network.
func (s *Set) CheckAddress(network netip.Prefix) error {
	addresses := s.names(func(m *Member) []string { return m.Addresses })
	for _, text := range addresses {
		if a, err := netip.ParseAddr(text); err == nil && network.Contains(a) {
			return nil
		}
	}
	return fmt.Errorf("no path of any run begins or ends there; addresses are: %s", strings.Join(addresses, ", "))
}

// oneOf returns an error if no run has that name.
func (s *Set) oneOf(what, name string, of func(*Member) []string) error {
	have := s.names(of)
	switch {
	case name == "" || slices.Contains(have, name):
		return nil
	case len(have) == 0:
		return fmt.Errorf("no run has a %s %q, or any", what, name)
	}
	return fmt.Errorf("no run has a %s %q; %ss are: %s", what, name, what, strings.Join(have, ", "))
}

// names collects the names that runs have, sorted.
func (s *Set) names(of func(*Member) []string) (out []string) {
	for _, m := range s.Members() {
		out = append(out, of(m)...)
	}
	return distinct(out)
}
