package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/spf13/cobra"

	"mpanalyze/internal/campaign"
	"mpanalyze/internal/crash"
	"mpanalyze/internal/results"
	"mpanalyze/internal/runs"
	"mpanalyze/internal/storage"
	"mpanalyze/internal/textwrap"
)

// taskOptions is the command line of task.
type taskOptions struct {
	runOptions
	shard string
	out   string
}

func newTask(a *app) *cobra.Command {
	o := &taskOptions{}
	c := command("task", nil, withOptions(a.runTask, o))
	o.runOptions.register(c)
	f := c.Flags()
	f.StringVar(&o.shard, "shard", "", "take part `I/N` of the runs, as in 3/100, from 1/100 to 100/100")
	f.StringVarP(&o.out, "output", "o", "", "write a file for each run into the directory `DIR`")
	writes(c, "output") // a result has a hash in its name, so it replaces no other file
	return c
}

// part reads --shard. It returns the number of the part, from 1, and the number of parts.
func (o *taskOptions) part() (i, of int, err error) {
	if o.shard == "" {
		return 1, 1, nil
	}
	first, second, _ := strings.Cut(o.shard, "/")
	i, e1 := strconv.Atoi(first)
	of, e2 := strconv.Atoi(second)
	return i, of, refuse(e1 != nil || e2 != nil || i < 1 || i > of, "--shard %s: want I/N, as in 3/100, with I from 1 to N", o.shard)
}

// task holds the runs of the command task, and how they are analysed.
type task struct {
	co      runs.Options
	program string
	list    string            // hash of the list of runs
	flags   map[string]string // that change figures, for results
	out     string            // directory of results; empty for none
	names   []string          // of the files in out, one for each run of the list
	// before holds the names of the results that exist already. In object storage one list saves
	// a request for each result. It is nil where no such list was made.
	before map[string]bool

	all, analysed, current, skipped, again int // counts of runs
}

// runTask is the command task.
func (a *app) runTask(c *cobra.Command, o *taskOptions, args []string) error {
	i, of, err := o.part()
	name, _ := o.against()
	named := slices.DeleteFunc(slices.Clone(args), func(arg string) bool { return arg == "-" })
	paths := len(named) < len(args) // from standard input
	err = mistakes(c, err, o.check(c),
		refuse(name != "", "--baseline %s: names no files; give it to mpanalyze compare --results", name),
		refuse(paths && o.shard != "", "- reads from standard input which runs to analyse: leave --shard out"),
		refuse(o.out == "" && !paths, "no place for results; name a directory with --output, or write - to read paths from standard input"))
	if err != nil {
		return err
	}
	t := &task{program: a.programIdentity(c.Context()), out: o.out, flags: figureFlags(c)}
	if t.co, err = o.campaignOptions(a, c); err != nil {
		return err
	}
	if t.co.Inputs, err = o.inputs(named); err != nil {
		return mistakes(c, err)
	}
	t.list, t.names = results.ListOf(t.co.Inputs), results.FileNames(t.co.Inputs)
	if err := a.keepApart(c, func() []string { return filesRead(t.co.Inputs, o.records) }); err != nil {
		return err
	}
	if t.out != "" {
		if err := storage.MkdirAll(t.out); err != nil {
			return err
		}
	}
	if paths {
		return a.taskOfLines(c.Context(), t)
	}
	return a.taskOfPart(c.Context(), t, i, of)
}

// say writes the counts as one line.
func (t *task) say(w io.Writer) {
	fmt.Fprintf(w, "%s: %d analysed, %d done before, %d skipped\n", textwrap.Count(t.all, "run"), t.analysed, t.current, t.skipped)
}

// status returns the error that ends the program with the status of the counts.
func (t *task) status() error {
	switch {
	case t.again > 0:
		return &statusError{ExitAgain, textwrap.Count(t.again, "run") + " could not be read and have no result: start the task again"}
	case t.skipped > 0:
		return &statusError{code: ExitDamaged}
	}
	return nil
}

