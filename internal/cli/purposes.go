package cli

import (
	"slices"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// groups are the commands by what they are for, in the order of the help.
var groups = []struct {
	title    string
	commands []string
}{
	{"Captures of a session:", []string{"analyze", "why", "connections", "packets", "plot", "report"}},
	{"Many runs:", []string{"compare", "task", "diff"}},
	{"On a host:", []string{"live", "record", "counters"}},
	{"For other programs:", []string{"extract", "follow", "tcptrace"}},
	{"About the program:", []string{"explain", "help"}}, // completion, schema and version are not listed,
}

// group puts the commands below root into their groups.
func group(root *cobra.Command) {
	for _, g := range groups {
		root.AddGroup(&cobra.Group{ID: g.title, Title: g.title})
		for _, c := range root.Commands() {
			if slices.Contains(g.commands, c.Name()) {
				c.GroupID = g.title
			}
		}
	}
}

// purpose is a group of flags in the full help.
type purpose struct {
	title string
	flags []string
}

// purposes are these groups in their order. A flag has one purpose in all commands, but for those with [asFlag].
var purposes = []purpose{
	{"What to read", []string{
		"sender", "receiver", "both", "pattern", "manifest", "run", "results", "allow", "shard", "prune", "filter", "decap", "label", "vantage",
		"clock", "evidence", "overlay", "interface", "user", "host",
	}},
	{"What to look at", []string{
		"schema", "connection", "direction", "subflow", "end", "only", "events", "field", "tcp",
		"from", "to", "pace", "all", "each", "top", "kernel",
	}},
	{"What to measure", []string{
		"metric", "interval", "stream", "extra", "qoe",
		"distributions", "owin", "rtt", "sha256",
	}},
	{"What to compare", []string{
		"baseline", "single", "within", "factor", "confidence", "rank", "limit", "steady", "values",
	}},
	{"What to judge", []string{"fail-on", "tolerance", "diff", "normalise", "update", "junit", "tap", "github"}},
	{"What to write", []string{
		"json", "csv", "parquet", "tables", "xplot", "mptcptrace", "latex", "comments",
		"metrics-file", "trace", "table", "artefact", "output", "format", "print",
	}},
	{"How figures look", []string{
		"kind", "figure", "style", "x", "facet", "log", "xlim", "ylim", "width",
	}},
	{"How the program runs", []string{
		"max-memory", "jobs", "no-cache", "color", "progress", "verbose", "help", "help-all", "version",
	}},
}

// first are the flags that most users of a command need first, at most five. The help of a
// command begins with them.
var first = map[string][]string{
	"diff":        {"tolerance", "normalise", "update", "junit"},
	"analyze":     {"json", "csv", "label", "evidence", "fail-on"},
	"compare":     {"pattern", "metric", "table", "baseline", "latex"},
	"connections": {"format", "label", "filter", "distributions"},
	"counters":    {"diff", "json", "host"},
	"explain":     {"json", "schema"},
	"extract":     {"output", "connection", "subflow", "comments", "filter"},
	"task":        {"manifest", "pattern", "shard", "output", "prune"},
	"follow":      {"connection", "direction", "sha256"},
	"live":        {"interface", "interval", "top", "json"},
	"packets":     {"connection", "field", "only", "events", "format"},
	"plot":        {"kind", "metric", "connection", "style", "output"},
	"record":      {"interface", "print"},
	"report":      {"output", "label", "evidence", "connection"},
	"tcptrace":    {"rtt", "csv", "format", "filter"},
	"why":         {"fail-on", "json", "evidence", "kernel", "connection"},
}

// asFlag is the annotation of a flag that has the purpose of another one, because its name means something else in another command.
const asFlag = "purpose of"

// purposeOf returns the index of the purpose of a flag, or -1.
func purposeOf(f *pflag.Flag) int {
	name := f.Name
	if as := f.Annotations[asFlag]; as != nil {
		name = as[0]
	}
	return slices.IndexFunc(purposes, func(p purpose) bool { return slices.Contains(p.flags, name) })
}

// byPurpose returns the flags that are not hidden, in the order of their purposes.
func byPurpose(flags *pflag.FlagSet) [][]*pflag.Flag {
	groups := make([][]*pflag.Flag, len(purposes))
	flags.VisitAll(func(f *pflag.Flag) {
		if i := purposeOf(f); i >= 0 && !f.Hidden {
			groups[i] = append(groups[i], f)
		}
	})
	return groups
}
