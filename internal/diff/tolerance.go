package diff

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"sync"

	"mpanalyze/internal/catalogue"
	"mpanalyze/internal/metrics"
	"mpanalyze/internal/schemas"
)

// Tolerance says by how much a field may differ.
type Tolerance struct {
	names   [][]string // paths below which it counts: names of fields that follow each other; empty for all
	amount  float64
	percent bool // of the old value
	metric  bool // names are those of a metric, which stands in what has metrics
}

// ParseTolerance reads NAME=AMOUNT: a metric by any of its names, optionally with its statistic,
// a field of the report, or * for all numbers; and an amount in percent of the old value or in
// the unit of the metric, or "any".
func ParseTolerance(text string) (Tolerance, error) {
	name, amount, ok := strings.Cut(text, "=")
	name = strings.TrimSpace(name)
	if !ok || name == "" {
		return Tolerance{}, fmt.Errorf("%q: want NAME=AMOUNT, as in srtt=5%% or bytes=0, or *=5%% for all", text)
	}
	t := Tolerance{}
	unit := ""
	var err error
	if name != "*" {
		if t.names, unit, t.metric, err = namesOf(name); err != nil {
			return t, fmt.Errorf("%q: %w", text, err)
		}
	}
	if strings.TrimSpace(amount) == anyAmount {
		t.amount = math.Inf(1)
		return t, nil
	}
	if t.amount, t.percent, err = catalogue.ParseAmount(amount, unit); err != nil {
		return t, fmt.Errorf("%q: %w", text, err)
	}
	return t, nil
}

// namesOf returns the paths of a metric or of a field, and the unit; empty where it has none, or
// where several metrics have the name.
func namesOf(name string) (names [][]string, unit string, metric bool, err error) {
	resolved, err := catalogue.Resolve(metrics.Table(), name)
	if err != nil {
		path := strings.Split(name, ".")
		if slices.ContainsFunc(path, func(field string) bool { return !fieldNames()[field] }) {
			return nil, "", false, err
		}
		return [][]string{path}, "", false, nil
	}
	head, stat, _ := strings.Cut(resolved, ".")
	units := map[string]bool{}
	for _, m := range catalogue.Lookup(metrics.Table(), head) {
		units[m.Unit] = true
		unit = m.Unit
		path := []string{m.JSON}
		if stat != "" {
			path = append(path, strings.Split(stat, ".")...)
		}
		if !slices.ContainsFunc(names, func(p []string) bool { return slices.Equal(p, path) }) {
			names = append(names, path)
		}
	}
	if len(units) > 1 || unit == catalogue.Composite || unit == "1" {
		unit = ""
	}
	return names, unit, true, nil
}

// fieldNames holds the names of all fields of reports.
var fieldNames = sync.OnceValue(func() map[string]bool {
	type object struct{ Properties map[string]any }
	var schema struct {
		object
		Defs map[string]object `json:"$defs"`
	}
	_ = json.Unmarshal(schemas.Of("report"), &schema) // a test holds that it is JSON
	names := map[string]bool{}
	for _, o := range append(slices.Collect(maps.Values(schema.Defs)), schema.object) {
		for name := range o.Properties {
			names[name] = true
		}
	}
	return names
})

// fits reports whether a path goes through one of the names.
func (t *Tolerance) fits(path []string) bool {
	if len(t.names) == 0 {
		return true
	}
	for _, names := range t.names {
		for i := range len(path) - len(names) + 1 {
			if slices.Equal(path[i:i+len(names)], names) && (!t.metric || hasMetrics(path[:i])) {
				return true
			}
		}
	}
	return false
}

// hasMetrics reports whether metrics stand below a path: in a direction, a connection or a subflow, or in the document itself. Fields
// of other parts may have the name of a metric, as the bytes of bursts.
func hasMetrics(path []string) bool {
	parents := []string{"a2b", "b2a"}
	if n := len(path); n > 0 && strings.HasPrefix(path[n-1], "[") {
		path, parents = path[:n-1], []string{"connections", "subflows", "tcp"}
	}
	return len(path) == 0 || slices.Contains(parents, path[len(path)-1])
}

// anyAmount is the amount with which a number may be any other, or absent.
const anyAmount = "any"

// free reports whether a number may be any other, or absent.
func (t *Tolerance) free() bool { return math.IsInf(t.amount, 1) }

// allows reports whether a number may change from a to b.
func (t *Tolerance) allows(a, b float64) bool {
	by := t.amount
	if t.percent {
		by = t.amount / 100 * math.Abs(a)
	}
	return math.Abs(b-a) <= by
}
