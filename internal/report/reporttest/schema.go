package reporttest

import (
	"bytes"
	"encoding"
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"mpanalyze/internal/report"
)

// Schema returns the JSON Schema of a type of the package in the working directory: shape
// by reflection, descriptions from the comments. id and title name it.
func Schema(t *testing.T, of reflect.Type, id, title string) []byte {
	t.Helper()
	g := schemaMaker{comments: comments(t), defs: map[string]any{}}
	root := g.structure(of)
	root["$schema"], root["$id"], root["title"] = "https://json-schema.org/draft/2020-12/schema", id, title
	root["$defs"] = g.defs
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(root); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// comments returns the comments of types and fields, by Type and Type.Field.
func comments(t *testing.T) map[string]string {
	names, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]string{}
	for _, name := range names {
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			if g, ok := n.(*ast.GenDecl); ok && g.Tok == token.TYPE {
				for _, spec := range g.Specs {
					describe(out, g, spec.(*ast.TypeSpec))
				}
			}
			return true
		})
	}
	return out
}

// describe enters the comments of a type and its fields.
func describe(out map[string]string, g *ast.GenDecl, typ *ast.TypeSpec) {
	out[typ.Name.Name] = words(g.Doc)
	s, ok := typ.Type.(*ast.StructType)
	if !ok {
		return
	}
	for _, f := range s.Fields.List {
		for _, n := range f.Names {
			out[typ.Name.Name+"."+n.Name] = words(f.Doc) + words(f.Comment)
		}
	}
}

func words(c *ast.CommentGroup) string { return strings.Join(strings.Fields(c.Text()), " ") }

type schemaMaker struct {
	comments map[string]string
	defs     map[string]any // named types already described
}

func (g *schemaMaker) structure(t reflect.Type) map[string]any {
	properties, required := map[string]any{}, []string{}
	g.fields(t, properties, &required)
	return map[string]any{"type": "object", "description": g.comments[t.Name()], "properties": properties, "required": required}
}

// fields enters the fields of a structure, and those of structures that it embeds.
func (g *schemaMaker) fields(t reflect.Type, properties map[string]any, required *[]string) {
	for f := range t.Fields() {
		if f.Anonymous {
			g.fields(f.Type, properties, required)
			continue
		}
		if !f.IsExported() {
			continue
		}
		name, option, _ := strings.Cut(f.Tag.Get("json"), ",")
		if name == "-" {
			continue
		}
		p := g.of(f.Type)
		if text := g.comments[t.Name()+"."+f.Name]; text != "" {
			p["description"] = text
		}
		properties[name] = p
		if option != "omitempty" {
			*required = append(*required, name)
		}
	}
}

func (g *schemaMaker) of(t reflect.Type) map[string]any {
	if t.Kind() != reflect.Struct && t.Implements(reflect.TypeFor[encoding.TextMarshaler]()) {
		return map[string]any{"type": "string"}
	}
	if t == reflect.TypeFor[report.Reasons]() { // see its MarshalJSON
		return map[string]any{"type": "object", "additionalProperties": map[string]any{"type": "string"}}
	}
	switch t.Kind() {
	case reflect.Bool:
		return map[string]any{"type": "boolean"}
	case reflect.Int, reflect.Int64:
		return map[string]any{"type": "integer"}
	case reflect.Float64:
		return map[string]any{"type": "number"}
	case reflect.String:
		return map[string]any{"type": "string"}
	case reflect.Slice:
		return map[string]any{"type": "array", "items": g.of(t.Elem())}
	case reflect.Array:
		return map[string]any{"type": "array", "items": g.of(t.Elem()), "minItems": t.Len(), "maxItems": t.Len()}
	case reflect.Map:
		return map[string]any{"type": "object", "additionalProperties": g.of(t.Elem())}
	case reflect.Pointer:
		p := g.of(t.Elem())
		if p["type"] == nil { // a structure
			return map[string]any{"anyOf": []any{p, map[string]any{"type": "null"}}}
		}
		p["type"] = []any{p["type"], "null"}
		return p
	case reflect.Struct:
		if _, done := g.defs[t.Name()]; !done {
			g.defs[t.Name()] = nil
			g.defs[t.Name()] = g.structure(t)
		}
		return map[string]any{"$ref": "#/$defs/" + t.Name()}
	}
	panic("no JSON form for " + t.String()) // the type has a mistake
}
