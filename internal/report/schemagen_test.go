// The JSON Schema of the report is derived from its Go types: shape from
// reflection, descriptions and enumerations from the source, whose comments
// are the only place where a field is defined.
package report_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"

	"mpanalyze/internal/report"
)

// open lists the enumerations that may grow within a version of the format:
// their values are named in the description, not enforced.
var open = map[string]bool{"EventKind": true, "VerdictCode": true}

// shortForms are the forms of connections with short reports.
var shortForms = map[reflect.Type]reflect.Type{
	reflect.TypeFor[report.Connection](): reflect.TypeFor[report.ShortConnection](),
	reflect.TypeFor[report.TCP]():        reflect.TypeFor[report.ShortTCP](),
}

// generate returns the JSON Schema of [report.Document]; dir holds the source
// of package report. It fails where a field has no comment, or not the one
// that says what null means where it is an answer.
func generate(dir string) ([]byte, error) {
	src, err := readSource(dir)
	if err != nil {
		return nil, err
	}
	g := &generator{src: src, defs: object{}}
	root := g.structure(reflect.TypeFor[report.Document]())
	if g.err != nil {
		return nil, g.err
	}
	root["$schema"] = "https://json-schema.org/draft/2020-12/schema"
	root["$id"] = "urn:" + strings.ReplaceAll(report.SchemaName, "/", ":")
	root["title"] = "Report of mpanalyze"
	root["properties"].(object)["schema"] = object{
		"const":       report.SchemaName,
		"description": src.fields["Document.Schema"],
	}
	root["$defs"] = g.defs
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	err = enc.Encode(root)
	return out.Bytes(), err
}

type object = map[string]any

type generator struct {
	src  *source
	defs object // named types already described
	err  error  // the first field without a description
}

// ref describes t, named types by reference.
func (g *generator) ref(t reflect.Type) object {
	switch {
	case t == reflect.TypeFor[report.Time]():
		return object{"type": "string", "format": "date-time"}
	case t == reflect.TypeFor[report.Reasons]():
		return object{"type": "object", "additionalProperties": object{"type": "string"}}
	case t == reflect.TypeFor[report.Counts]():
		return object{"type": "object", "additionalProperties": object{"type": "integer"}}
	}
	switch t.Kind() {
	case reflect.Bool:
		return object{"type": "boolean"}
	case reflect.Int, reflect.Int64:
		return object{"type": "integer"}
	case reflect.Float64:
		return object{"type": "number"}
	case reflect.Slice:
		if short, ok := shortForms[t.Elem()]; ok {
			return object{"type": "array", "items": object{"anyOf": []any{g.ref(t.Elem()), g.ref(short)}}}
		}
		return object{"type": "array", "items": g.ref(t.Elem())}
	case reflect.String:
		return g.text(t)
	case reflect.Struct:
		if _, done := g.defs[t.Name()]; !done {
			g.defs[t.Name()] = nil
			g.defs[t.Name()] = g.structure(t)
		}
		return object{"$ref": "#/$defs/" + t.Name()}
	}
	panic(fmt.Sprintf("schema: no JSON form for %v", t)) // a mistake in package report, found by its test
}

// text describes a string type with its enumeration.
func (g *generator) text(t reflect.Type) object {
	values := g.src.enums[t.Name()]
	if len(values) == 0 {
		return object{"type": "string"}
	}
	if g.defs[t.Name()] == nil {
		key := "enum"
		if open[t.Name()] {
			key = "examples"
		}
		g.defs[t.Name()] = object{"type": "string", key: values, "description": g.src.types[t.Name()]}
	}
	return object{"$ref": "#/$defs/" + t.Name()}
}

func (g *generator) structure(t reflect.Type) object {
	properties, required := object{}, []string{}
	g.fields(t, properties, &required)
	return object{
		"type":        "object",
		"description": g.src.types[t.Name()],
		"properties":  properties,
		"required":    required,
	}
}

// fields describes the fields of t, embedded ones as if they were its own,
// which is what encoding/json does.
func (g *generator) fields(t reflect.Type, properties object, required *[]string) {
	for f := range t.Fields() {
		if f.Anonymous {
			g.fields(f.Type, properties, required)
			continue
		}
		name, doc := report.JSONName(f), g.src.fields[t.Name()+"."+f.Name]
		if name == report.NoJSON {
			continue
		}
		if (name == "" || doc == "") && g.err == nil {
			g.err = fmt.Errorf("schema: field %s.%s has no JSON name or no comment", t.Name(), f.Name)
		}
		absent := strings.HasSuffix(f.Tag.Get("json"), ",omitempty")
		if answer := f.Tag.Get("null") != ""; !absent && answer != strings.Contains(doc, "null") && f.Type.Kind() == reflect.Pointer && g.err == nil {
			g.err = fmt.Errorf("schema: null of field %s.%s is an answer: %v, but its comment says otherwise", t.Name(), f.Name, answer)
		}
		properties[name] = g.field(f, doc)
		if !absent {
			*required = append(*required, name)
		}
	}
}

func (g *generator) field(f reflect.StructField, doc string) object {
	t := f.Type
	if t.Kind() == reflect.Pointer && strings.HasSuffix(f.Tag.Get("json"), ",omitempty") {
		t = t.Elem() // absent instead of null
	}
	if t.Kind() != reflect.Pointer {
		p := g.ref(t)
		p["description"] = doc
		return p
	}
	p := g.ref(f.Type.Elem())
	if typ, ok := p["type"]; ok {
		p["type"] = []any{typ, "null"}
		p["description"] = doc
		return p
	}
	return object{"anyOf": []any{p, object{"type": "null"}}, "description": doc}
}
