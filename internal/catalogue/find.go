package catalogue

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// Read reads rows in JSON that are a part of the program.
func Read[T any](rows []byte) (all T) {
	if err := json.Unmarshal(rows, &all); err != nil {
		panic("rows of the program: " + err.Error()) // a test reads each file
	}
	return all
}

// Find is [Lookup] with more names. If no metric has the name, it returns the metrics that
// have it as symbol in the papers, or as another name. If there are none either, it returns
// those whose symbol without its index is the name. It ignores case, "_" and "-", and
// accepts Greek letters that are spelled out.
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

// called returns the rows that have the spelled name among the names that the function
// returns.
func called(rows []Metric, name string, names func(*Metric) []string) (found []Metric) {
	for _, m := range rows {
		if slices.ContainsFunc(names(&m), func(other string) bool { return spelled(other) == name }) {
			found = append(found, m)
		}
	}
	return found
}

// Resolve returns the metric's own name for any of its names, with a "." and a figure
// behind it where the name stands for one figure: "zeta.max" and "zeta_max" are
// hol_degree.max. The error says that several metrics have the name, or that none has.
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

// Unknown returns the error that no metric has a name. It suggests similar names, or says
// which command lists all.
func Unknown(rows []Metric, name string) error {
	var known []string
	for i := range rows {
		known = append(known, rows[i].Name)
	}
	withUnits := known
	for i := range rows {
		withUnits = append(withUnits, rows[i].JSON)
	}
	said := cmp.Or(DidYouMean(name, known), DidYouMean(name, withUnits), "; mpanalyze explain lists all")
	return fmt.Errorf("no metric %q%s", name, said)
}

// figureOf returns the figure within m that another name of m stands for. It is empty where
// the name stands for all of m.
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

// spelled returns a name in lower case, with Greek letters spelled out, without "_" and
// "-".
func spelled(name string) string { return letters.Replace(strings.ToLower(name)) }
