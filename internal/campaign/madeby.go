package campaign

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"mpanalyze/internal/report"
)

// freeOptions are options that may differ between runs, because they do not change the figures
// of a connection: they only select or add. The end of a run is looked at by itself.
var freeOptions = []string{"vantage", "connection", "direction", "fairness", "end", "evidence"}

// unsaid is the value of an option that a report of an old version does not contain.
const unsaid = "not said"

// Unlike lists the options and versions in which the runs differ, one on each line; empty if
// all runs are alike. given names the options, as reports name them, that the user gave with
// the command: every report must have been made with the same values.
func (s *Set) Unlike(command *report.MadeBy, given []string) (lines []string) {
	all := s.Members()
	for _, name := range makings() {
		values := map[string][]string{} // runs by value
		for i := range all {
			v := making(all[i].MadeBy, name)
			values[v] = append(values[v], nameOf(all[i].Scenario, all[i].Name))
		}
		if asked := making(command, name); slices.Contains(given, name) && values[asked] == nil {
			values[asked] = []string{"the command"}
		}
		if len(values) < 2 {
			continue
		}
		var parts []string
		for _, v := range slices.Sorted(maps.Keys(values)) {
			parts = append(parts, fmt.Sprintf("%s (%s)", orNone(v), firstOf(values[v])))
		}
		lines = append(lines, fmt.Sprintf("runs differ in %s: %s", strings.ReplaceAll(name, "_", "-"), strings.Join(parts, " and ")))
	}
	return lines
}

// makings returns the names of the options that are compared, and of the version.
func makings() (names []string) {
	names = []string{"version"}
	t := reflect.TypeFor[report.Options]()
	for field := range t.Fields() {
		if name := report.JSONName(field); !slices.Contains(freeOptions, name) {
			names = append(names, name)
		}
	}
	return names
}

// making returns one option of a report, or its version, as text.
func making(m *report.MadeBy, name string) string {
	switch {
	case m == nil:
		return unsaid
	case name == "version":
		return m.Version
	case name == "labels":
		return strings.Join(labelNames(m.Options.Labels), ",")
	}
	v := reflect.ValueOf(m.Options)
	for i := range v.NumField() {
		if report.JSONName(v.Type().Field(i)) == name {
			text, _ := json.Marshal(v.Field(i).Interface()) // a text, a number or a truth value always works
			return strings.Trim(string(text), `"`)
		}
	}
	return ""
}

// labelNames returns the names that labels assign, sorted.
func labelNames(labels []string) (names []string) {
	for _, l := range labels {
		_, name, _ := strings.Cut(l, "=")
		names = append(names, name)
	}
	return distinct(names)
}
