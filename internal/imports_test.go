// Package internal_test holds the rules of which package may import which.
// A package may import only packages of a lower rank (testdata/ranks.txt), and
// each third-party library is known to one or two packages, so that it can be
// replaced there (testdata/libraries.txt).
package internal_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	"mpanalyze/internal/testrun"
)

const module = "mpanalyze"

// testRank is the rank of packages that only tests and generators import.
const testRank = 100

// core lists the packages that reach, directly or not, the standard library
// and nothing else.
var core = []string{
	"internal/seq", "internal/mptcp", "internal/packet",
	"internal/subflow", "internal/dss", "internal/conn",
}

// readers lists packages that read a report and reach, directly or not, nothing of what
// measured it.
var readers = []string{"internal/report", "internal/jsonreport", "internal/csvtables", "internal/connlines", "internal/palette", "internal/timeline"}

// measuring lists what readers do not reach.
var measuring = []string{"internal/conn", "internal/symptoms", "internal/metrics", "internal/pair", "internal/build", "internal/report/rows"}

// rules are what imports are judged by.
type rules struct {
	ranks   map[string]int
	core    []string
	readers []string
	walls   map[string][]string
}

// listed is what go list says of a package.
type listed struct {
	ImportPath string
	Imports    []string
	Standard   bool
}

// local returns the path of one of our packages below the module, and whether
// it is one.
func local(path string) (string, bool) { return strings.CutPrefix(path, module+"/") }

// longest returns the longest key of m that is path or a parent of it.
func longest[V any](m map[string]V, path string) (key string, ok bool) {
	for k := range m {
		if (k == path || strings.HasPrefix(path, k+"/")) && len(k) >= len(key) {
			key, ok = k, true
		}
	}
	return key, ok
}

