package mutate_test

import (
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"mpanalyze/internal/cli"
)

// form says what a command prints.
type form int

const (
	text  form = iota
	doc        // a JSON document by a schema
	lines      // a JSON document in each line
	loose      // JSON without a schema
	csv        // comma-separated values with a header
	tsv        // the same with tabs
)

// command is a command line, and what it leaves.
type command struct {
	args   []string
	form   form
	schema string // as mpanalyze schema names it
	tables string // a directory of tables that it writes; "" for none
	both   bool   // it reads the capture of the other host, too
}

// input is what a command works on.
type input struct {
	file  string // the mutated capture
	peer  string // of the other host, not mutated
	dir   string // for outputs
	kinds []string
}

func (in *input) path(name string) string { return filepath.Join(in.dir, name) }

// commands has the command lines of each command. Those that read no capture run once.
var commands = map[string]func(in *input) []command{
	"analyze": analyze,
	"packets": packets,
	"live":    live,
	"why":     why,
	"report":  func(in *input) []command { return plain("report", in.file, "-o", in.path("report.html")) },
	"plot":    plots,
	"compare": compare,
	"task":    func(in *input) []command { return plain("task", "a="+in.file, "--output", in.path("results")) },
	"extract": func(in *input) []command {
		return plain("extract", in.file, "--connection", "0", "-o", in.path("x.pcapng"))
	},
	"annotate": func(in *input) []command {
		return plain("annotate", in.file, "-o", in.path("a.pcapng"))
	},
	"follow":      follow,
	"tcptrace":    tcptrace,
	"connections": connections,
	"counters":    counters,
	"diff":        diffs,

	"explain":    once("explain", "--json"),
	"schema":     once("schema"),
	"record":     once("record", "--print"),
	"version":    once("version"),
	"completion": once("completion", "bash"),
	"help":       once("help"),
}

// once is a command that reads no capture: TestEveryCommand runs it.
func once(args ...string) func(*input) []command {
	return func(in *input) []command {
		if in.file != "" {
			return nil
		}
		return plain(args...)
	}
}

func plain(args ...string) []command { return []command{{args: args}} }

func analyze(in *input) []command {
	return append([]command{
		{args: []string{"analyze", in.file, "--json"}, form: doc, schema: "report"},
		{args: []string{"analyze", in.file, "--decap", "--verbose", "--all", "--csv", in.path("csv"), "--parquet", in.path("parquet"), "--regret", "--fairness", "--bitrate", "1M", "--interval", "0"}, tables: in.path("csv")},
		{args: []string{"analyze", in.file, "--json", "--decap", "--skip", "10ms", "--until", "1s", "--vantage", "b", "--bitrate", "1M", "--fairness"}, form: doc, schema: "report"},
		{args: []string{"analyze", in.file, "--xplot", in.path("xplot"), "--mptcptrace", in.path("mptcptrace")}},
		{args: []string{"analyze", in.file, "--fail-on", "goodput < 5Mbit/s", "--fail-on", "path.*.srtt.p95 > 1ms", "--junit", in.path("gates.xml"), "--trace", in.path("trace.json")}},
	}, both(in)...)
}

// diffs compares the captures of two hosts.
func diffs(in *input) []command {
	return []command{{args: []string{"diff", in.file, in.peer, "--normalise", "--tolerance", "*=5%", "--junit", in.path("junit.xml")}}}
}

func packets(in *input) []command {
	return []command{
		{args: []string{"packets", in.file}, form: tsv},
		{args: []string{"packets", in.file, "--events"}, form: tsv},
		{args: []string{"packets", in.file, "--json", "--decap"}, form: lines, schema: "packets"},
		{args: []string{"packets", in.file, "--json", "--events"}, form: lines, schema: "events"},
	}
}

func live(in *input) []command {
	return []command{
		{args: []string{"live", in.file}},
		{args: []string{"live", in.file, "--json", "--interval", "100ms"}, form: lines, schema: "live"},
	}
}

func why(in *input) []command {
	return []command{
		{args: []string{"why", in.file, "--all", "--fail-on", "critical"}},
		{args: []string{"why", in.file, "--json"}, form: doc, schema: "why"},
	}
}

