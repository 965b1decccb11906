package mutate_test

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime/debug"
	"runtime/metrics"
	"runtime/pprof"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"gotest.tools/v3/assert"

	"mpanalyze/internal/cli"
	"mpanalyze/internal/launch"
)

// form says what a command prints.
type form int

const (
	text   form = iota
	doc         // a JSON document by a schema
	lines       // a JSON document in each line
	loose       // JSON without a schema
	csv         // comma-separated values with a header
	tsv         // the same with tabs
	tables      // text; it writes a directory of tables
)

// command is a command line, and what it leaves.
type command struct {
	form form
	what string // the schema, as mpanalyze explain --schema names it, or the directory of tables
	line string // FILE is the mutated capture, PEER that of the other host, which is not mutated, OUT a directory
	args []string
}

// input is what a command works on.
type input struct {
	file, peer, dir string
	kinds           []string
}

// commands are the command lines that read a capture.
var commands = []command{
	{form: doc, what: "report", line: "analyze FILE --json"},
	{form: tables, what: "csv", line: "analyze FILE --decap --verbose --all --csv OUT/csv --parquet OUT/parquet --extra regret,fairness --stream bitrate=1M --interval 0"},
	{form: doc, what: "report", line: "analyze FILE --json --decap --from 10ms --to 1s --vantage b --stream bitrate=1M --extra fairness"},
	{line: "analyze FILE --xplot OUT/xplot --mptcptrace OUT/mptcptrace"},
	{line: "analyze FILE --fail-on goodput<5Mbit/s --fail-on path.*.srtt.p95>1ms --fail-on events.mp_fail>0 --fail-on verdicts.path_died>0 --junit OUT/gates.xml"},
	{form: doc, what: "report", line: "analyze --both FILE PEER --json"},
	{form: tables, what: "pairs", line: "analyze --both PEER FILE --tables chunks,series,packets --csv OUT/pairs --parquet OUT/parquet"},
	{line: "extract FILE --comments -o OUT/a.pcapng"},
	{form: doc, what: "compare", line: "compare a=FILE b=PEER --no-cache --allow places --json"},
	{form: csv, line: "compare a=FILE b=PEER --no-cache --allow places --csv -"},
	{form: tsv, line: "connections FILE"},
	{form: lines, what: "connections", line: "connections FILE --format json"},
	{form: csv, line: "connections FILE --csv"},
	{line: "connections FILE --distributions"},
	{form: csv, line: "connections FILE --distributions --format csv"},
	{form: csv, line: "connections FILE --distributions --format cdf"},
	{form: csv, line: "connections FILE --distributions --format hours"},
	{line: "counters FILE --all --host client"},
	{form: loose, line: "counters FILE --json"},
	{line: "diff FILE PEER --normalise --tolerance *=5% --json --junit OUT/junit.xml"},
	{line: "extract FILE --connection 0 -o OUT/x.pcapng"},
	{line: "follow FILE --direction a2b"},
	{line: "follow FILE --direction b2a --sha256"},
	{line: "live FILE"},
	{form: lines, what: "live", line: "live FILE --json --interval 100ms"},
	{form: tsv, line: "packets FILE"},
	{form: tsv, line: "packets FILE --events"},
	{form: lines, what: "packets", line: "packets FILE --format json --decap"},
	{form: lines, what: "events", line: "packets FILE --format json --events"},
	{line: "plot FILE FIGURES"},
	{line: "plot --sender FILE --receiver PEER FIGURES"},
	{line: "report FILE -o OUT/report.html"},
	{line: "task a=FILE --output OUT/results"},
	{line: "tcptrace -l -r -W FILE"},
	{line: "tcptrace --csv -r FILE"},
	{line: "why FILE --all --fail-on critical --tap OUT/why.tap"},
	{form: doc, what: "why", line: "why FILE --json"},
}

// once are the command lines that read no capture: TestEveryCommand runs them.
var once = []string{"explain --json", "explain --schema", "record --print", "version", "completion bash", "help"}

