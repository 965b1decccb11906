package internal_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"gotest.tools/v3/assert"
)

// TestGoroutinesCatch: a panic in any goroutine of the program ends it with the
// status of a fault of its own. The function that a goroutine runs is written where
// it is started, or is a method of the same file. The packages that start goroutines are those that
// .ci/run tests under the race detector, which finds nothing in others.
func TestGoroutinesCatch(t *testing.T) {
	found, packages := 0, map[string]bool{}
	eachFile(t, func(name string, set *token.FileSet, file *ast.File) {
		if strings.HasSuffix(name, "_test.go") || strings.Contains(name, "/tracegen/") {
			return
		}
		for _, g := range goroutines(file) {
			found++
			packages["./"+filepath.ToSlash(strings.TrimPrefix(filepath.Dir(name), "../"))] = true
			if !catches(g.body) {
				t.Errorf("%v: crash.Catch is not the last of the calls that the goroutine defers at its top", set.Position(g.at))
			}
		}
	})
	assert.Check(t, found >= 5, "only %d goroutines were found", found)
	delete(packages, "./cloud") // a module of its own, which "make cloud" tests
	if want, got := slices.Sorted(maps.Keys(packages)), raced(t); !slices.Equal(got, want) {
		t.Errorf("goroutines start in %v, and the race detector runs in %v", want, got)
	}
}

// eachFile calls do with each file of Go in the repository.
func eachFile(t *testing.T, do func(name string, set *token.FileSet, file *ast.File)) {
	t.Helper()
	err := filepath.WalkDir("..", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (strings.HasPrefix(d.Name(), ".") && d.Name() != ".." || d.Name() == "testdata"):
			return fs.SkipDir
		case d.IsDir() || !strings.HasSuffix(name, ".go"):
			return nil
		}
		set := token.NewFileSet()
		file, err := parser.ParseFile(set, name, nil, parser.SkipObjectResolution)
		if err == nil {
			do(filepath.ToSlash(name), set, file)
		}
		return err
	})
	assert.NilError(t, err)
}

// raced returns the packages that .ci/run tests under the race detector.
func raced(t *testing.T) []string {
	t.Helper()
	script, err := os.ReadFile("../.ci/run")
	assert.NilError(t, err)
	step := regexp.MustCompile(`(?m)^step race make race RACE='-short (.*)'$`).FindSubmatch(script)
	if step == nil {
		t.Fatal(".ci/run has no step race")
	}
	return slices.Sorted(slices.Values(strings.Fields(string(step[1]))))
}

// goroutine is where one is started, and what it runs; nil where that is not known.
type goroutine struct {
	at   token.Pos
	body *ast.BlockStmt
}

// goroutines returns those that a file starts with go, or with [sync.WaitGroup.Go].
func goroutines(file *ast.File) (out []goroutine) {
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.GoStmt:
			out = append(out, goroutine{n.Pos(), body(file, n.Call.Fun)})
		case *ast.CallExpr:
			if s, ok := n.Fun.(*ast.SelectorExpr); ok && s.Sel.Name == "Go" && len(n.Args) == 1 {
				out = append(out, goroutine{n.Pos(), body(file, n.Args[0])})
			}
		}
		return true
	})
	return out
}

// body returns what an expression runs.
func body(file *ast.File, e ast.Expr) *ast.BlockStmt {
	switch e := e.(type) {
	case *ast.FuncLit:
		return e.Body
	case *ast.SelectorExpr:
		for _, d := range file.Decls {
			if f, ok := d.(*ast.FuncDecl); ok && f.Recv != nil && f.Name.Name == e.Sel.Name {
				return f.Body
			}
		}
	}
	return nil
}

// catches reports whether the last of the calls deferred at the top of a function is
// crash.Catch.
func catches(b *ast.BlockStmt) (yes bool) {
	if b == nil {
		return false
	}
	for _, s := range b.List {
		d, ok := s.(*ast.DeferStmt)
		if !ok {
			break
		}
		f, ok := d.Call.Fun.(*ast.SelectorExpr)
		yes = ok && f.Sel.Name == "Catch"
	}
	return yes
}
