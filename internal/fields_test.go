package internal_test

import (
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"mpanalyze/internal/report"
)

// reportFields returns the fields of the JSON form of a type and of all types in it, by the name of the
// type that declares them, as in "Drops.Count".
func reportFields(of reflect.Type, out map[string]reflect.StructField) {
	for of.Kind() == reflect.Pointer || of.Kind() == reflect.Slice {
		of = of.Elem()
	}
	if of.Kind() != reflect.Struct || of == reflect.TypeFor[report.Reason]() {
		return
	}
	for x := range of.Fields() {
		name := of.Name() + "." + x.Name
		if _, seen := out[name]; seen || report.JSONName(x) == report.NoJSON {
			continue
		}
		if !x.Anonymous {
			out[name] = x
		}
		reportFields(x.Type, out)
	}
}

// fact is one figure of a session and its true value; engine compares reports with it.
type fact struct {
	Field, Subflow, Contains string
	Want                     any
	Between                  []float64
}

// truths marks the fields for which a bundled session has a true value that is not the default.
func truths(t *testing.T, pinned map[string]bool) {
	names, err := filepath.Glob("../testdata/sessions/*/*/expected.json")
	if err != nil || len(names) < 10 {
		t.Fatalf("%d sessions: %v", len(names), err)
	}
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		var x struct {
			Facts            []fact
			Connections, TCP []struct{ Facts []fact }
		}
		if err := json.Unmarshal(text, &x); err != nil {
			t.Fatal(name, err)
		}
		for _, f := range x.Facts {
			f.mark(reflect.TypeFor[report.Document](), pinned)
		}
		for _, c := range x.Connections {
			for _, f := range c.Facts {
				if f.Subflow != "" {
					f.mark(reflect.TypeFor[report.Subflow](), pinned)
				} else {
					f.mark(reflect.TypeFor[report.Connection](), pinned)
				}
			}
		}
		for _, c := range x.TCP {
			for _, f := range c.Facts {
				f.mark(reflect.TypeFor[report.TCP](), pinned)
			}
		}
	}
}

// mark marks the fields on the way to the figure.
func (f *fact) mark(of reflect.Type, pinned map[string]bool) {
	if f.Contains == "" && f.Between == nil && slices.Contains([]any{nil, 0.0, false, "", "none"}, f.Want) {
		return
	}
	for name := range strings.SplitSeq(strings.TrimPrefix(f.Field, "#"), ".") {
		for of.Kind() == reflect.Pointer || of.Kind() == reflect.Slice {
			of = of.Elem()
		}
		for _, x := range reflect.VisibleFields(of) {
			if report.JSONName(x) == name {
				in := of
				for _, i := range x.Index[:len(x.Index)-1] {
					in = in.Field(i).Type
				}
				pinned[in.Name()+"."+x.Name], of = true, x.Type
				break
			}
		}
	}
}

// testSource has the top-level declarations of the tests of a package, by name.
type testSource map[string]ast.Node

func readTests(t *testing.T, dir string) testSource {
	names, err := filepath.Glob(filepath.Join(dir, "*_test.go"))
	if err != nil {
		t.Fatal(err)
	}
	out := testSource{}
	for _, name := range names {
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, decl := range file.Decls {
			switch d := decl.(type) {
			case *ast.FuncDecl:
				out[d.Name.Name] = d
			case *ast.GenDecl:
				for _, spec := range d.Specs {
					if v, ok := spec.(*ast.ValueSpec); ok {
						for _, n := range v.Names {
							out[n.Name] = v
						}
					}
				}
			}
		}
	}
	return out
}

// expects calls f for each field that a test, and what it uses of its package's tests, compares with something
// else than a default. typ is the type where the source tells it.
func (s testSource) expects(test string, seen map[string]bool, f func(typ, field string)) {
	if seen[test] || s[test] == nil {
		return
	}
	seen[test] = true
	ast.Inspect(s[test], func(n ast.Node) bool {
		switch x := n.(type) {
		case *ast.Ident:
			s.expects(x.Name, seen, f)
		case *ast.CompositeLit:
			literal(x, x.Type, f)
		case *ast.BinaryExpr:
			if !isDefault(x.X) && !isDefault(x.Y) {
				compared(x.X, f)
				compared(x.Y, f)
			}
		case *ast.CallExpr:
			for _, a := range x.Args {
				compared(a, f)
			}
		}
		return true
	})
}

