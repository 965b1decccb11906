package cli

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/pflag"
	"gotest.tools/v3/assert"

	"mpanalyze/internal/csvtables"
	"mpanalyze/internal/sentences"
)

// said returns what a command line prints.
func said(t *testing.T, args ...string) string {
	t.Helper()
	var out bytes.Buffer
	root := NewRoot(Streams{Out: &out, Getenv: func(string) string { return "" }}, Engine{}, "")
	root.SetArgs(args)
	assert.NilError(t, root.Execute())
	return out.String()
}

// TestExplainWhole: explain metrics and explain verdicts have each entry of explain once, by its name, and no other;
// below the verdicts stands how often they are right.
func TestExplainWhole(t *testing.T) {
	var got []string
	for _, word := range []string{"metrics", "verdicts"} {
		text, below, found := strings.Cut(said(t, "explain", word), "\n## ")
		assert.Check(t, found == (word == "verdicts") && strings.Contains(below, "| `path_died` |") == found, "%s", word)
		for block := range strings.SplitSeq(strings.TrimSpace(text), "\n\n") {
			if title, rest, _ := strings.Cut(block, "\n"); strings.HasPrefix(rest, "  in reports") {
				name, _, _ := strings.Cut(title, " (")
				got = append(got, name)
			}
		}
	}
	var want []string
	for _, m := range explained() {
		want = append(want, m.Name)
	}
	slices.Sort(got)
	slices.Sort(want)
	assert.DeepEqual(t, got, want)
	assert.Check(t, len(sentences.Codes()) >= 50 && slices.Contains(got, "path_died") && slices.Contains(got, "srtt"))
}

// TestExplainTables: a line for each column of each table, in the order of the table.
func TestExplainTables(t *testing.T) {
	tables := csvtables.Tables()
	lines := strings.Split(strings.TrimSuffix(said(t, "explain", "tables"), "\n"), "\n")[1:]
	for _, table := range tables {
		for _, c := range table.Columns {
			want := table.Name + "\t" + c.Name + "\t" + c.Type + "\t"
			assert.Assert(t, len(lines) > 0 && strings.HasPrefix(lines[0], want) && len(lines[0]) > len(want), "want %q first of %.1q", want, lines)
			lines = lines[1:]
		}
	}
	assert.Check(t, len(lines) == 0, "%d lines too many", len(lines))
}

// TestExplainFlags: each flag of each command that is not hidden stands in one line with that command, below its purpose.
func TestExplainFlags(t *testing.T) {
	listed := map[string]int{}
	for line := range strings.Lines(said(t, "explain", "flags")) {
		cells := strings.Split(strings.TrimSpace(line), "\t")
		assert.Assert(t, len(cells) == 4 && cells[2] != "", "%q", line)
		for c := range strings.FieldsSeq(cells[3]) {
			flag, short, _ := strings.Cut(cells[1], ", ")
			listed[c+" "+cells[0]+" "+flag+short]++
		}
	}
	root, want := NewRoot(Streams{}, Engine{}, ""), 0
	for _, c := range root.Commands() {
		c.InheritedFlags()
		c.Flags().VisitAll(func(f *pflag.Flag) {
			if key := c.Name() + " " + purposes[max(0, purposeOf(f))].title + " --" + f.Name; !c.Hidden && !f.Hidden {
				if f.Shorthand != "" {
					key += "-" + f.Shorthand
				}
				want++
				assert.Check(t, listed[key] == 1, "%s: %d lines", key, listed[key])
			}
		})
	}
	assert.Check(t, want >= 100 && len(listed) == want+2, "%d pairs of command and flag, and %d are listed, with the header and --version", want, len(listed))
}

// TestExplainWholeJSON: the entries of a list as JSON; rows of tables and flags have none.
func TestExplainWholeJSON(t *testing.T) {
	text := said(t, "explain", "verdicts", "--json")
	assert.Check(t, strings.Contains(text, `"path_died"`) && !strings.Contains(text, `"srtt"`))
	for _, word := range []string{"tables", "flags"} {
		root := NewRoot(Streams{Getenv: func(string) string { return "" }}, Engine{}, "")
		root.SetArgs([]string{"explain", word, "--json"})
		assert.ErrorContains(t, root.Execute(), "explain "+word+" has no --json")
	}
}