// count counts a result, and says why a run could not be read.
func (a *app) count(t *task, r *results.Result, current bool) {
	t.all++
	switch {
	case current:
		t.current++
	case r.Content != "" || r.Run != nil: // a run from a pipe has figures but no hash
		t.analysed++
	}
	switch {
	case r.Again:
		t.again++
		a.sayWarnings([]string{r.Skipped})
	case r.Skipped != "":
		t.skipped++
	}
}

// taskOfPart analyses part i of n of the runs and writes their results into the directory.
func (a *app) taskOfPart(ctx context.Context, t *task, i, n int) (err error) {
	if t.before, err = results.Listed(t.out); err != nil {
		return err
	}
	done, jobs := new(atomic.Int64), (len(t.names)-i+n)/n
	stop := a.showRuns(done, jobs)
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var counting sync.Mutex
	runs.Each(ctx, t.co.Workers, jobs, func(k int) {
		r, current, err := t.result(ctx, i-1+k*n)
		done.Add(1)
		if err != nil {
			cancel(err) // the other runs would meet the same fault, as a full disk
			return
		}
		counting.Lock()
		defer counting.Unlock()
		a.count(t, r, current)
	})
	stop()
	if err := context.Cause(ctx); err != nil {
		return err
	}
	t.say(a.Out)
	return t.status()
}

// result returns the result of a run of the list. If the directory has a result of this name with the same
// content, options and program, that is the one, and it is current. Else it analyses the run and writes the
// result into the directory, unless it says nothing about the run.
func (t *task) result(ctx context.Context, k int) (r *results.Result, current bool, err error) {
	in, name := &t.co.Inputs[k], t.names[k]
	file := storage.Join(t.out, name)
	if t.out != "" && (t.before == nil || t.before[name]) {
		r = results.NewReader().Load(file)
	}
	if current = t.co.Current(r, in, t.program); !current {
		if r, err = t.co.Figures(ctx, in, t.program); err != nil {
			return nil, false, err
		}
	}
	same := r.List == t.list && r.Index == k && r.Of == len(t.names) && maps.Equal(r.Flags, t.flags)
	r.Input, r.List, r.Index, r.Of, r.Flags = *in, t.list, k, len(t.names), t.flags
	if t.out != "" && !r.Again && !(current && same) {
		err = r.Write(file)
	}
	return r, current, err
}

// longestLine is the greatest length of a path on standard input, in bytes.
const longestLine = 1 << 20

// taskOfLines reads paths of files of runs from standard input, and writes the result of each path's run as a
// line before it reads the next path.
func (a *app) taskOfLines(ctx context.Context, t *task) error {
	of := map[string][]int{} // indexes of the runs that a file belongs to
	for i := range t.co.Inputs {
		for _, name := range t.co.Inputs[i].AllFiles() {
			name = filepath.Clean(name)
			of[name] = campaign.Once(of[name], i)
		}
	}
	lines := bufio.NewScanner(a.In)
	lines.Buffer(nil, longestLine)
	paths := make(chan string)
	go func() { // the task ends when ctx ends, also while it waits for a path
		defer close(paths)
		defer crash.Catch()
		for lines.Scan() {
			select {
			case paths <- strings.TrimSpace(lines.Text()):
			case <-ctx.Done():
				return
			}
		}
	}()
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case path, more := <-paths:
			if !more {
				if t.out != "" {
					fmt.Fprint(a.Err, "mpanalyze: ")
					t.say(a.Err)
				}
				return errors.Join(ctx.Err(), lines.Err(), t.status())
			}
			if path == "" {
				continue
			}
			if err := a.taskOfPath(ctx, t, path, of[filepath.Clean(path)]); err != nil {
				return err
			}
		}
	}
}

// taskOfPath writes the result of the run that a file belongs to; of holds the indexes of the runs that have it.
func (a *app) taskOfPath(ctx context.Context, t *task, path string, of []int) error {
	if len(of) != 1 {
		return fmt.Errorf("%s: is a file of %d runs in the list; want a path as --manifest or --pattern gives it, of a file that only one run has", path, len(of))
	}
	r, current, err := t.result(ctx, of[0])
	if err != nil {
		return err
	}
	line, err := r.Append(nil)
	if err == nil {
		_, err = a.Out.Write(line)
	}
	a.count(t, r, current)
	return err
}
