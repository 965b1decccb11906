package cli

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"mpanalyze/internal/results"
)

// notInFigures are the flags of task and compare that do not change the figures of a run, in
// groups. Every other flag is kept in results: compare --results refuses another value.
var notInFigures = slices.Concat(
	[]string{"pattern", "manifest", "baseline", "single", "shard", "results"}, // which runs there are
	[]string{"evidence"}, // the content of records is in the key of a result
	[]string{"jobs", "no-cache"},
	[]string{"output", "prune", "json", "csv", "values", "parquet", "tables", "artefact", "latex", "junit", "tap", "github"}, // where outputs are written
	[]string{"direction", "table", "metric", "within", "factor", "allow", "confidence", "fail-on"},                           // what is done with figures
	[]string{"rank", "limit", "steady"},
	[]string{"style"}, // how a table looks
	[]string{"progress", "help", "help-all"},
)

// eachFigureFlag calls f for each flag of a command that changes figures, with its value, empty for
// the default.
func eachFigureFlag(c *cobra.Command, f func(flag *pflag.Flag, value string)) {
	c.Flags().VisitAll(func(flag *pflag.Flag) {
		if slices.Contains(notInFigures, flag.Name) {
			return
		}
		value := flag.Value.String()
		if value == flag.DefValue {
			value = ""
		}
		f(flag, value)
	})
}

// figureFlags returns the flags that results are made with: those that change figures and do not
// have their default.
func figureFlags(c *cobra.Command) map[string]string {
	flags := map[string]string{}
	eachFigureFlag(c, func(f *pflag.Flag, value string) {
		if value != "" {
			flags[f.Name] = value
		}
	})
	return flags
}

// unlikeResults says which flags of the command line results were not made with.
func unlikeResults(c *cobra.Command, m *results.Merged) (lines []string) {
	eachFigureFlag(c, func(f *pflag.Flag, value string) {
		if !f.Changed {
			return
		}
		for _, flags := range m.Flags {
			if was := flags[f.Name]; was != value {
				lines = append(lines, fmt.Sprintf("--%s %s: results were made with %s; give the flag to mpanalyze task, which makes the results", f.Name, f.Value, cmp.Or(was, f.DefValue, "none")))
				return
			}
		}
	})
	return lines
}