// violations returns a line for each import that breaks a rule, sorted.
func (r *rules) violations(pkgs []listed) []string {
	byPath := map[string]listed{}
	for _, p := range pkgs {
		byPath[p.ImportPath] = p
	}
	var out []string
	for _, p := range pkgs {
		from, ours := local(p.ImportPath)
		if !ours {
			continue
		}
		key, ok := longest(r.ranks, from)
		if !ok || key == "internal" && from != key {
			out = append(out, fmt.Sprintf("%s has no rank: give it one in internal/testdata/ranks.txt", from))
			continue
		}
		for _, imp := range p.Imports {
			if bad := r.edge(from, r.ranks[key], imp, byPath[imp].Standard); bad != "" {
				out = append(out, bad)
			}
		}
	}
	for _, c := range r.core {
		out = append(out, foreign(byPath, c)...)
	}
	for _, c := range r.readers {
		out = append(out, measures(byPath, c)...)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// edge judges one import of a package of ours and returns what is wrong.
func (r *rules) edge(from string, rank int, imp string, standard bool) string {
	if to, ours := local(imp); ours {
		key, ok := longest(r.ranks, to)
		if ok && r.ranks[key] >= rank {
			return fmt.Sprintf("%s (rank %d) -> %s (rank %d): only lower ranks may be imported", from, rank, to, r.ranks[key])
		}
		return ""
	}
	wall, ok := longest(r.walls, imp)
	switch {
	case standard && !ok:
		return ""
	case !ok:
		return fmt.Sprintf("%s -> %s: a library that no package may import", from, imp)
	}
	for _, may := range r.walls[wall] {
		if may == from || rank >= testRank && strings.HasPrefix(from, may+"/") {
			return ""
		}
	}
	return fmt.Sprintf("%s -> %s: only %s may import it", from, imp, strings.Join(r.walls[wall], ", "))
}

// foreign returns a line for each edge by which the package reaches something
// that is neither ours nor the standard library's.
func foreign(byPath map[string]listed, root string) []string {
	return reached(byPath, root, func(from, imp string) string {
		if _, ours := local(imp); ours || byPath[imp].Standard || imp == "unsafe" {
			return ""
		}
		return fmt.Sprintf("%s -> %s: the core (%s) reaches the standard library only", from, imp, root)
	})
}

// measures returns a line for each edge by which the package reaches what measures.
func measures(byPath map[string]listed, root string) []string {
	return reached(byPath, root, func(from, imp string) string {
		if to, ours := local(imp); ours && slices.Contains(measuring, to) {
			return fmt.Sprintf("%s -> %s: who reads a report (%s) reaches nothing of what measured it", from, to, root)
		}
		return ""
	})
}

// reached returns what wrong says of each edge of ours by which the package reaches
// another one, directly or not.
func reached(byPath map[string]listed, root string, wrong func(from, imp string) string) (out []string) {
	seen := map[string]bool{}
	var walk func(path string)
	walk = func(path string) {
		from, ours := local(path)
		if seen[path] || !ours {
			return
		}
		seen[path] = true
		for _, imp := range byPath[path].Imports {
			if bad := wrong(from, imp); bad != "" {
				out = append(out, bad)
			} else {
				walk(imp)
			}
		}
	}
	walk(module + "/" + root)
	return out
}

// list runs go list over the module and all that it imports.
func list(t *testing.T, cgo string) []listed {
	t.Helper()
	cmd := testrun.Command(t, "go", "list", "-pgo=off", "-deps", "-json=ImportPath,Imports,Standard", module+"/...")
	cmd.Env = append(os.Environ(), "CGO_ENABLED="+cgo)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go list: %v\n%s", err, &stderr)
	}
	var pkgs []listed
	for dec := json.NewDecoder(bytes.NewReader(out)); ; {
		var p listed
		if err := dec.Decode(&p); errors.Is(err, io.EOF) {
			return pkgs
		} else if err != nil {
			t.Fatal(err)
		}
		pkgs = append(pkgs, p)
	}
}

// table returns what a file says of each name: a line has the name and words.
func table(t *testing.T, file string) map[string][]string {
	text, err := os.ReadFile("testdata/" + file)
	assert.NilError(t, err)
	out := map[string][]string{}
	for line := range strings.Lines(string(text)) {
		if words := strings.Fields(line); words[0] != "#" {
			out[words[0]] = words[1:]
		}
	}
	return out
}

func TestImports(t *testing.T) {
	// Files behind build tags differ with cgo; both forms must hold.
	project := rules{map[string]int{}, core, readers, table(t, "libraries.txt")}
	for name, rank := range table(t, "ranks.txt") {
		n, err := strconv.Atoi(rank[0])
		assert.NilError(t, err, name)
		project.ranks[name] = n
	}
	for _, cgo := range []string{"0", "1"} {
		pkgs := list(t, cgo)
		if !slices.ContainsFunc(pkgs, func(p listed) bool { return p.ImportPath == module+"/internal/seq" }) {
			t.Fatalf("CGO_ENABLED=%s: go list did not show internal/seq among %d packages", cgo, len(pkgs))
		}
		for _, v := range project.violations(pkgs) {
			t.Errorf("CGO_ENABLED=%s: %s", cgo, v)
		}
	}
}

func TestViolations(t *testing.T) {
	small := rules{
		ranks: map[string]int{
			"internal": testRank, "internal/seq": 0, "internal/stats": 0, "internal/mptcp": 1,
			"internal/subflow": 3, "internal/dss": 3, "internal/conn": 4,
			"internal/cli": 9, "internal/tracegen": testRank,
		},
		core:    []string{"internal/conn"},
		readers: []string{"internal/cli"},
		walls: map[string][]string{
			"example.org/cmdline":      {"internal/cli"},
			"example.org/maths":        {"internal/stats"},
			"example.org/packets":      {"internal/subflow", "internal/tracegen"},
			"example.org/packets/wire": {"internal/tracegen"},
		},
	}
	tests := []struct {
		name string
		pkgs []string // what each imports
		want []string
	}{
		{"downwards", []string{"internal/mptcp: internal/seq fmt"}, nil},
		{"upwards", []string{"internal/seq: internal/mptcp"}, []string{"internal/seq (rank 0) -> internal/mptcp (rank 1): only lower ranks may be imported"}},
		{"same rank", []string{"internal/subflow: internal/dss"}, []string{"internal/subflow (rank 3) -> internal/dss (rank 3): only lower ranks may be imported"}},
		{"test support in the product", []string{"internal/cli: internal/tracegen"}, []string{"internal/cli (rank 9) -> internal/tracegen (rank 100): only lower ranks may be imported"}},
		{"no rank", []string{"internal/util: fmt"}, []string{"internal/util has no rank: give it one in internal/testdata/ranks.txt"}},
		{"a reader reaches what measures", []string{
			"internal/cli: internal/stats",
			"internal/stats: internal/seq",
			"internal/dss: internal/stats",
			"internal/seq: fmt internal/conn",
		}, []string{
			"internal/seq (rank 0) -> internal/conn (rank 4): only lower ranks may be imported",
			"internal/seq -> internal/conn: who reads a report (internal/cli) reaches nothing of what measured it",
			"internal/stats (rank 0) -> internal/seq (rank 0): only lower ranks may be imported",
		}},
		{"over a wall", []string{"internal/dss: example.org/cmdline/flags"}, []string{"internal/dss -> example.org/cmdline/flags: only internal/cli may import it"}},
		{"narrower wall inside", []string{"internal/subflow: example.org/packets example.org/packets/wire"}, []string{"internal/subflow -> example.org/packets/wire: only internal/tracegen may import it"}},
		{"library without a wall", []string{"internal/cli: example.org/assert"}, []string{"internal/cli -> example.org/assert: a library that no package may import"}},
		{"core reaches out through another package", []string{
			"internal/conn: internal/stats",
			"internal/stats: example.org/maths",
		}, []string{"internal/stats -> example.org/maths: the core (internal/conn) reaches the standard library only"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			pkgs := []listed{{ImportPath: "fmt", Standard: true}}
			for _, line := range tt.pkgs {
				from, imports, _ := strings.Cut(strings.ReplaceAll(line, "internal/", module+"/internal/"), ": ")
				pkgs = append(pkgs, listed{ImportPath: from, Imports: strings.Fields(imports)})
			}
			assert.Check(t, is.DeepEqual(small.violations(pkgs), tt.want), "violations")
		})
	}
}
