package campaign

import (
	"reflect"
	"slices"
	"strings"
	"sync"

	"mpanalyze/internal/catalogue"
	"mpanalyze/internal/report"
)

// subflowPlan holds the numeric fields of a subflow that are of no direction.
var subflowPlan = sync.OnceValue(func() []numericField {
	all := appendNumericFields(nil, "", reflect.TypeFor[report.Subflow](), nil)
	return slices.DeleteFunc(all, func(f numericField) bool { return len(f.at) > 1 })
})

// Value is a figure of one connection, or why it is absent.
type Value struct {
	Direction report.Direction // empty for a figure of no direction
	Path      string           // label of the path; empty for a figure of the connection
	Value     float64
	Why       string // why there is no value; empty where there is one
}

// CarriedData reports whether a connection carried data in any direction of the report.
func CarriedData(c *report.Connection) bool { return c.A2B.Volume()+c.B2A.Volume() > 0 }

// In returns the figures that a connection has, and those that it should have and lacks. A
// figure of subflows is returned for each path that the name fits and that carried data, in
// the direction if the figure is of one.
func (w *Wanted) In(c *report.Connection) []Value {
	d := w.Direction
	if d == "" {
		d = c.Bulk()
	}
	conn := c.Dir(d)
	switch {
	case w.Level == catalogue.OfSubflow:
		return w.ofSubflows(c, "")
	case conn == nil:
		why, _ := c.Unavailable.Of(string(d))
		return []Value{{Direction: d, Why: why}}
	case conn.Volume() == 0:
		return []Value{{Direction: d, Why: "no data in this direction"}}
	case w.Level == catalogue.OfConnectionDir:
		v := w.valueIn(reflect.ValueOf(conn).Elem(), conn.Unavailable)
		v.Direction = d
		return []Value{v}
	}
	return w.ofSubflows(c, d)
}

// ofSubflows returns the figures of the paths that the name fits.
func (w *Wanted) ofSubflows(c *report.Connection, d report.Direction) (all []Value) {
	labels := c.PathLabels()
	for i := range c.Subflows {
		s := &c.Subflows[i]
		if labels[i] == "" || w.Path != "" && !wildcard(w.Path, labels[i]) {
			continue
		}
		if w.Metric.Name == "join_delay" && s.ID == 0 && w.Path != labels[i] { // RFC 8684, Section 3.2: the initial subflow does not join
			continue
		}
		from, reasons, carried := reflect.ValueOf(s).Elem(), s.Unavailable, true
		if dir := s.Dir(d); d != "" && dir == nil {
			continue
		} else if d != "" {
			from, reasons, carried = reflect.ValueOf(dir).Elem(), dir.Unavailable, dir.Volume() > 0
		}
		if carried {
			v := w.valueIn(from, reasons)
			v.Direction, v.Path = d, labels[i]
			all = append(all, v)
		}
	}
	if len(all) == 0 {
		all = []Value{{Direction: d, Path: w.Path, Why: noPath(c, labels)}}
	}
	return all
}

// noPath says which paths carried data, where that of the name did not.
func noPath(c *report.Connection, labels []string) string {
	var there []string
	for i := range c.Subflows {
		if labels[i] != "" {
			there = append(there, labels[i])
		}
	}
	if len(there) == 0 {
		return "no subflow carried data"
	}
	return "no such subflow carried data; there are those of path " + strings.Join(there, ", ")
}

// valueIn takes the figure out of a part of the report.
func (w *Wanted) valueIn(from reflect.Value, reasons report.Reasons) Value {
	if v, ok := numberIn(from, levelFields(w.Level), w.Field); ok {
		return Value{Value: v}
	}
	return Value{Why: reasonOf(reasons, w.Field)}
}

// reasonOf returns the reason why a figure is absent: its own, or that of the metric it is a
// part of.
func reasonOf(reasons report.Reasons, field string) string {
	for {
		if why, ok := reasons.Of(field); ok {
			return why
		}
		at := strings.LastIndexByte(field, '.')
		if at < 0 {
			return "the report does not have it"
		}
		field = field[:at]
	}
}
