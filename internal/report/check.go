package report

import (
	"errors"
	"fmt"
	"math"
	"reflect"
	"strings"
	"sync"
)

// Check verifies rules that the types cannot express. Every number is finite. Every
// metric that is null, and every part of a metric that is null, has its reason in the
// nearest object around it that gives reasons. Every reason belongs to a value that is
// null. The error names each offending field by its path in the document, as in
// "connections[0].a2b.rwnd_bytes".
func (d *Document) Check() error {
	var c checker
	if d.Schema != SchemaName {
		c.fail(&place{name: "schema"}, "is %q, not %q", d.Schema, SchemaName)
	}
	c.value(nil, "", reflect.ValueOf(d).Elem(), &account{})
	return errors.Join(c.errs...)
}

// maxFindings bounds the list of findings, because a systematic mistake repeats in
// every connection.
const maxFindings = 20

type checker struct{ errs []error }

// place is where a value is in the document. Its text is made for an error only: a report has
// thousands of values.
type place struct {
	up   *place
	name string // of a field; empty for an item of a list
	item int
}

func (p *place) String() string {
	switch {
	case p == nil:
		return ""
	case p.name == "":
		return fmt.Sprintf("%s[%d]", p.up, p.item)
	case p.up == nil:
		return p.name
	}
	return p.up.String() + "." + p.name
}

func (c *checker) fail(at *place, format string, args ...any) {
	if len(c.errs) < maxFindings {
		c.errs = append(c.errs, fmt.Errorf("report: %s %s", at, fmt.Sprintf(format, args...)))
	}
}

// account holds the reasons in the field unavailable of an object. They cover the
// object and the objects in it that have no such field.
type account struct {
	reasons Reasons
	used    map[string]bool // by name: a value with that name is null
}

// shape is what the check of an object needs to know of its type.
type shape struct {
	short, unavailable []int // index of the field; nil for none
	fields             []checkedField
}

type checkedField struct {
	index       int
	name        string // in JSON
	embedded    bool
	pointer     bool
	mayBeAbsent bool // null without a reason
}

var shapes sync.Map // of reflect.Type to *shape

func shapeOf(t reflect.Type) *shape {
	if known, ok := shapes.Load(t); ok {
		return known.(*shape)
	}
	s := &shape{}
	if f, ok := t.FieldByName("Short"); ok {
		s.short = f.Index
	}
	if f, ok := t.FieldByName("Unavailable"); ok {
		s.unavailable = f.Index
	}
	for i := range t.NumField() {
		f := t.Field(i)
		if name := JSONName(f); f.Anonymous || name != NoJSON {
			s.fields = append(s.fields, checkedField{i, name, f.Anonymous, f.Type.Kind() == reflect.Pointer, f.Tag.Get("null") != ""})
		}
	}
	known, _ := shapes.LoadOrStore(t, s)
	return known.(*shape)
}

// value checks the value at a place of the document. name is its path in the object
// whose reasons cover it.
func (c *checker) value(at *place, name string, v reflect.Value, of *account) {
	switch v.Kind() {
	case reflect.Float64:
		if f := v.Float(); math.IsNaN(f) || math.IsInf(f, 0) {
			c.fail(at, "is %v, which JSON cannot say", f)
		}
	case reflect.Pointer:
		if !v.IsNil() {
			c.value(at, name, v.Elem(), of)
		}
	case reflect.Slice:
		for i := range v.Len() {
			c.value(&place{up: at, item: i}, name+"[]", v.Index(i), of)
		}
	case reflect.Struct:
		s := shapeOf(v.Type())
		if s.short != nil && v.FieldByIndex(s.short).Bool() {
			return // no reasons are expected for this value
		}
		if s.unavailable != nil {
			own := account{v.FieldByIndex(s.unavailable).Interface().(Reasons), map[string]bool{}}
			c.fields(at, "", v, &own)
			c.unused(at, &own)
		} else {
			c.fields(at, name, v, of)
		}
	}
}

// fields checks the fields of a struct.
func (c *checker) fields(at *place, name string, v reflect.Value, of *account) {
	for _, f := range shapeOf(v.Type()).fields {
		if f.embedded {
			c.fields(at, name, v.Field(f.index), of)
			continue
		}
		here, field := place{up: at, name: f.name}, f.name
		if name != "" {
			field = name + "." + f.name
		}
		c.value(&here, field, v.Field(f.index), of)
		_, reasoned := of.reasons.Of(field)
		null := f.pointer && v.Field(f.index).IsNil()
		switch {
		case null && reasoned:
			of.used[field] = true
		case null && !f.mayBeAbsent:
			c.fail(&here, "is null without a reason in unavailable")
		case reasoned && !strings.Contains(field, "[]"): // another item of the list may be null
			c.fail(&here, "has a value and a reason why it has none")
		}
	}
}

// unused checks that every reason belongs to a value that is null.
func (c *checker) unused(at *place, of *account) {
	for _, r := range of.reasons {
		if !of.used[r.Metric] && len(c.errs) == 0 {
			c.fail(&place{up: at, name: "unavailable"}, "names %s, of which nothing in this object is null", r.Metric)
		}
	}
}

// NoJSON is the result of [JSONName] for a field that is not in the JSON form.
const NoJSON = "-"

// JSONName returns the name of a field of the document's types in its JSON
// form.
func JSONName(f reflect.StructField) string {
	name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
	return name
}
