package export

import (
	"encoding"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"

	"mpanalyze/internal/report"
)

// A jsonForm is what a value becomes in JSON.
type jsonForm uint8

const (
	formBool jsonForm = iota
	formInt
	formInt64
	formFloat
	formString
	formTime
	formReasons // an object from names to strings
	formList    // an array, never null
	formObject
)

// jsonPlan says how the values of one type are written at one depth of the
// document. Types and depths are few and known beforehand, so that everything
// between two values, from the comma to the name, is one string.
type jsonPlan struct {
	form   jsonForm
	fields []jsonField // of an object
	item   *jsonPlan   // of a list
	stride uintptr     // of a list: octets from one item to the next
	first  string      // before the first item of a list, or name of reasons: bracket, line break, indentation
	next   string      // before each further one
	end    string      // after the last value
}

// jsonField is one field of an object.
type jsonField struct {
	name    string
	lead    string  // all that stands between the value before and this one
	null    string  // the same and null
	offset  uintptr // of the field in the object, octets
	pointer bool    // nil is null
	plan    *jsonPlan
}

// planJSON makes the plan of a document of type t. It fails for a type that
// the document does not need, of which this writer knows no form.
func planJSON(t reflect.Type) (*jsonPlan, error) {
	p := jsonPlanner{known: map[planKey]*jsonPlan{}}
	plan := p.plan(t, 0)
	return plan, p.err
}

type planKey struct {
	t     reflect.Type
	depth int
}

type jsonPlanner struct {
	known map[planKey]*jsonPlan
	err   error // the first type without a form
}

// plan returns the plan for t, whose brackets, if any, stand at depth.
func (p *jsonPlanner) plan(t reflect.Type, depth int) *jsonPlan {
	key := planKey{t, depth}
	if plan, ok := p.known[key]; ok {
		return plan
	}
	plan := &jsonPlan{}
	p.known[key] = plan
	custom := hasOwnJSON(t)
	switch kind := t.Kind(); {
	case t == reflect.TypeFor[report.Time]():
		plan.form = formTime
	case t == reflect.TypeFor[report.Reasons]():
		plan.form = formReasons
		plan.brackets("{", "}", depth)
	case custom && kind == reflect.Slice: // a report.List
		plan.form = formList
		plan.brackets("[", "]", depth)
		plan.item, plan.stride = p.plan(t.Elem(), depth+1), t.Elem().Size()
	case custom:
		p.fail("%v has a JSON form of its own, which is not known here", t)
	case kind == reflect.Bool:
		plan.form = formBool
	case kind == reflect.Int:
		plan.form = formInt
	case kind == reflect.Int64:
		plan.form = formInt64
	case kind == reflect.Float64:
		plan.form = formFloat
	case kind == reflect.String:
		plan.form = formString
	case kind == reflect.Struct:
		plan.form = formObject
		plan.brackets("{", "}", depth)
		p.object(plan, t, 0, depth)
	default:
		p.fail("no JSON form for %v", t)
	}
	return plan
}

// hasOwnJSON reports whether encoding/json would call a method of t.
func hasOwnJSON(t reflect.Type) bool {
	p := reflect.PointerTo(t)
	return p.Implements(reflect.TypeFor[json.Marshaler]()) || p.Implements(reflect.TypeFor[encoding.TextMarshaler]())
}

// brackets sets what stands around and between the values at depth + 1.
func (plan *jsonPlan) brackets(open, shut string, depth int) {
	line := "\n" + strings.Repeat(" ", depth)
	plan.first, plan.next, plan.end = open+line+" ", ","+line+" ", line+shut
}

// object plans the fields of t, which lies at an offset into the object, those
// of embedded structs as if they were its own.
func (p *jsonPlanner) object(plan *jsonPlan, t reflect.Type, offset uintptr, depth int) {
	for f := range t.Fields() {
		at := offset + f.Offset
		if f.Anonymous && f.Type.Kind() == reflect.Struct {
			p.object(plan, f.Type, at, depth)
			continue
		}
		name := f.Tag.Get("json")
		if name == "" || strings.Trim(name, "abcdefghijklmnopqrstuvwxyz_0123456789") != "" {
			p.fail("field %v.%s has the JSON name %q, which is not plain", t, f.Name, name)
		}
		lead := plan.next
		if len(plan.fields) == 0 {
			lead = plan.first
		}
		field := jsonField{name: name, lead: lead + `"` + name + `": `, offset: at}
		field.null = field.lead + "null"
		if f.Type.Kind() == reflect.Pointer {
			field.pointer, f.Type = true, f.Type.Elem()
		}
		field.plan = p.plan(f.Type, depth+1)
		plan.fields = append(plan.fields, field)
	}
	if len(plan.fields) == 0 {
		p.fail("%v has no field", t)
	}
}

func (p *jsonPlanner) fail(format string, args ...any) {
	if p.err == nil {
		p.err = fmt.Errorf(format, args...)
	}
}
