package report_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
)

// source is what reflection cannot see of a package.
type source struct {
	types  map[string]string   // type -> its comment
	fields map[string]string   // Type.Field -> its comment
	enums  map[string][]string // string type -> its constants, in order
}

// readSource parses the Go files of dir, tests excluded.
func readSource(dir string) (*source, error) {
	names, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		return nil, err
	}
	s := &source{types: map[string]string{}, fields: map[string]string{}, enums: map[string][]string{}}
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ParseComments)
		if err != nil {
			return nil, fmt.Errorf("schema: %w", err)
		}
		for _, decl := range file.Decls {
			if g, ok := decl.(*ast.GenDecl); ok {
				s.declaration(g)
			}
		}
	}
	return s, nil
}

func (s *source) declaration(g *ast.GenDecl) {
	for _, spec := range g.Specs {
		switch spec := spec.(type) {
		case *ast.TypeSpec:
			s.types[spec.Name.Name] = prose(g.Doc)
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
			s.fields[name+"."+n.Name] = prose(f.Doc)
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
	if c == nil {
		return ""
	}
	paragraphs := strings.Split(strings.TrimSpace(c.Text()), "\n\n")
	for i, p := range paragraphs {
		paragraphs[i] = strings.Join(strings.Fields(p), " ")
	}
	return link.ReplaceAllString(strings.Join(paragraphs, "\n"), "$1")
}
