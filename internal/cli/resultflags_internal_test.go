package cli

import (
	"slices"
	"strings"
	"testing"

	"github.com/spf13/pflag"
	"gotest.tools/v3/assert"

	"mpanalyze/internal/results"
)

// inFigures are the flags that change figures.
var inFigures = []string{
	"bitrate", "clock", "connection", "decap", "end", "filter", "interval", "label", "max-memory", "message-gap", "metrics", "playout",
	"qoe-alpha", "qoe-beta", "qoe-gamma", "regret", "skip", "vantage",
}

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
	made := []map[string]string{{"end": "receiver", "skip": "1s"}, {"skip": "1s"}}
	for args, want := range map[string]string{
		"":                               "",
		"--skip 1000ms":                  "",
		"--skip 0s":                      "--skip 0s: results were made with 1s",
		"--skip 2s":                      "--skip 2s: results were made with 1s",
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
