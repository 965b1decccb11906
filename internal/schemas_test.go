package internal_test

import (
	"bytes"
	"encoding"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"gotest.tools/v3/assert"
	"gotest.tools/v3/golden"

	"mpanalyze/internal/campaign"
	"mpanalyze/internal/catalogue"
	"mpanalyze/internal/connlines"
	"mpanalyze/internal/counters"
	"mpanalyze/internal/diff"
	"mpanalyze/internal/live"
	"mpanalyze/internal/packets"
	"mpanalyze/internal/report"
	"mpanalyze/internal/results"
	"mpanalyze/internal/schemas"
)

// form is what the schema of a package says beyond the others.
type form struct {
	closed bool // structures have no other fields
	enums  bool // strings have the values of their types, and a comment says where null is an answer
	bare   bool // a field whose name says enough has no comment
}

// documents are what commands write as JSON: the schemas follow from these types.
var documents = []struct {
	word  string // of explain --schema
	of    reflect.Type
	title string
	form  form
}{
	{"compare", reflect.TypeFor[campaign.Result](), "Study of mpanalyze compare", form{bare: true}},
	{"explain", reflect.TypeFor[catalogue.Listing](), "What mpanalyze explain --json prints", form{bare: true}},
	{"connections", reflect.TypeFor[connlines.Row](), "Line of mpanalyze connections --format json", form{}},
	{"counters", reflect.TypeFor[counters.Document](), "Counters of mpanalyze counters --json", form{}},
	{"diff", reflect.TypeFor[diff.Document](), "Differences of mpanalyze diff --json", form{bare: true}},
	{"task", reflect.TypeFor[results.Result](), "Line of mpanalyze task", form{bare: true}},
	{"live", reflect.TypeFor[live.Interval](), "Interval of mpanalyze live", form{bare: true}},
	{"packets", reflect.TypeFor[packets.Record](), "Line of mpanalyze packets --format json", form{closed: true}},
	{"events", reflect.TypeFor[packets.EventLine](), "Line of mpanalyze packets --events --format json", form{closed: true}},
	{"report", reflect.TypeFor[report.Document](), "Report of mpanalyze", form{enums: true}},
}

// TestSchemaIsCurrent derives each schema from the types: shape by reflection, descriptions and enumerations from
// the source, whose comments are the only place where a field is defined.
func TestSchemaIsCurrent(t *testing.T) {
	for _, c := range documents {
		t.Run(c.word, func(t *testing.T) {
			g := &generator{t: t, form: c.form, sources: map[string]*source{}, defs: object{}}
			root := g.structure(c.of)
			root["$schema"], root["$id"], root["title"] = "https://json-schema.org/draft/2020-12/schema", "urn:mpanalyze:"+c.word, c.title
			if name := root["properties"].(object)["schema"]; c.word == "report" {
				name.(object)["const"], root["$id"] = report.SchemaName, "urn:"+strings.ReplaceAll(report.SchemaName, "/", ":")
				delete(name.(object), "type")
			}
			if len(g.defs) > 0 {
				root["$defs"] = g.defs
			}
			var want bytes.Buffer
			assert.NilError(t, report.WriteIndented(&want, root, "", "  "))
			if bytes.Equal(schemas.Of(c.word), want.Bytes()) {
				return
			}
			file := "schemas/" + c.word + ".json"
			assert.Assert(t, golden.FlagUpdate(), "%s is not what the types say: run go generate ./internal/schemas", file)
			assert.NilError(t, os.WriteFile(file, want.Bytes(), 0o666))
			t.Errorf("%s written anew", file)
		})
	}
}

// open lists the enumerations that may grow within a version of the format:
// their values are named in the description, not enforced.
var open = map[string]bool{"EventKind": true, "VerdictCode": true}

// shortForms are the forms of connections with short reports.
var shortForms = map[reflect.Type]reflect.Type{
	reflect.TypeFor[report.Connection](): reflect.TypeFor[report.ShortConnection](),
	reflect.TypeFor[report.TCP]():        reflect.TypeFor[report.ShortTCP](),
}

type object = map[string]any

type generator struct {
	t *testing.T
	form
	sources map[string]*source // by import path
	defs    object             // named types already described
}

// source returns that of the package of a type.
func (g *generator) source(typ reflect.Type) *source {
	path := typ.PkgPath()
	if g.sources[path] == nil {
		dir, _ := strings.CutPrefix(path, module+"/internal/")
		g.sources[path] = readSource(g.t, dir)
	}
	return g.sources[path]
}

// ref describes a type, named ones by reference.
func (g *generator) ref(typ reflect.Type) object {
	switch {
	case typ == reflect.TypeFor[diff.Value](): // any JSON
		return object{}
	case typ == reflect.TypeFor[report.Time]():
		return object{"type": "string", "format": "date-time"}
	case typ == reflect.TypeFor[report.Reasons](): // see its MarshalJSON
		return object{"type": "object", "additionalProperties": object{"type": "string"}}
	case typ.Kind() != reflect.Pointer && typ.Implements(reflect.TypeFor[encoding.TextMarshaler]()):
		return object{"type": "string"}
	}
	switch typ.Kind() {
	case reflect.Bool:
		return object{"type": "boolean"}
	case reflect.Int, reflect.Int64:
		return object{"type": "integer"}
	case reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return object{"type": "integer", "minimum": 0}
	case reflect.Float64:
		return object{"type": "number"}
	case reflect.String:
		return g.text(typ)
	case reflect.Map:
		return object{"type": "object", "additionalProperties": g.ref(typ.Elem())}
	case reflect.Slice:
		if short, ok := shortForms[typ.Elem()]; ok {
			return object{"type": "array", "items": object{"anyOf": []any{g.ref(typ.Elem()), g.ref(short)}}}
		}
		return object{"type": "array", "items": g.ref(typ.Elem())}
	case reflect.Array:
		return object{"type": "array", "items": g.ref(typ.Elem()), "minItems": typ.Len(), "maxItems": typ.Len()}
	case reflect.Pointer:
		p := g.ref(typ.Elem())
		if p["type"] == nil { // a named type
			return object{"anyOf": []any{p, object{"type": "null"}}}
		}
		p["type"] = []any{p["type"], "null"}
		return p
	case reflect.Struct:
		if _, done := g.defs[typ.Name()]; !done {
			g.defs[typ.Name()] = nil
			g.defs[typ.Name()] = g.structure(typ)
		}
		return object{"$ref": "#/$defs/" + typ.Name()}
	}
	g.t.Fatalf("no JSON form for %v", typ) // the type has a mistake
	return nil
}

