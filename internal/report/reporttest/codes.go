package reporttest

import (
	"go/ast"
	"go/parser"
	"go/token"
	"strconv"
	"testing"
)

// Codes returns the values of the constants of type VerdictCode in a source file of
// package report, in the order of the file.
func Codes(t *testing.T, file string) (codes []string) {
	t.Helper()
	f, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	ast.Inspect(f, func(n ast.Node) bool {
		v, ok := n.(*ast.ValueSpec)
		if !ok || len(v.Values) != 1 {
			return true
		}
		if typ, ok := v.Type.(*ast.Ident); ok && typ.Name == "VerdictCode" {
			text, err := strconv.Unquote(v.Values[0].(*ast.BasicLit).Value)
			if err != nil {
				t.Fatal(err)
			}
			codes = append(codes, text)
		}
		return true
	})
	return codes
}
