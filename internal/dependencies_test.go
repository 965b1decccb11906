package internal_test

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"gotest.tools/v3/assert"

	"mpanalyze/internal/testrun"
)

// TestDependenciesAreListed holds the list of docs/dependencies.md to the modules that
// go.mod requires directly and to those that the programs of all systems are linked from.
func TestDependenciesAreListed(t *testing.T) {
	text, err := os.ReadFile("../docs/dependencies.md")
	assert.NilError(t, err)
	_, list, _ := strings.Cut(string(text), "\n## The list\n")
	list, _, _ = strings.Cut(list, "\n## ")
	var listed []string
	for line := range strings.Lines(list) {
		if cells := strings.Split(line, "|"); len(cells) > 2 && strings.Contains(cells[1], "`") {
			listed = append(listed, strings.FieldsFunc(cells[1], func(r rune) bool { return strings.ContainsRune(" `,", r) })...)
		}
	}
	needed := append(direct(t), linked(t, "linux")...)
	needed = append(needed, linked(t, "windows")...)
	sameNames(t, "docs/dependencies.md", listed, needed)
}

// direct returns the modules that go.mod requires directly.
func direct(t *testing.T) (modules []string) {
	t.Helper()
	var mod struct {
		Require []struct {
			Path     string
			Indirect bool
		}
	}
	assert.NilError(t, json.Unmarshal(output(t, nil, "mod", "edit", "-json", "../go.mod"), &mod))
	for _, m := range mod.Require {
		if !m.Indirect {
			modules = append(modules, m.Path)
		}
	}
	return modules
}

// linked returns the modules of the packages that the program for a system is linked from.
func linked(t *testing.T, system string) (modules []string) {
	t.Helper()
	out := output(t, []string{"GOOS=" + system, "CGO_ENABLED=0"}, "list", "-deps",
		"-f", "{{with .Module}}{{if not .Main}}{{.Path}}{{end}}{{end}}", "../cmd/mpanalyze")
	for line := range strings.Lines(string(out)) {
		if m := strings.TrimSpace(line); m != "" {
			modules = append(modules, m)
		}
	}
	return modules
}

// output runs the go command with variables added to the environment.
func output(t *testing.T, env []string, args ...string) []byte {
	t.Helper()
	cmd := testrun.Command(t, "go", args...)
	cmd.Env = append(os.Environ(), env...)
	out, err := cmd.Output()
	assert.NilError(t, err, "go %s", strings.Join(args, " "))
	return out
}
