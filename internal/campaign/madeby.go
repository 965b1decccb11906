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

// freeOptions are options that may differ between runs, for they change no figure of a
// connection: they say which there are.
var freeOptions = []string{"vantage", "connection", "direction", "fairness"}

// unsaid stands for what a report of an old version does not say.
const unsaid = "not said"

// Unlike says which runs were made with different options or versions, a line for each; none
// where all are alike. Options that the user gave with the command, by their names in reports,
// have to be those of every report.
func (s *Set) Unlike(command *report.MadeBy, given []string) (lines []string) {
	var all []Member
	for _, sc := range slices.Concat(s.Scenarios, s.Baseline, s.Single) {
		all = append(all, sc.Runs...)
	}
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

// makings are the names of what is compared of the making of reports.
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

// making returns one thing of how a report was made, as text.
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
			text, _ := json.Marshal(v.Field(i).Interface()) // of text, a number or a truth value
			return strings.Trim(string(text), `"`)
		}
	}
	return ""
}

// labelNames returns the names that labels give, sorted.
func labelNames(labels []string) (names []string) {
	for _, l := range labels {
		_, name, _ := strings.Cut(l, "=")
		names = append(names, name)
	}
	slices.Sort(names)
	return slices.Compact(names)
}