// text describes a string type with its enumeration.
func (g *generator) text(typ reflect.Type) object {
	if !g.enums || typ.PkgPath() == "" || len(g.source(typ).enums[typ.Name()]) == 0 {
		return object{"type": "string"}
	}
	key := "enum"
	if open[typ.Name()] {
		key = "examples"
	}
	g.defs[typ.Name()] = object{"type": "string", key: g.source(typ).enums[typ.Name()], "description": g.source(typ).comments[typ.Name()]}
	return object{"$ref": "#/$defs/" + typ.Name()}
}

func (g *generator) structure(typ reflect.Type) object {
	properties, required := object{}, []string{}
	g.fields(typ, properties, &required)
	out := object{"type": "object", "description": g.source(typ).comments[typ.Name()], "properties": properties, "required": required}
	if g.closed {
		out["additionalProperties"] = false
	}
	return out
}

// fields describes the fields of a structure, embedded ones as if they were its own, which is what encoding/json
// does.
func (g *generator) fields(typ reflect.Type, properties object, required *[]string) {
	for f := range typ.Fields() {
		if f.Anonymous {
			g.fields(f.Type, properties, required)
			continue
		}
		name, doc := report.JSONName(f), g.source(typ).comments[typ.Name()+"."+f.Name]
		if name == report.NoJSON || !f.IsExported() {
			continue
		}
		if name == "" || doc == "" && !g.bare {
			g.t.Errorf("field %s.%s has no JSON name or no comment", typ.Name(), f.Name)
		}
		of, absent := f.Type, strings.Contains(f.Tag.Get("json"), ",omit") // omitempty, omitzero
		switch {
		case !absent:
			*required = append(*required, name)
		case of.Kind() == reflect.Pointer:
			of = of.Elem() // absent instead of null
		}
		if answer := f.Tag.Get("null") != ""; g.enums && of.Kind() == reflect.Pointer && answer != strings.Contains(doc, "null") {
			g.t.Errorf("null of field %s.%s is an answer: %v, but its comment says otherwise", typ.Name(), f.Name, answer)
		}
		p := g.ref(of)
		if doc != "" {
			p["description"] = doc
		}
		properties[name] = p
	}
}

// source is what reflection cannot see of a package.
type source struct {
	comments map[string]string   // of types and fields, by Type and Type.Field
	enums    map[string][]string // string type -> its constants, in order
}

// readSource parses the Go files of a folder, tests excluded.
func readSource(t *testing.T, dir string) *source {
	names, err := filepath.Glob(filepath.Join(dir, "*.go"))
	assert.NilError(t, err)
	s := &source{comments: map[string]string{}, enums: map[string][]string{}}
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ParseComments)
		assert.NilError(t, err)
		for _, decl := range file.Decls {
			if g, ok := decl.(*ast.GenDecl); ok {
				s.declaration(g)
			}
		}
	}
	return s
}

func (s *source) declaration(g *ast.GenDecl) {
	for _, spec := range g.Specs {
		switch spec := spec.(type) {
		case *ast.TypeSpec:
			s.comments[spec.Name.Name] = prose(g.Doc)
			if st, ok := spec.Type.(*ast.StructType); ok {
				s.structure(spec.Name.Name, st)
			}
		case *ast.ValueSpec:
			s.constants(spec)
		}
	}
}

func (s *source) structure(name string, st *ast.StructType) {
	for _, f := range st.Fields.List {
		for _, n := range f.Names {
			s.comments[name+"."+n.Name] = prose(f.Doc) + prose(f.Comment)
		}
	}
}

func (s *source) constants(spec *ast.ValueSpec) {
	typ, ok := spec.Type.(*ast.Ident)
	if !ok || len(spec.Values) != 1 {
		return
	}
	if lit, ok := spec.Values[0].(*ast.BasicLit); ok && lit.Kind == token.STRING {
		if v, err := strconv.Unquote(lit.Value); err == nil {
			s.enums[typ.Name] = append(s.enums[typ.Name], v)
		}
	}
}

// link is one of Go's documentation links.
var link = regexp.MustCompile(`\[([\w.]+)\]`)

// prose returns a comment as one line per paragraph, without the brackets of
// Go's documentation links.
func prose(c *ast.CommentGroup) string {
	paragraphs := strings.Split(strings.TrimSpace(c.Text()), "\n\n")
	for i, p := range paragraphs {
		paragraphs[i] = strings.Join(strings.Fields(p), " ")
	}
	return link.ReplaceAllString(strings.Join(paragraphs, "\n"), "$1")
}
