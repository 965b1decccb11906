package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"

	"github.com/spf13/cobra"

	"mpanalyze/internal/campaign"
	"mpanalyze/internal/crash"
	"mpanalyze/internal/engine"
	"mpanalyze/internal/results"
)

// figuresOptions is the command line of figures.
type figuresOptions struct {
	runOptions
	shard string
	out   string
	stdin bool
}

const figuresHelp = `Analyse the runs of a campaign, or a part of them, and write a small result for
each: its figures, or why there are none. mpanalyze compare --results makes of
the results of all tasks what mpanalyze compare makes of the captures.

Runs are named as for compare, by --pattern, --manifest or NAME=FILE,FILE,...
--shard 3/100 takes the third of 100 equal parts, so that 100 tasks with the
same list analyse it together, on any number of machines. Each result appears in
--out as a whole or not at all. A task that is started again leaves out runs
whose result is there already, of the same content, options and build of the
program: one that was killed repeats nothing and loses nothing.

With --stdin a path is read per line, of a run in the list or, without a list, of
any capture or report, and a result is written per line, in the same order, for
programs that pipe. Empty lines are left out.

A file that is shorter than the column bytes of the manifest says is cut, and is
left out with that reason. Without that column a capture that was cut between
two packets looks whole.

Exit status 2 says that runs were left out, as compare does; their results say
why.`

const figuresExamples = `  mpanalyze figures --manifest runs.csv --shard 3/100 --out results
  mpanalyze figures --pattern 'runs/{scenario}/run{run}/client.pcap' --out results
  mpanalyze compare --results results
  cat paths.txt | mpanalyze figures --stdin --manifest runs.csv > part.jsonl`

func newFigures(a *app) *cobra.Command {
	o := &figuresOptions{}
	c := &cobra.Command{
		Use:     "figures [NAME=FILE,FILE,...]... {--out DIR | --stdin}",
		Short:   "Analyse a part of a campaign, for compare --results",
		Long:    figuresHelp,
		Example: figuresExamples,
		RunE:    func(c *cobra.Command, args []string) error { return a.figures(c, o, args) },
	}
	o.runOptions.register(c)
	f := c.Flags()
	f.StringVar(&o.shard, "shard", "", "take part `I/N` of the runs, as in 3/100, from 1/100 to 100/100")
	f.StringVar(&o.out, "out", "", "write a file for each run into the directory `DIR`")
	f.BoolVar(&o.stdin, "stdin", false, "read a path per line from standard input and write a result per line to standard output")
	c.MarkFlagsMutuallyExclusive("out", "stdin")
	c.MarkFlagsMutuallyExclusive("shard", "stdin")
	return c
}

// part reads --shard: the part from 1, and how many there are.
func (o *figuresOptions) part() (i, of int, err error) {
	if o.shard == "" {
		return 1, 1, nil
	}
	first, second, _ := strings.Cut(o.shard, "/")
	i, e1 := strconv.Atoi(first)
	of, e2 := strconv.Atoi(second)
	if e1 != nil || e2 != nil || i < 1 || i > of {
		return 0, 0, fmt.Errorf("--shard %s: want I/N, as in 3/100, with I from 1 to N", o.shard)
	}
	return i, of, nil
}

// figuring is a task: the list of all runs, and how they are analysed.
type figuring struct {
	co      engine.CampaignOptions
	program string
	list    string // hash of the list of runs; empty for none
}

func (a *app) figures(c *cobra.Command, o *figuresOptions, args []string) error {
	i, of, err := o.part()
	err = errors.Join(err, o.check())
	if o.out == "" && !o.stdin {
		err = errors.Join(err, errors.New("no place for results; name a directory with --out, or use --stdin"))
	}
	if err != nil {
		return &usageError{c.CommandPath(), err}
	}
	t := &figuring{program: a.programIdentity()}
	if t.co, err = o.campaignOptions(a, c); err != nil {
		return err
	}
	if !o.stdin || len(args) > 0 || o.pattern != "" || o.manifest != "" {
		if t.co.Inputs, err = o.inputs(args); err != nil {
			return &usageError{c.CommandPath(), err}
		}
		t.list = results.ListOf(t.co.Inputs)
	}
	if o.stdin {
		return a.figuresOfLines(c.Context(), t)
	}
	return a.figuresInto(c, t, o.out, i, of)
}

// result analyses a run of the list, or one without a list, whose place then is negative.
func (t *figuring) result(ctx context.Context, in *campaign.Input, place int) (*results.Result, error) {
	r, err := t.co.Figures(ctx, in, t.program)
	if err == nil {
		t.place(r, in, place)
	}
	return r, err
}

// place notes which run of which list a result is of.
func (t *figuring) place(r *results.Result, in *campaign.Input, place int) {
	r.Input = *in
	if r.List, r.Index, r.Of = "", 0, 0; place >= 0 {
		r.List, r.Index, r.Of = t.list, place, len(t.co.Inputs)
	}
}

// counts is what became of the runs of a task.
type counts struct{ analysed, current, skipped atomic.Int64 }

