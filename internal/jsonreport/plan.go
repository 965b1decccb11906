package jsonreport

import (
	"encoding"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"

	"mpanalyze/internal/report"
)

// A jsonForm is the form of a value in JSON.
type jsonForm uint8

const (
	formInt64 jsonForm = iota
	formFloat
	formObject
	formString
	formBool
	formInt
	formTime
	formReasons // an object from names to strings
	formCounts  // an object from names to integers
	formList    // an array, never null
	formNothing // no value, only a part of the text before the next value
)

// jsonPlan says how the values of one type are written at one depth of the document.
// Types and depths are few and known in advance. So everything between two values is
// one fixed text: the comma, the brackets of objects that are always present, and the
// name.
type jsonPlan struct {
	form   jsonForm
	steps  []jsonStep // of an object: its values, and those of objects embedded in it
	item   *jsonPlan  // of a list
	stride uintptr    // of a list: bytes from one item to the next
	first  string     // before the first item of a list, or name of reasons: bracket, line break, indentation
	next   string     // before each further one
	end    string     // after the last value
	short  shortForm  // of an object that has a short form; otherwise nil
}

// leadRoom is enough for most texts between two values. A text up to that length is
// copied as an array of fixed size, which is fast.
const leadRoom = 48

// jsonStep is a text and the value after it.
type jsonStep struct {
	lead    [leadRoom]byte // the text between the value before and this value
	length  uint8          // of lead
	form    jsonForm
	pointer bool    // nil is null
	offset  uintptr // of the value in the object, bytes
	plan    *jsonPlan
	path    string // path of names in the object
}

// planJSON makes the plan of a document of type t. It fails for a type that this writer
// cannot write; the document has no such type.
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

// plan returns the plan for t. If t has brackets, they are at depth.
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
	case t == reflect.TypeFor[report.Counts]():
		plan.form = formCounts
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
		plan.form, plan.short = formObject, shortForms[t]
		depth = lineDepth(t, depth)
		plan.brackets("{", "}", depth)
		plan.end = p.members(plan, t, jsonPlace{depth: depth}, plan.first) + plan.end
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

// inLine is the depth of an object on one line.
const inLine = -1

// lineDepth returns the depth of an object of type t that begins at depth. An object
// without objects and lists in it is written on one line, because white space would be
// a third of its text.
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

// brackets sets the texts around and between the values at depth + 1.
func (plan *jsonPlan) brackets(open, shut string, depth int) {
	if depth == inLine {
		plan.first, plan.next, plan.end = open, ", ", shut
		return
	}
	line := "\n" + strings.Repeat(" ", depth)
	plan.first, plan.next, plan.end = open+line+" ", ","+line+" ", line+shut
}

// jsonPlace is the place of an object in the object that is planned.
type jsonPlace struct {
	offset uintptr
	depth  int
	path   string // names, each with a dot after it
}

// members plans the fields of t, which is at a place in the object. Fields of embedded
// structs are planned as fields of t. lead is the text before the first value; members
// returns the text after the last one.
func (p *jsonPlanner) members(plan *jsonPlan, t reflect.Type, in jsonPlace, lead string) (after string) {
	var around jsonPlan
	around.brackets("{", "}", in.depth)
	for f := range t.Fields() {
		if report.JSONName(f) == report.NoJSON {
			continue
		}
		at := jsonPlace{in.offset + f.Offset, in.depth, in.path}
		if f.Anonymous && f.Type.Kind() == reflect.Struct {
			lead = p.members(plan, f.Type, at, lead) + around.next
			continue
		}
		name := f.Tag.Get("json")
		if name == "" || strings.Trim(name, "abcdefghijklmnopqrstuvwxyz_0123456789") != "" {
			p.fail("field %v.%s has the JSON name %q, which is not plain", t, f.Name, name)
		}
		lead += `"` + name + `": `
		at.depth++
		at.path += name
		if f.Type.Kind() == reflect.Struct && !hasOwnJSON(f.Type) {
			var inner jsonPlan
			at.depth = lineDepth(f.Type, at.depth)
			inner.brackets("{", "}", at.depth)
			at.path += "."
			lead = p.members(plan, f.Type, at, lead+inner.first) + inner.end + around.next
			continue
		}
		p.step(plan, f.Type, at, lead)
		lead = around.next
	}
	if t.NumField() == 0 {
		p.fail("%v has no field", t)
	}
	return strings.TrimSuffix(lead, around.next)
}

// step plans a value and the text before it.
func (p *jsonPlanner) step(plan *jsonPlan, t reflect.Type, at jsonPlace, lead string) {
	for ; len(lead) > leadRoom; lead = lead[leadRoom:] {
		part := jsonStep{form: formNothing, length: leadRoom}
		copy(part.lead[:], lead)
		plan.steps = append(plan.steps, part)
	}
	s := jsonStep{offset: at.offset, path: at.path, pointer: t.Kind() == reflect.Pointer}
	if s.pointer {
		t = t.Elem()
	}
	s.length = uint8(copy(s.lead[:], lead))
	s.plan = p.plan(t, at.depth)
	s.form = s.plan.form
	plan.steps = append(plan.steps, s)
}

func (p *jsonPlanner) fail(format string, args ...any) {
	if p.err == nil {
		p.err = fmt.Errorf(format, args...)
	}
}