// literal reports the fields of a literal of a type, and of literals in it whose type is left out.
func literal(x *ast.CompositeLit, typ ast.Expr, f func(typ, field string)) {
	of := typ
	for {
		switch t := of.(type) {
		case *ast.ArrayType:
			of = t.Elt
			continue
		case *ast.MapType:
			of = t.Value
			continue
		case *ast.IndexExpr:
			of = t.Index // report.List[report.Verdict]
			continue
		case *ast.SelectorExpr:
			of = t.Sel
			continue
		}
		break
	}
	name := ""
	if id, ok := of.(*ast.Ident); ok {
		name = id.Name
	}
	for _, e := range x.Elts {
		if inner, ok := e.(*ast.CompositeLit); ok && inner.Type == nil {
			literal(inner, of, f)
			continue
		}
		kv, ok := e.(*ast.KeyValueExpr)
		if !ok {
			compared(e, f)
			continue
		}
		if inner, ok := kv.Value.(*ast.CompositeLit); ok && inner.Type == nil {
			literal(inner, of, f)
		}
		if key, ok := kv.Key.(*ast.Ident); ok && !isDefault(kv.Value) && name != "" {
			f(name, key.Name)
		}
		compared(kv.Value, f)
	}
}

func isDefault(x ast.Expr) bool {
	switch x := x.(type) {
	case *ast.BasicLit:
		return x.Value == "0" || x.Value == `""` || x.Value == "``"
	case *ast.Ident:
		return x.Name == "nil" || x.Name == "false"
	}
	return false
}

// compared reports the field that an expression is. Its type is not known here.
func compared(x ast.Expr, f func(typ, field string)) {
	switch x := x.(type) {
	case *ast.StarExpr:
		compared(x.X, f)
	case *ast.UnaryExpr:
		compared(x.X, f)
	case *ast.ParenExpr:
		compared(x.X, f)
	case *ast.IndexExpr:
		compared(x.X, f)
	case *ast.SelectorExpr:
		f("", x.Sel.Name)
	}
}

func TestDiscover(t *testing.T) {
	pinned, fields := map[string]bool{}, map[string]reflect.StructField{}
	for _, root := range []reflect.Type{reflect.TypeFor[report.Document](), reflect.TypeFor[report.ShortConnection](), reflect.TypeFor[report.ShortTCP]()} {
		reportFields(root, fields)
	}
	truths(t, pinned)
	types := map[string][]string{}
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		if typ, f, _ := strings.Cut(name, "."); !pinned[name] { types[typ] = append(types[typ], f) }
	}
	t.Log(len(fields), len(pinned))
	type cand struct{ pkg, test string; have []string }
	cands := map[string][]cand{}
	var dirs []string
	filepath.WalkDir(".", func(p string, d os.DirEntry, err error) error { if d.IsDir() { dirs = append(dirs, p) }; return nil })
	for _, dir := range dirs {
		s := readTests(t, dir)
		for name := range s {
			if !strings.HasPrefix(name, "Test") { continue }
			names := map[string]bool{}
			s.expects(name, map[string]bool{}, func(typ, field string) { names[typ+"."+field] = true })
			for typ, fs := range types {
				var have []string
				for _, f := range fs { if names["."+f] || names[typ+"."+f] { have = append(have, f) } }
				if len(have) > 0 { cands[typ] = append(cands[typ], cand{dir, name, have}) }
			}
		}
	}
	for _, typ := range slices.Sorted(maps.Keys(types)) {
		t.Log("==", typ, len(types[typ]), types[typ])
		left := slices.Clone(types[typ])
		for range 8 {
			best, most := cand{}, 0
			for _, c := range cands[typ] {
				if !slices.Contains([]string{"build", "metrics", "pair", "pair/clock", "engine", "evidence", "hosts", "fairness", "report", "conn", "symptoms", "account", "diagnose", "jsonreport"}, c.pkg) { continue }
				n := 0
				for _, f := range c.have { if slices.Contains(left, f) { n++ } }
				if n > most { best, most = c, n }
			}
			if most == 0 { break }
			var now []string
			left = slices.DeleteFunc(left, func(f string) bool { if slices.Contains(best.have, f) { now = append(now, f); return true }; return false })
			t.Log("    ", best.pkg, best.test, now)
		}
		t.Log("    LEFT", left)
	}
}
