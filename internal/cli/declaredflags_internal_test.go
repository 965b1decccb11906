package cli

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/pflag"
	"gotest.tools/v3/assert"

	"mpanalyze/internal/results"
)

// TestPurposes: each flag has one purpose, each purpose names flags that there are, and the
// flags that come first are flags of their command, at most five.
func TestPurposes(t *testing.T) {
	root := NewRoot(Streams{}, Engine{}, "")
	known := map[string]bool{}
	for _, c := range append(root.Commands(), root) {
		if c.Hidden {
			continue
		}
		c.InheritedFlags()
		c.Flags().VisitAll(func(f *pflag.Flag) {
			known[f.Name] = true
			assert.Check(t, f.Hidden || purposeOf(f) >= 0, "%s --%s has no purpose: give it one in purposes.txt", c.Name(), f.Name)
		})
		flags := strings.Fields(c.Annotations[firstFlags])
		for _, name := range flags {
			assert.Check(t, c.Flags().Lookup(strings.TrimPrefix(name, "--")) != nil, "%s has no flag %s to begin its help with", c.Name(), name)
		}
		assert.Check(t, len(flags) <= 5, "the help of %s begins with %d flags, want at most 5", c.Name(), len(flags))
	}
	var seen []string
	for _, p := range purposes {
		for _, name := range p.names {
			assert.Check(t, !slices.Contains(seen, name) && known[name], "%s: --%s has two purposes, or no command has it", p.title, name)
			seen = append(seen, name)
		}
	}
}

// namesNoFile are flags whose help speaks of files, and whose value names none.
var namesNoFile = []string{"pace", "format"}

// TestFlagsOfFiles: each flag that names a file or a directory says what the command does with it. So
// keepApart knows of every one.
func TestFlagsOfFiles(t *testing.T) {
	files := regexp.MustCompile(`FILE|DIR|PATH|PATTERN|\b(file|directory|folder)s?\b`)
	found := map[string]int{}
	for _, c := range newRoot(&app{Streams: System()}, "").Commands() {
		c.Flags().VisitAll(func(f *pflag.Flag) {
			use := f.Annotations[useAnnotation]
			if use != nil {
				found[use[0]]++
				return
			}
			assert.Check(t, f.Value.Type() == "bool" || !files.MatchString(f.Usage) || slices.Contains(namesNoFile, f.Name),
				"%s --%s: does the command read or write it? %s", c.Name(), f.Name, f.Usage)
		})
	}
	for _, use := range []string{readsFile, writesFile, findsRuns} {
		assert.Check(t, found[use] >= 5, "only %d flags say: %s", found[use], use)
	}
}

// notInFigures are the flags of task and compare that do not change the figures of a run, in groups.
var notInFigures = slices.Concat(
	[]string{"pattern", "manifest", "baseline", "single", "shard", "results"}, // which runs there are
	[]string{"evidence"}, // the content of records is in the key of a result
	[]string{"jobs", "no-cache"},
	[]string{"output", "json", "csv", "values", "parquet", "artefact", "latex", "junit", "tap", "github"}, // where outputs are written
	[]string{"direction", "table", "metric", "within", "factor", "allow", "confidence", "fail-on"},        // what is done with figures
	[]string{"rank", "limit", "steady"},
	[]string{"style"}, // how a table looks
	[]string{"progress", "help", "help-all"},
)

// TestEachFlagIsDeclared: a flag of task and compare either changes figures, and then both have it,
// so that a result is never merged as one of another value; or it is declared not to change any.
func TestEachFlagIsDeclared(t *testing.T) {
	root := NewRoot(Streams{}, Engine{}, "")
	there := map[string]bool{}
	for _, command := range []string{"task", "compare"} {
		c, _, err := root.Find([]string{command})
		assert.NilError(t, err)
		var made []string
		each := func(f *pflag.Flag) {
			there[f.Name] = true
			if !slices.Contains(notInFigures, f.Name) && !slices.Contains(made, f.Name) {
				made = append(made, f.Name)
			}
		}
		c.InheritedFlags().VisitAll(each)
		c.Flags().VisitAll(each)
		slices.Sort(made)
		for _, name := range made {
			assert.Check(t, slices.Contains(inFigures, name),
				"--%s of %s: does it change the figures of a run? Then task and compare need it, and this test; else declare it in notInFigures", name, command)
		}
		for _, name := range inFigures {
			assert.Check(t, slices.Contains(made, name), "%s has no flag --%s that is part of a result", command, name)
		}
	}
	for _, name := range notInFigures {
		assert.Check(t, there[name], "notInFigures declares --%s, which neither command has", name)
	}
}

// TestUnlikeResults: a flag that changes figures and was given to compare has to be that of the
// results, its default as well.
func TestUnlikeResults(t *testing.T) {
	made := []map[string]string{{"end": "receiver", "from": "1s"}, {"from": "1s"}}
	for args, want := range map[string]string{
		"":                               "",
		"--from 1000ms":                  "",
		"--from 0s":                      "--from 0s: results were made with 1s",
		"--from 2s":                      "--from 2s: results were made with 1s",
		"--end sender":                   "--end sender: results were made with receiver",
		"--end receiver":                 "--end receiver: results were made with sender",
		"--vantage a":                    "--vantage a: results were made with none",
		"--connection 3":                 "--connection 3: results were made with -1",
		"--label 10.0.0.1=x --json=x":    "--label [10.0.0.1=x]: results were made with []",
		"--table qoe24 --interval 100ms": "",
	} {
		c := newCompare(&app{})
		assert.NilError(t, c.ParseFlags(strings.Fields(args)))
		got := strings.Join(unlikeResults(c, &results.Merged{Flags: made}), "\n")
		assert.Check(t, (want != "" || got == "") && strings.HasPrefix(got, want) && !strings.Contains(got, "\n"), "%q: %q, want %q", args, got, want)
	}
}
