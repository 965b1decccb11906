package jsonreport

import (
	"encoding"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"

	"mpanalyze/internal/report"
)

// A form is what a value becomes in JSON.
type form uint8

const (
	formInt form = iota
	formFloat
	formString
	formBool
	formTime
	formReasons // an object from names to strings
	formObject
	formInner       // an object that is never null, so that its braces are in the texts around its members
	formList        // an array, never null
	formConnections // the list that [report.Source] gives one by one
	formTCP         // likewise
)

// A plan says how the values of one type are written at one depth of the document.
// Types and depths are few and known beforehand, so that everything between two values,
// from the comma to the name, is one text.
type plan struct {
	form    form
	members []member // of an object
	item    *plan    // of a list
	first   string   // before the first item of a list, or name of reasons: bracket, line break, indentation
	next    string   // before each further one
	end     string   // after the last value
	short   shortForm
}

// A member is a value of an object.
type member struct {
	field   int    // of the Go type
	lead    string // all that stands between the value before and this one
	null    string // lead and null
	pointer bool   // nil is null
	form    form
	plan    *plan
	path    string // of names in the object
}

// planOf makes the plan of a document of type t. It fails for a type that the
// document does not need, of which this package knows no form.
func planOf(t reflect.Type) (*plan, error) {
	p := planner{known: map[planKey]*plan{}}
	out := p.plan(t, 0)
	return out, p.err
}

type planKey struct {
	t     reflect.Type
	depth int
}

type planner struct {
	known map[planKey]*plan
	err   error // the first type without a form
}

// plan returns the plan for t, whose brackets, if any, stand at depth.
func (p *planner) plan(t reflect.Type, depth int) *plan {
	key := planKey{t, depth}
	if out, ok := p.known[key]; ok {
		return out
	}
	out := &plan{}
	p.known[key] = out
	custom := hasOwnJSON(t)
	switch kind := t.Kind(); {
	case t == reflect.TypeFor[report.Time]():
		out.form = formTime
	case t == reflect.TypeFor[report.Reasons]():
		out.form = formReasons
		out.brackets("{", "}", depth)
	case custom && kind == reflect.Slice: // a report.List
		out.form = formList
		switch t {
		case reflect.TypeFor[report.List[report.Connection]]():
			out.form = formConnections
		case reflect.TypeFor[report.List[report.TCP]]():
			out.form = formTCP
		}
		out.brackets("[", "]", depth)
		out.item = p.plan(t.Elem(), depth+1)
	case custom:
		p.fail("%v has a JSON form of its own, which is not known here", t)
	case kind == reflect.Bool:
		out.form = formBool
	case kind == reflect.Int || kind == reflect.Int64:
		out.form = formInt
	case kind == reflect.Float64:
		out.form = formFloat
	case kind == reflect.String:
		out.form = formString
	case kind == reflect.Struct:
		out.form, out.short = formObject, shortForms[t]
		depth = lineDepth(t, depth)
		out.brackets("{", "}", depth)
		out.end = p.members(out, t, place{depth: depth}, out.first) + out.end
	default:
		p.fail("no JSON form for %v", t)
	}
	return out
}

// hasOwnJSON reports whether encoding/json would call a method of t.
func hasOwnJSON(t reflect.Type) bool {
	p := reflect.PointerTo(t)
	return p.Implements(reflect.TypeFor[json.Marshaler]()) || p.Implements(reflect.TypeFor[encoding.TextMarshaler]())
}

// inLine stands for the depth of what stands on one line.
const inLine = -1

// lineDepth returns the depth of an object of type t that begins at depth. One that can
// hold no object and no list stands on one line: white space would be a third of it.
func lineDepth(t reflect.Type, depth int) int {
	for f := range t.Fields() {
		ft := f.Type
		if ft.Kind() == reflect.Pointer {
			ft = ft.Elem()
		}
		switch {
		case report.JSONName(f) == report.NoJSON, f.Anonymous && lineDepth(ft, depth) == inLine:
		case ft.Kind() == reflect.Struct || ft.Kind() == reflect.Slice:
			return depth
		}
	}
	return inLine
}

// brackets sets what stands around and between the values at depth + 1.
func (p *plan) brackets(open, shut string, depth int) {
	if depth == inLine {
		p.first, p.next, p.end = open, ", ", shut
		return
	}
	line := "\n" + strings.Repeat(" ", depth)
	p.first, p.next, p.end = open+line+" ", ","+line+" ", line+shut
}

// place is where an object stands in another one.
type place struct {
	depth int
	path  string // of names, each with a point behind it
}

// members adds the fields of t to an object, at a place in it. It takes the text before
// the first value and returns the one that follows the last.
func (p *planner) members(out *plan, t reflect.Type, in place, lead string) (after string) {
	var around plan
	around.brackets("{", "}", in.depth)
	for i := range t.NumField() {
		f := t.Field(i)
		name := report.JSONName(f)
		switch {
		case name == report.NoJSON:
			continue
		case f.Anonymous && f.Type.Kind() == reflect.Struct: // its fields are those of t
			lead = p.inner(out, i, f.Type, in, lead) + around.next
			continue
		case name == "" || strings.Trim(name, "abcdefghijklmnopqrstuvwxyz_0123456789") != "":
			p.fail("field %v.%s has the JSON name %q, which is not plain", t, f.Name, name)
		}
		lead += `"` + name + `": `
		at := place{in.depth + 1, in.path + name}
		if f.Type.Kind() == reflect.Struct && !hasOwnJSON(f.Type) {
			at = place{lineDepth(f.Type, at.depth), at.path + "."}
			var inner plan
			inner.brackets("{", "}", at.depth)
			lead = p.inner(out, i, f.Type, at, lead+inner.first) + inner.end + around.next
			continue
		}
		p.member(out, i, f.Type, at, lead)
		lead = around.next
	}
	if t.NumField() == 0 {
		p.fail("%v has no field", t)
	}
	return strings.TrimSuffix(lead, around.next)
}

// inner adds an object that is never null. Texts are as in members.
func (p *planner) inner(out *plan, field int, t reflect.Type, at place, lead string) (after string) {
	inner := &plan{form: formInner}
	out.members = append(out.members, member{field: field, form: formInner, plan: inner})
	return p.members(inner, t, at, lead)
}

// member adds a value and the text before it.
func (p *planner) member(out *plan, field int, t reflect.Type, at place, lead string) {
	m := member{field: field, lead: lead, null: lead + "null", path: at.path, pointer: t.Kind() == reflect.Pointer}
	if m.pointer {
		t = t.Elem()
	}
	m.plan = p.plan(t, at.depth)
	m.form = m.plan.form
	out.members = append(out.members, m)
}

func (p *planner) fail(format string, args ...any) {
	if p.err == nil {
		p.err = fmt.Errorf(format, args...)
	}
}
