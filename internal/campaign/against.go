package campaign

import (
	"fmt"
	"strings"

	"mpanalyze/internal/catalogue"
)

// base returns the scenario of a group that the others are compared with, if [Set.Against]
// names one: by its name, or, where scenarios are compared within a factor, by the values of its
// other factors.
func (s *Set) base(g group) *Scenario {
	if s.Against == "" {
		return nil
	}
	for _, sc := range g.scenarios {
		if sc.Name == s.Against || g.within != nil && sc.otherFactors(g.within.Name) == s.Against {
			return sc
		}
	}
	return nil
}

// CheckAgainst returns an error if there is no scenario that the others can be compared with;
// the error lists the scenarios.
func (s *Set) CheckAgainst() error {
	if s.Against == "" {
		return nil
	}
	var names []string
	for _, g := range s.groups() {
		if base := s.base(g); base != nil {
			if len(base.Runs) == 0 {
				return fmt.Errorf("no run of %s is left", base.Name)
			}
			continue
		}
		for _, sc := range g.scenarios {
			names = append(names, sc.Name)
		}
	}
	if len(names) > 0 {
		return fmt.Errorf("no scenario is named %q; scenarios are: %s; NAME=FILE,FILE names an earlier campaign", s.Against, strings.Join(names, ", "))
	}
	return nil
}

// baseline returns the scenarios that others are compared with; empty if all pairs are
// compared.
func (r *Result) baseline() string {
	var names []string
	for i := range r.Comparisons {
		if b := r.Comparisons[i].Baseline; b != "" {
			names = Once(names, b)
		}
	}
	return strings.Join(names, " or ")
}

// change returns the change of a scenario against its baseline in a figure; nil if there is none.
func (r *Result) change(figure, scenario string) *Change {
	for i := range r.Changes {
		if c := &r.Changes[i]; c.Metric == figure && c.Scenario == scenario {
			return c
		}
	}
	return nil
}

// best reports whether a scenario wins its row by more than noise: against all others, or
// against the baseline.
func (c *Comparison) best(name string) bool {
	if c.Baseline == "" {
		return c.winsClearly() && c.Winner == name
	}
	p := c.pairOf(name, c.Baseline)
	return p != nil && p.Verdict == name && c.Better != catalogue.NeitherIsBetter
}

// againstText says which scenarios differ from the baseline.
func (c *Comparison) againstText() string {
	lists := map[string][]string{}
	for _, p := range c.Pairs {
		other, word := p.A, p.Verdict
		if other == c.Baseline {
			other = p.B
		}
		switch {
		case mark(word) != "":
			word = mark(word)
		case c.Better == catalogue.NeitherIsBetter && word == other:
			word = "larger:"
		case c.Better == catalogue.NeitherIsBetter:
			word = "smaller:"
		case word == other:
			word = "better:"
		default:
			word = "worse:"
		}
		lists[word] = append(lists[word], other)
	}
	var parts []string
	for _, word := range []string{"better:", "worse:", "larger:", "smaller:", noise, unknown} {
		if names := lists[word]; len(names) > 0 {
			parts = append(parts, listed(word, names, len(c.Pairs)))
		}
	}
	return "against " + c.Baseline + " " + strings.Join(parts, "; ")
}

// tests returns how many pairs of k scenarios are compared.
func (s *Set) tests(k int) int {
	if s.Against != "" {
		return k - 1
	}
	return k * (k - 1) / 2
}