// plots draws every kind, all that go together with one command, and one alone.
func plots(in *input) (all []command) {
	args := []string{"plot", in.file}
	pairs := []string{"plot", "--sender", in.file, "--receiver", in.peer}
	for i, kind := range in.kinds {
		switch kind {
		case "owd", "arrival", "offset", "delay", "jitter", "rec16":
			pairs = append(pairs, "--figure", kind+"="+in.path("pair-"+kind+".svg"))
		default:
			format := []string{"svg", "png", "pdf"}[i%3]
			args = append(args, "--figure", kind+"="+in.path(kind+"."+format))
		}
	}
	return []command{{args: args}, {args: pairs, both: true}}
}

func compare(in *input) []command {
	return []command{
		{args: []string{"compare", "a=" + in.file, "b=" + in.peer, "--no-cache", "--mix-vantages", "--json"}, form: doc, schema: "compare"},
		{args: []string{"compare", "a=" + in.file, "b=" + in.peer, "--no-cache", "--mix-vantages", "--csv", "-"}, form: csv},
	}
}

func follow(in *input) []command {
	return []command{
		{args: []string{"follow", in.file, "--direction", "a2b"}},
		{args: []string{"follow", in.file, "--direction", "b2a", "--sha256"}},
	}
}

func tcptrace(in *input) []command {
	return []command{
		{args: []string{"tcptrace", "-l", "-r", "-W", in.file}},
		{args: []string{"tcptrace", "--csv", "-r", in.file}},
	}
}

func connections(in *input) []command {
	return []command{
		{args: []string{"connections", in.file}, form: tsv},
		{args: []string{"connections", in.file, "--json"}, form: lines, schema: "connections"},
		{args: []string{"connections", in.file, "--csv"}, form: csv},
		{args: []string{"connections", in.file, "--distributions"}},
		{args: []string{"connections", in.file, "--distributions", "--format", "csv"}, form: csv},
		{args: []string{"connections", in.file, "--distributions", "--format", "cdf"}, form: csv},
		{args: []string{"connections", in.file, "--distributions", "--format", "hours"}, form: csv},
	}
}

func counters(in *input) []command {
	return []command{
		{args: []string{"counters", in.file, "--all", "--host", "client"}},
		{args: []string{"counters", in.file, "--json"}, form: loose},
	}
}

// both is analyze with captures of both hosts.
func both(in *input) []command {
	return []command{
		{args: []string{"analyze", "--both", in.file, in.peer, "--json"}, form: doc, schema: "report", both: true},
		{args: []string{"analyze", "--both", in.peer, in.file, "--packets", "--csv", in.path("pairs"), "--parquet", in.path("parquet")}, tables: in.path("pairs"), both: true},
	}
}

// commandLines returns the command lines of all commands.
func commandLines(in *input) (all []command) {
	for _, c := range cli.NewRoot(cli.Streams{}, cli.Engine{}, "").Commands() {
		if commands[c.Name()] != nil {
			all = append(all, commands[c.Name()](in)...)
		}
	}
	return all
}

// TestEveryCommand: a new command gets its command lines here, and those that read no capture
// end well.
func TestEveryCommand(t *testing.T) {
	var names []string
	for _, c := range cli.NewRoot(cli.Streams{}, cli.Engine{}, "").Commands() {
		if c.Hidden {
			continue
		}
		names = append(names, c.Name())
		of, known := commands[c.Name()]
		if !known {
			t.Errorf("commands lacks %s: mutated captures must go through it, too", c.Name())
			continue
		}
		if in := new(input); of(&input{file: "x"}) == nil {
			for _, line := range of(in) {
				if r := run(t, line.args); r.status != 0 {
					t.Errorf("%q: status %d: %s", line.args, r.status, r.err)
				}
			}
		}
	}
	for name := range commands {
		if !slices.Contains(names, name) {
			t.Errorf("there is no command %s", name)
		}
	}
}

// plotKinds asks the program for its kinds of figures.
func plotKinds(t *testing.T) (kinds []string) {
	t.Helper()
	for line := range strings.Lines(run(t, []string{"__complete", "plot", "--kind", ""}).out) {
		if kind, _, _ := strings.Cut(strings.TrimSpace(line), "\t"); kind != "" && kind[0] != ':' {
			kinds = append(kinds, kind)
		}
	}
	if len(kinds) < 10 {
		t.Fatalf("kinds of figures: %s, which is too few to be all", strconv.Quote(strings.Join(kinds, " ")))
	}
	return kinds
}
