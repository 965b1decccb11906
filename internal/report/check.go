package report

import (
	"errors"
	"fmt"
	"math"
	"reflect"
	"strings"
)

// Check verifies rules that the types cannot express. Every number is finite. Every
// metric that is null, and every part of a metric that is null, has its reason in the
// nearest object around it that gives reasons. Every reason belongs to a value that is
// null. The error names each offending field by its path in the document, as in
// "connections[0].a2b.rwnd_bytes".
func (d *Document) Check() error {
	var c checker
	if d.Schema != SchemaName {
		c.fail("schema", "is %q, not %q", d.Schema, SchemaName)
	}
	c.value("", "", reflect.ValueOf(d).Elem(), &account{})
	return errors.Join(c.errs...)
}

// maxFindings bounds the list of findings, because a systematic mistake repeats in
// every connection.
const maxFindings = 20

type checker struct{ errs []error }

func (c *checker) fail(path, format string, args ...any) {
	if len(c.errs) < maxFindings {
		c.errs = append(c.errs, fmt.Errorf("report: %s %s", strings.TrimPrefix(path, "."), fmt.Sprintf(format, args...)))
	}
}

// account holds the reasons in the field unavailable of an object. They cover the
// object and the objects in it that have no such field.
type account struct {
	reasons Reasons
	used    map[string]bool // by name: a value with that name is null
}

// value checks the value at a path of the document. name is its path in the object
// whose reasons cover it.
func (c *checker) value(path, name string, v reflect.Value, of *account) {
	switch v.Kind() {
	case reflect.Float64:
		if f := v.Float(); math.IsNaN(f) || math.IsInf(f, 0) {
			c.fail(path, "is %v, which JSON cannot say", f)
		}
	case reflect.Pointer:
		if !v.IsNil() {
			c.value(path, name, v.Elem(), of)
		}
	case reflect.Slice:
		for i := range v.Len() {
			c.value(fmt.Sprintf("%s[%d]", path, i), name+"[]", v.Index(i), of)
		}
	case reflect.Struct:
		if short := v.FieldByName("Short"); short.IsValid() && short.Bool() {
			return // no reasons are expected for this value
		}
		if f := v.FieldByName("Unavailable"); f.IsValid() {
			own := account{f.Interface().(Reasons), map[string]bool{}}
			c.fields(path, "", v, &own)
			c.unused(path, &own)
		} else {
			c.fields(path, name, v, of)
		}
	}
}

// fields checks the fields of a struct.
func (c *checker) fields(path, name string, v reflect.Value, of *account) {
	for i := range v.NumField() {
		f := v.Type().Field(i)
		if f.Anonymous {
			c.fields(path, name, v.Field(i), of)
			continue
		}
		if JSONName(f) == NoJSON {
			continue
		}
		at, field := path+"."+JSONName(f), strings.TrimPrefix(name+"."+JSONName(f), ".")
		c.value(at, field, v.Field(i), of)
		_, reasoned := of.reasons.Of(field)
		null := f.Type.Kind() == reflect.Pointer && v.Field(i).IsNil()
		switch {
		case null && reasoned:
			of.used[field] = true
		case null && f.Tag.Get("null") == "":
			c.fail(at, "is null without a reason in unavailable")
		case reasoned && !strings.Contains(field, "[]"): // another item of the list may be null
			c.fail(at, "has a value and a reason why it has none")
		}
	}
}

// unused checks that every reason belongs to a value that is null.
func (c *checker) unused(path string, of *account) {
	for _, r := range of.reasons {
		if !of.used[r.Metric] && len(c.errs) == 0 {
			c.fail(path+".unavailable", "names %s, of which nothing in this object is null", r.Metric)
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
