package packets

import (
	"bytes"
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"reflect"
	"strings"
	"testing"

	"gotest.tools/v3/assert"
	goldenfile "gotest.tools/v3/golden"
)

// TestSchemaIsCurrent derives the schemas from [Record] and [EventLine]: shape by
// reflection, descriptions from the comments.
func TestSchemaIsCurrent(t *testing.T) {
	current(t, "schema.json", Schema(), reflect.TypeFor[Record](), "packets", "Line of mpanalyze packets --format json")
	current(t, "events.json", EventSchema(), reflect.TypeFor[EventLine](), "events", "Line of mpanalyze packets --events --format json")
}

func current(t *testing.T, file string, got []byte, typ reflect.Type, id, title string) {
	t.Helper()
	g := schemaMaker{t: t, comments: comments(t), defs: map[string]any{}}
	root := g.object(typ)
	root["$schema"], root["$id"], root["title"] = "https://json-schema.org/draft/2020-12/schema", "urn:mpanalyze:"+id, title
	if len(g.defs) > 0 {
		root["$defs"] = g.defs
	}
	var want bytes.Buffer
	e := json.NewEncoder(&want)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	assert.NilError(t, e.Encode(root))
	if bytes.Equal(want.Bytes(), got) {
		return
	}
	assert.Assert(t, goldenfile.FlagUpdate(), "%s is not what the types say: run go generate ./internal/packets", file)
	assert.NilError(t, os.WriteFile(file, want.Bytes(), 0o666))
	t.Errorf("%s written anew", file)
}

// schemaMaker makes a schema of Go types.
type schemaMaker struct {
	t        *testing.T
	comments map[string]string // of types and fields, by Type and Type.Field
	defs     map[string]any
}

// object returns the schema of a structure.
func (g *schemaMaker) object(typ reflect.Type) map[string]any {
	properties, required := map[string]any{}, []string{}
	for f := range typ.Fields() {
		if f.Anonymous {
			inner := g.object(f.Type)
			maps.Copy(properties, inner["properties"].(map[string]any))
			required = append(required, inner["required"].([]string)...)
			continue
		}
		name, option, _ := strings.Cut(f.Tag.Get("json"), ",")
		x := g.value(f.Type)
		if x["description"] = g.comments[typ.Name()+"."+f.Name]; x["description"] == "" {
			g.t.Errorf("%s.%s has no comment", typ.Name(), f.Name)
		}
		if properties[name] = x; option != "omitempty" {
			required = append(required, name)
		}
	}
	return map[string]any{"type": "object", "description": g.comments[typ.Name()], "properties": properties, "required": required, "additionalProperties": false}
}

// value returns the schema of a value.
func (g *schemaMaker) value(typ reflect.Type) map[string]any {
	switch typ.Kind() {
	case reflect.Pointer:
		return g.value(typ.Elem())
	case reflect.Slice:
		return map[string]any{"type": "array", "items": g.value(typ.Elem())}
	case reflect.Array:
		return map[string]any{"type": "array", "items": g.value(typ.Elem()), "minItems": typ.Len(), "maxItems": typ.Len()}
	case reflect.Struct:
		g.defs[typ.Name()] = g.object(typ)
		return map[string]any{"$ref": "#/$defs/" + typ.Name()}
	case reflect.String:
		return map[string]any{"type": "string"}
	case reflect.Bool:
		return map[string]any{"type": "boolean"}
	case reflect.Float64:
		return map[string]any{"type": "number"}
	case reflect.Int, reflect.Int64:
		return map[string]any{"type": "integer"}
	case reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return map[string]any{"type": "integer", "minimum": 0}
	}
	g.t.Fatalf("no schema for %v", typ)
	return nil
}

// comments returns those of the types in record.go.
func comments(t *testing.T) map[string]string {
	file, err := parser.ParseFile(token.NewFileSet(), "record.go", nil, parser.ParseComments)
	assert.NilError(t, err)
	out, text := map[string]string{}, func(c *ast.CommentGroup) string { return strings.Join(strings.Fields(c.Text()), " ") }
	for _, d := range file.Decls {
		decl, ok := d.(*ast.GenDecl)
		if !ok || decl.Tok != token.TYPE {
			continue
		}
		spec := decl.Specs[0].(*ast.TypeSpec)
		out[spec.Name.Name] = text(decl.Doc)
		for _, f := range spec.Type.(*ast.StructType).Fields.List {
			if len(f.Names) == 0 {
				continue
			}
			out[spec.Name.Name+"."+f.Names[0].Name] = text(f.Doc)
		}
	}
	return out
}
