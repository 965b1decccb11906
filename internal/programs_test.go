package internal_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"strings"
	"testing"

	"gotest.tools/v3/assert"
)

// TestPrograms holds that every test starts its programs by testrun.Command,
// which gives them a limit: without one, a program that hangs takes all tests of
// its package with it.
func TestPrograms(t *testing.T) {
	files := 0
	eachFile(t, func(name string, set *token.FileSet, file *ast.File) {
		if !strings.HasSuffix(name, "_test.go") {
			return
		}
		files++
		for _, at := range started(file) {
			t.Errorf("%s: a program without a limit: use testrun.Command", set.Position(at))
		}
	})
	assert.Assert(t, files >= 100, "%d files of tests", files)
}

// started returns where a file starts programs by itself.
func started(file *ast.File) (at []token.Pos) {
	ast.Inspect(file, func(n ast.Node) bool {
		s, ok := n.(*ast.SelectorExpr)
		if !ok || !strings.HasPrefix(s.Sel.Name, "Command") && s.Sel.Name != "StartProcess" {
			return true
		}
		if pkg, ok := s.X.(*ast.Ident); ok && (pkg.Name == "exec" || pkg.Name == "os") {
			at = append(at, s.Pos())
		}
		return true
	})
	return at
}

func TestStarted(t *testing.T) {
	const text = `package p
import ("os"; "os/exec")
func f() { exec.Command("a"); exec.CommandContext(c, "b"); os.StartProcess("c", nil, nil); testrun.Command(t, "d"); exec.LookPath("e") }`
	file, err := parser.ParseFile(token.NewFileSet(), "p.go", text, parser.SkipObjectResolution)
	assert.NilError(t, err)
	if got := started(file); len(got) != 3 {
		t.Errorf("%d programs without a limit, want 3", len(got))
	}
}
