package jsonreport

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
	formInt64 jsonForm = iota
	formFloat
	formObject
	formString
	formBool
	formInt
	formTime
	formReasons // an object from names to strings
	formList    // an array, never null
	formNothing // only what stands before a value
)

// jsonPlan says how the values of one type are written at one depth of the
// document. Types and depths are few and known beforehand. So all that stands between
// two values is one text: the comma, the brackets of objects that are always there,
// and the name.
type jsonPlan struct {
	form   jsonForm
	steps  []jsonStep // of an object: the values in it and in objects that lie in it
	nulls  []byte     // the text of an object of which all that can be is null
	item   *jsonPlan  // of a list
	stride uintptr    // of a list: bytes from one item to the next
	first  string     // before the first item of a list, or name of reasons: bracket, line break, indentation
	next   string     // before each further one
	end    string     // after the last value
	short  shortForm  // of an object that may be written on one line; else nil
}

// leadRoom is the length of most texts between two values. Those up to there are
// copied in one go, with what is behind them.
const leadRoom = 48

// jsonStep is a text and the value behind it.
type jsonStep struct {
	lead    [leadRoom]byte // all that stands between the value before and this one
	length  uint8          // of lead
	form    jsonForm
	pointer bool    // nil is null
	offset  uintptr // of the value in the object, bytes
	plan    *jsonPlan
	path    string // of names in the object
	null    [2]int // of a pointer: where its text begins and ends in nulls
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
func (plan *jsonPlan) brackets(open, shut string, depth int) {
	if depth == inLine {
		plan.first, plan.next, plan.end = open, ", ", shut
		return
	}
	line := "\n" + strings.Repeat(" ", depth)
	plan.first, plan.next, plan.end = open+line+" ", ","+line+" ", line+shut
}

// jsonPlace is where an object lies in the one that is planned.
type jsonPlace struct {
	offset uintptr
	depth  int
	path   string // of names, each with a point behind it
}

// members plans the fields of t, which lies at a place in the object, those of
// embedded structs as if they were its own. It takes the text before the first
// value and returns what follows the last one.
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
	if s.pointer {
		begin := len(plan.nulls)
		plan.nulls = append(append(plan.nulls, lead...), "null"...)
		s.null = [2]int{begin, len(plan.nulls)}
	}
	plan.steps = append(plan.steps, s)
}

func (p *jsonPlanner) fail(format string, args ...any) {
	if p.err == nil {
		p.err = fmt.Errorf(format, args...)
	}
}