// both reports whether a command reads the capture of the other host as one with the mutated one.
func (c *command) both() bool {
	return strings.HasPrefix(c.line, "analyze --both") || strings.HasPrefix(c.line, "plot --sender")
}

// commandLines returns the command lines for a capture.
func commandLines(in *input) (all []command) {
	names := strings.NewReplacer("FILE", in.file, "PEER", in.peer, "OUT", in.dir)
	for _, c := range commands {
		for word := range strings.FieldsSeq(c.line) {
			if word == "FIGURES" {
				c.args = append(c.args, in.figures(c.both())...)
				continue
			}
			c.args = append(c.args, names.Replace(word))
		}
		if c.form == tables {
			c.what = filepath.Join(in.dir, c.what)
		}
		all = append(all, c)
	}
	return all
}

// figures are the arguments for every kind of figure that takes a pair of captures, or for every
// other one, in turn in each format.
func (in *input) figures(pairs bool) (args []string) {
	for i, kind := range in.kinds {
		if slices.Contains([]string{"owd", "arrival", "offset", "delay", "jitter", "rec16"}, kind) == pairs {
			format := []string{"svg", "png", "pdf"}[i%3]
			args = append(args, "--figure", kind+"="+filepath.Join(in.dir, kind+"."+format))
		}
	}
	return args
}

// TestEveryCommand: a new command gets its command lines here, and those that read no capture
// end well.
func TestEveryCommand(t *testing.T) {
	all := slices.Clone(once)
	for _, line := range once {
		r := run(t, strings.Fields(line))
		assert.Check(t, r.status == 0, "%s: status %d: %s", line, r.status, r.err)
	}
	for _, c := range commands {
		all = append(all, c.line)
	}
	known := map[string]bool{}
	for _, c := range cli.NewRoot(cli.Streams{}, cli.Engine{}, "").Commands() {
		known[c.Name()] = true
		if !c.Hidden && !slices.ContainsFunc(all, func(line string) bool { return strings.Fields(line)[0] == c.Name() }) {
			t.Errorf("commands lacks %s: mutated captures must go through it, too", c.Name())
		}
	}
	for _, line := range all {
		assert.Check(t, known[strings.Fields(line)[0]], "there is no command for %s", line)
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

const (
	// hangs is how long a command may take before it counts as one that does not end. On a
	// quiet machine none takes a second.
	hangs = 60 * time.Second
	// mostHeap bounds the heap while a command works on a capture of some hundred packets.
	mostHeap = 512 << 20
)

// result is what a command left.
type result struct {
	status   cli.ExitCode
	out, err string
	panicked string // with the stack
	heap     uint64 // most bytes seen in use
}

// run runs the program in this process. A panic of another goroutine ends the process with
// status 4; the file "running" beside the input then says what ran.
func run(t *testing.T, args []string) result {
	t.Helper()
	return runWith(t, strings.NewReader(""), args)
}

// runWith is run with a standard input.
func runWith(t *testing.T, in io.Reader, args []string) (r result) {
	t.Helper()
	var out, errs bytes.Buffer
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer func() {
			if p := recover(); p != nil {
				r.panicked = fmt.Sprintf("%v\n%s", p, debug.Stack())
			}
		}()
		r.status = cli.Main(args, cli.Streams{
			In: in, Out: &out, Err: &errs,
			Getenv: func(string) string { return "" }, Now: time.Now,
		}, launch.Engine(), "test")
	}()
	most := uint64(0)
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	late := time.After(hangs)
	for {
		select {
		case <-done:
			r.out, r.err, r.heap = out.String(), errs.String(), most
			return r
		case <-tick.C:
			most = max(most, heapInUse())
		case <-late:
			pprof.Lookup("goroutine").WriteTo(os.Stderr, 2)
			t.Fatalf("%q has not ended after %v", args, hangs)
		}
	}
}

func heapInUse() uint64 {
	sample := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	metrics.Read(sample)
	return sample[0].Value.Uint64()
}
