package campaign

import (
	"bytes"
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

// TestSchemaIsCurrent derives the schema from the types of the result: shape by
// reflection, descriptions from the comments.
func TestSchemaIsCurrent(t *testing.T) {
	g := schemaMaker{comments: comments(t), defs: map[string]any{}}
	root := g.structure(reflect.TypeFor[Result]())
	root["$schema"], root["$id"], root["title"] = "https://json-schema.org/draft/2020-12/schema", "urn:mpanalyze:compare", "Study of mpanalyze compare"
	root["$defs"] = g.defs
	var want bytes.Buffer
	e := json.NewEncoder(&want)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(root); err != nil {
		t.Fatal(err)
	}
	if bytes.Equal(want.Bytes(), Schema()) {
		return
	}
	if !*update {
		t.Fatal("schema.json is not what the types say: run go generate ./internal/campaign")
	}
	if err := os.WriteFile("schema.json", want.Bytes(), 0o666); err != nil {
		t.Fatal(err)
	}
	t.Error("schema.json written anew")
}

// comments returns those of types and fields, by Type and Type.Field.
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
		for _, decl := range file.Decls {
			g, ok := decl.(*ast.GenDecl)
			if !ok {
				continue
			}
			for _, spec := range g.Specs {
				typ, ok := spec.(*ast.TypeSpec)
				if !ok {
					continue
				}
				out[typ.Name.Name] = words(g.Doc)
				if s, ok := typ.Type.(*ast.StructType); ok {
					for _, f := range s.Fields.List {
						for _, n := range f.Names {
							out[typ.Name.Name+"."+n.Name] = words(f.Doc) + words(f.Comment)
						}
					}
				}
			}
		}
	}
	return out
}

func words(c *ast.CommentGroup) string { return strings.Join(strings.Fields(c.Text()), " ") }

type schemaMaker struct {
	comments map[string]string
	defs     map[string]any // named types already described
}

func (g *schemaMaker) structure(t reflect.Type) map[string]any {
	properties, required := map[string]any{}, []string{}
	for f := range t.Fields() {
		name, option, _ := strings.Cut(f.Tag.Get("json"), ",")
		p := g.of(f.Type)
		if text := g.comments[t.Name()+"."+f.Name]; text != "" {
			p["description"] = text
		}
		properties[name] = p
		if option != "omitempty" {
			required = append(required, name)
		}
	}
	return map[string]any{"type": "object", "description": g.comments[t.Name()], "properties": properties, "required": required}
}

func (g *schemaMaker) of(t reflect.Type) map[string]any {
	switch t.Kind() {
	case reflect.Bool:
		return map[string]any{"type": "boolean"}
	case reflect.Int:
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
		p["type"] = []any{p["type"], "null"}
		return p
	case reflect.Struct:
		if _, done := g.defs[t.Name()]; !done {
			g.defs[t.Name()] = nil
			g.defs[t.Name()] = g.structure(t)
		}
		return map[string]any{"$ref": "#/$defs/" + t.Name()}
	}
	panic("no JSON form for " + t.String()) // a mistake in a type of the result
}
