package metrics

import (
	"slices"
	"strings"
)

// Find is [Lookup] for people: where no metric has that name, it returns those that
// have it as their symbol in the papers, or as another name. Case does not count, and
// Greek letters may be spelled out.
func Find(name string) (found []Metric) {
	if found = Lookup(name); len(found) > 0 || name == "" {
		return found
	}
	name = spelled(name)
	for _, m := range Table() {
		if slices.ContainsFunc(m.otherNames(), func(other string) bool { return spelled(other) == name }) {
			found = append(found, m)
		}
	}
	return found
}

// otherNames returns what a metric is called elsewhere.
func (m *Metric) otherNames() []string {
	names := append([]string{m.Name, m.JSON, m.Symbol}, m.Also...)
	return append(names, strings.FieldsFunc(m.Symbol, func(r rune) bool { return strings.ContainsRune(" ,()", r) })...)
}

var letters = strings.NewReplacer("δ", "delta", "ζ", "zeta", "θ", "theta", "τ", "tau", "υ", "upsilon", "\u0304", "")

// spelled returns a name as a keyboard without Greek letters has it.
func spelled(name string) string { return letters.Replace(strings.ToLower(name)) }
