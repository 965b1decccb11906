package report

import (
	"errors"
	"fmt"
	"math"
	"reflect"
	"strings"
)

// Check verifies what the types cannot say: every number is finite, every
// metric that is null has its reason beside it, and every reason belongs to a
// metric that is null. The error names each offending field by its path in the
// document, as in "connections[0].a2b.rwnd_bytes".
func (d *Document) Check() error {
	var c checker
	if d.Schema != SchemaName {
		c.fail("schema", "is %q, not %q", d.Schema, SchemaName)
	}
	c.value("", reflect.ValueOf(d).Elem())
	return errors.Join(c.errs...)
}

// maxFindings bounds the list of findings: a systematic mistake repeats in
// every connection.
const maxFindings = 20

type checker struct{ errs []error }

func (c *checker) fail(path, format string, args ...any) {
	if len(c.errs) < maxFindings {
		c.errs = append(c.errs, fmt.Errorf("report: %s %s", strings.TrimPrefix(path, "."), fmt.Sprintf(format, args...)))
	}
}

func (c *checker) value(path string, v reflect.Value) {
	switch v.Kind() {
	case reflect.Float64:
		if f := v.Float(); math.IsNaN(f) || math.IsInf(f, 0) {
			c.fail(path, "is %v, which JSON cannot say", f)
		}
	case reflect.Pointer:
		if !v.IsNil() {
			c.value(path, v.Elem())
		}
	case reflect.Slice:
		for i := range v.Len() {
			c.value(fmt.Sprintf("%s[%d]", path, i), v.Index(i))
		}
	case reflect.Struct:
		c.structure(path, v)
	}
}

func (c *checker) structure(path string, v reflect.Value) {
	reasons, explains := Reasons(nil), false
	if f := v.FieldByName("Unavailable"); f.IsValid() {
		reasons, explains = f.Interface().(Reasons), true
	}
	used := 0
	for i := range v.NumField() {
		f, name := v.Type().Field(i), JSONName(v.Type().Field(i))
		if f.Anonymous {
			c.value(path, v.Field(i))
			continue
		}
		c.value(path+"."+name, v.Field(i))
		_, reasoned := reasons.Of(name)
		null := f.Type.Kind() == reflect.Pointer && v.Field(i).IsNil()
		switch {
		case reasoned && !null:
			c.fail(path+"."+name, "has a value and a reason why it has none")
		case reasoned:
			used++
		case null && explains && f.Tag.Get("null") == "":
			c.fail(path+"."+name, "is null without a reason in unavailable")
		}
	}
	if used < len(reasons) && len(c.errs) == 0 {
		c.fail(path+".unavailable", "names a metric that is not in this object")
	}
}

// JSONName returns the name of a field of the document's types in its JSON
// form.
func JSONName(f reflect.StructField) string {
	name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
	return name
}