// figuresInto analyses part i of n of the runs and writes their results into a directory.
func (a *app) figuresInto(c *cobra.Command, t *figuring, dir string, i, n int) error {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	names, places := results.FileNames(t.co.Inputs), []int{}
	for k := i - 1; k < len(t.co.Inputs); k += n {
		places = append(places, k)
	}
	if t.co.Workers == 0 {
		t.co.Workers = cores()
	}
	var count counts
	done, errs := new(atomic.Int64), make([]error, len(places))
	stop := a.showRuns(done, len(places))
	ctx, cancel := context.WithCancel(c.Context())
	defer cancel()
	engine.Each(ctx, t.co.Workers, len(places), func(k int) {
		if errs[k] = t.into(ctx, filepath.Join(dir, names[places[k]]), places[k], &count); errs[k] != nil {
			cancel() // a full disk does not become better
		}
		done.Add(1)
	})
	stop()
	if err := c.Context().Err(); err != nil {
		return err
	}
	for _, err := range errs {
		if err != nil && !errors.Is(err, context.Canceled) {
			return err
		}
	}
	fmt.Fprintf(a.Out, "%s: %d analysed, %d done before, %d skipped\n", countOfRuns(len(places)), count.analysed.Load(), count.current.Load(), count.skipped.Load())
	if count.skipped.Load() > 0 {
		return &statusError{code: ExitDamaged}
	}
	return nil
}

func countOfRuns(n int) string {
	if n == 1 {
		return "1 run"
	}
	return strconv.Itoa(n) + " runs"
}

// into writes the result of a run unless it is there.
func (t *figuring) into(ctx context.Context, file string, place int, count *counts) (err error) {
	in := &t.co.Inputs[place]
	r := results.Load(file)
	if t.co.Current(r, in, t.program) {
		count.current.Add(1)
		same := r.List == t.list && r.Index == place && r.Of == len(t.co.Inputs)
		if t.place(r, in, place); !same {
			err = r.Write(file)
		}
	} else {
		if r, err = t.result(ctx, in, place); err != nil {
			return err
		}
		if r.Content != "" {
			count.analysed.Add(1)
		}
		err = r.Write(file)
	}
	if r.Skipped != "" {
		count.skipped.Add(1)
	}
	return err
}

// longestLine is how long a path on standard input may be, bytes.
const longestLine = 1 << 20

// unlisted is the scenario of runs that no list names.
const unlisted = "runs"

// answer is the result of a line of standard input.
type answer struct {
	result *results.Result
	err    error
}

// figuresOfLines answers each path on standard input with the result of its run. Results
// leave in the order of the paths.
func (a *app) figuresOfLines(ctx context.Context, t *figuring) error {
	if t.co.Workers == 0 {
		t.co.Workers = cores()
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	of := map[string]int{}
	for i := range t.co.Inputs {
		for _, name := range t.co.Inputs[i].AllFiles() {
			of[filepath.Clean(name)] = i
		}
	}
	waiting := make(chan chan answer, t.co.Workers-1)
	var read error
	go func() {
		defer close(waiting)
		defer crash.Catch()
		lines := bufio.NewScanner(a.In)
		lines.Buffer(nil, longestLine)
		for ctx.Err() == nil && lines.Scan() {
			path := strings.TrimSpace(lines.Text())
			if path == "" {
				continue
			}
			one := make(chan answer, 1)
			select {
			case waiting <- one:
			case <-ctx.Done():
				return
			}
			go func() {
				defer crash.Catch()
				r, err := t.ofPath(ctx, of, path)
				one <- answer{r, err}
			}()
		}
		read = lines.Err()
	}()
	skipped, err := a.writeAnswers(waiting)
	if err != nil {
		return err
	}
	if err := errors.Join(ctx.Err(), read); err != nil {
		return err
	}
	if skipped {
		return &statusError{code: ExitDamaged}
	}
	return nil
}

// writeAnswers writes results as lines, each as soon as it is there and those before it are.
func (a *app) writeAnswers(waiting <-chan chan answer) (skipped bool, err error) {
	for one := range waiting {
		got := <-one
		if got.err != nil {
			return skipped, got.err
		}
		line, err := got.result.Append(nil)
		if err != nil {
			return skipped, err
		}
		if _, err := a.Out.Write(line); err != nil {
			return skipped, err
		}
		skipped = skipped || got.result.Skipped != ""
	}
	return skipped, nil
}

// ofPath analyses the run of the list that a file belongs to, or without a list the file.
func (t *figuring) ofPath(ctx context.Context, of map[string]int, path string) (*results.Result, error) {
	if t.list == "" {
		return t.result(ctx, &campaign.Input{Scenario: unlisted, Name: path, Files: []string{path}}, -1)
	}
	i, found := of[filepath.Clean(path)]
	if !found {
		return nil, fmt.Errorf("%s: is a file of no run in the list; want paths as --manifest or --pattern gives them", path)
	}
	return t.result(ctx, &t.co.Inputs[i], i)
}
