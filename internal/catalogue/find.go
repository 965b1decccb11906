package catalogue

import (
	"fmt"
	"slices"
	"strings"
)

// Find is [Lookup] for people: where no metric has that name, it returns those that
// have it as their symbol in the papers, or as another name, and where there are none
// either, those whose symbol has it with an index. Case, "_" and "-" do not count, and
// Greek letters may be spelled out.
func Find(rows []Metric, name string) []Metric {
	if found := Lookup(rows, name); len(found) > 0 {
		return found
	}
	if name = spelled(name); name == "" {
		return nil
	}
	if found := called(rows, name, (*Metric).otherNames); len(found) > 0 {
		return found
	}
	return called(rows, name, (*Metric).bareSymbols)
}

// called returns the rows of which one of these names is spelled so.
func called(rows []Metric, name string, names func(*Metric) []string) (found []Metric) {
	for _, m := range rows {
		if slices.ContainsFunc(names(&m), func(other string) bool { return spelled(other) == name }) {
			found = append(found, m)
		}
	}
	return found
}

// Resolve returns a metric, or a metric and one of its figures behind a ".", by the
// metric's own name: "zeta.max" and "zeta_max" are hol_degree.max. A name that
// several metrics have in common is an error, and so is one that none has.
func Resolve(rows []Metric, name string) (string, error) {
	head, figure, dotted := strings.Cut(name, ".")
	if len(Lookup(rows, head)) > 0 {
		return name, nil
	}
	var names []string
	for _, m := range Find(rows, head) {
		if !slices.Contains(names, m.Name) {
			names = append(names, m.Name)
		}
		if !dotted {
			figure = m.figureOf(head)
		}
	}
	switch {
	case len(names) == 0:
		return "", Unknown(rows, head)
	case len(names) > 1:
		return "", fmt.Errorf("%q stands for several metrics: %s", head, strings.Join(names, ", "))
	case figure == "":
		return names[0], nil
	}
	return names[0] + "." + figure, nil
}

// Unknown returns the error that no metric has a name. It says which may have been meant,
// or where names are listed.
func Unknown(rows []Metric, name string) error {
	var known []string
	for i := range rows {
		known = append(known, rows[i].Name)
	}
	near := Near(name, known)
	if len(near) == 0 {
		for i := range rows {
			known = append(known, rows[i].JSON)
		}
		near = Near(name, known)
	}
	if len(near) == 0 {
		return fmt.Errorf("no metric %q; mpanalyze explain lists all", name)
	}
	return fmt.Errorf("no metric %q; did you mean %s?", name, strings.Join(near, ", "))
}

// figureOf returns the figure within m that another name of it stands for; empty
// where the name stands for all of m.
func (m *Metric) figureOf(other string) string {
	for name, figure := range m.Figures {
		if spelled(name) == spelled(other) {
			return figure
		}
	}
	return ""
}

// otherNames returns what a metric is called elsewhere.
func (m *Metric) otherNames() []string {
	return append(append([]string{m.Name, m.JSON, m.Symbol}, m.Also...), m.Symbols()...)
}

// bareSymbols returns the symbols of a metric without their index.
func (m *Metric) bareSymbols() (bare []string) {
	for _, symbol := range m.Symbols() {
		base, _, _ := strings.Cut(symbol, "_")
		bare = append(bare, base)
	}
	return bare
}

// Symbols returns the symbols of a metric one by one.
func (m *Metric) Symbols() []string {
	return strings.FieldsFunc(m.Symbol, func(r rune) bool { return strings.ContainsRune(" ,()", r) })
}

var letters = strings.NewReplacer("γ", "gamma", "δ", "delta", "ζ", "zeta", "θ", "theta", "τ", "tau", "υ", "upsilon",
	"\u0304", "", "_", "", "-", "")

// spelled returns a name as a keyboard without Greek letters has it.
func spelled(name string) string { return letters.Replace(strings.ToLower(name)) }
