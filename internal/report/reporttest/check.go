package reporttest

import (
	"errors"
	"fmt"
	"math"
	"reflect"
	"strings"

	"mpanalyze/internal/report"
)

// Check verifies rules of a report that the types cannot express. Every number is finite.
// Every metric that is null, and every part of a metric that is null, has its reason in the
// nearest object around it that gives reasons. Every reason belongs to a value that is
// null. The error names each offending field by its path in the document, as in
// "connections[0].a2b.rwnd_bytes".
func Check(d *report.Document) error {
	var c checker
	if d.Schema != report.SchemaName {
		c.fail("schema", "is %q, not %q", d.Schema, report.SchemaName)
	}
	c.value("", "", reflect.ValueOf(d).Elem(), &account{})
	return errors.Join(c.errs...)
}

// maxFindings bounds the list of findings, because a systematic mistake repeats in
// every connection.
const maxFindings = 20

type checker struct{ errs []error }

func (c *checker) fail(at, format string, args ...any) {
	if len(c.errs) < maxFindings {
		c.errs = append(c.errs, fmt.Errorf("report: %s %s", at, fmt.Sprintf(format, args...)))
	}
}

// account holds the reasons in the field unavailable of an object. They cover the
// object and the objects in it that have no such field.
type account struct {
	reasons report.Reasons
	used    map[string]bool // by name: a value with that name is null
}

// value checks the value at a place of the document. name is its path in the object
// whose reasons cover it.
func (c *checker) value(at, name string, v reflect.Value, of *account) {
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
			c.value(fmt.Sprintf("%s[%d]", at, i), name+"[]", v.Index(i), of)
		}
	case reflect.Struct:
		if short := v.FieldByName("Short"); short.IsValid() && short.Bool() {
			return // no reasons are expected for this value
		}
		why := v.FieldByName("Unavailable")
		if !why.IsValid() {
			c.fields(at, name, v, of)
			return
		}
		own := account{why.Interface().(report.Reasons), map[string]bool{}}
		c.fields(at, "", v, &own)
		for _, r := range own.reasons {
			if !own.used[r.Metric] && len(c.errs) == 0 {
				c.fail(within(at, "unavailable"), "names %s, of which nothing in this object is null", r.Metric)
			}
		}
	}
}

// fields checks the fields of a struct.
func (c *checker) fields(at, name string, v reflect.Value, of *account) {
	for f, x := range v.Fields() {
		switch {
		case f.Anonymous:
			c.fields(at, name, x, of)
			continue
		case report.JSONName(f) == report.NoJSON:
			continue
		}
		here, field := within(at, report.JSONName(f)), within(name, report.JSONName(f))
		c.value(here, field, x, of)
		_, reasoned := of.reasons.Of(field)
		null := x.Kind() == reflect.Pointer && x.IsNil()
		switch {
		case null && reasoned:
			of.used[field] = true
		case null && f.Tag.Get("null") == "":
			c.fail(here, "is null without a reason in unavailable")
		case reasoned && !strings.Contains(field, "[]"): // another item of the list may be null
			c.fail(here, "has a value and a reason why it has none")
		}
	}
}

// within returns the path of a field of what has a path.
func within(path, field string) string { return strings.TrimPrefix(path+"."+field, ".") }
