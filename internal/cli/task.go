package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/spf13/cobra"

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
	prune bool
}

func newTask(a *app) *cobra.Command {
	o := &taskOptions{}
	c := command("task", nil, withOptions(a.runTask, o))
	o.runOptions.register(c)
	f := c.Flags()
	f.StringVar(&o.shard, "shard", "", "take part `I/N` of the runs, as in 3/100, from 1/100 to 100/100")
	f.StringVarP(&o.out, "output", "o", "", "write a file for each run into the directory `DIR`")
	writes(c, "output") // a result has a hash in its name, so it replaces no other file
	f.BoolVar(&o.prune, "prune", false, "also print the names of files in --output that hold no result of a run in the list, a line each; none is removed")
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
	list    string            // hash of the list of runs; empty for none
	flags   map[string]string // that change figures, for results
	out     string            // directory of results; empty for none
	names   []string          // of the files in out, one for each run of the list
	// before holds the names of the results that exist already. In object storage one list saves
	// a request for each result. It is nil where no such list was made.
	before map[string]bool
	counts
}

// runTask is the command task.
func (a *app) runTask(c *cobra.Command, o *taskOptions, args []string) error {
	i, of, err := o.part()
	name, _ := o.against()
	named := slices.DeleteFunc(slices.Clone(args), func(arg string) bool { return arg == "-" })
	paths := len(named) < len(args) // from standard input
	err = mistakes(c, err, o.check(c),
		refuse(name != "", "--baseline %s: names no files; give it to mpanalyze compare --results", name),
		refuse(paths && (o.shard != "" || o.prune), "- reads from standard input which runs to analyse: leave --shard and --prune out"),
		refuse(o.out == "" && !paths, "no place for results; name a directory with --output, or write - to read paths from standard input"))
	if err != nil {
		return err
	}
	t := &task{program: a.programIdentity(c.Context()), out: o.out, flags: figureFlags(c)}
	if t.co, err = o.campaignOptions(a, c); err != nil {
		return err
	}
	if !paths || len(named) > 0 || o.pattern != "" || o.manifest != "" {
		if t.co.Inputs, err = o.inputs(named); err != nil {
			return mistakes(c, err)
		}
		t.list, t.names = results.ListOf(t.co.Inputs), results.FileNames(t.co.Inputs)
		if err := a.keepApart(c, func() []string { return filesRead(t.co.Inputs, o.records) }); err != nil {
			return err
		}
	}
	if t.out != "" {
		if err := storage.MkdirAll(t.out); err != nil {
			return err
		}
	}
	if paths {
		return a.taskOfLines(c.Context(), t)
	}
	err = a.taskOfPart(c.Context(), t, i, of)
	if o.prune {
		err = errors.Join(a.stale(o.out, t.names), err)
	}
	return err
}

// stale prints the files of a directory of results whose names no run of the list has.
func (a *app) stale(dir string, names []string) error {
	files, err := results.Files([]string{dir})
	listed := map[string]bool{}
	for _, name := range names {
		listed[storage.Join(dir, name)] = true
	}
	for _, file := range files {
		if !listed[file] {
			_, failed := fmt.Fprintln(a.Out, file)
			err = errors.Join(err, failed)
		}
	}
	return err
}

// counts counts the runs of a task: analysed now, analysed before, skipped, and not read for a
// reason that may pass.
type counts struct{ all, analysed, current, skipped, again int }

// say writes the counts as one line.
func (k *counts) say(w io.Writer) {
	fmt.Fprintf(w, "%s: %d analysed, %d done before, %d skipped\n", textwrap.Count(k.all, "run"), k.analysed, k.current, k.skipped)
}

// status returns the error that ends the program with the status of these counts.
func (k *counts) status() error {
	switch {
	case k.again > 0:
		return &statusError{ExitAgain, textwrap.Count(k.again, "run") + " could not be read and have no result: start the task again"}
	case k.skipped > 0:
		return &statusError{code: ExitDamaged}
	}
	return nil
}

// count counts an answer, and says why a run could not be read.
func (a *app) count(k *counts, of answer) {
	r := of.result
	k.all++
	switch {
	case of.current:
		k.current++
	case r.Content != "" || r.Run != nil: // a run from a pipe has figures but no hash
		k.analysed++
	}
	switch {
	case r.Again:
		k.again++
		a.sayWarnings([]string{r.Skipped})
	case r.Skipped != "":
		k.skipped++
	}
}

// taskOfPart analyses part i of n of the runs and writes their results into the directory.
func (a *app) taskOfPart(ctx context.Context, t *task, i, n int) (err error) {
	if t.before, err = results.Listed(t.out); err != nil {
		return err
	}
	var jobs []job
	for k := i - 1; k < len(t.co.Inputs); k += n {
		jobs = append(jobs, job{&t.co.Inputs[k], t.names[k], k, nil})
	}
	done := new(atomic.Int64)
	stop := a.showRuns(done, len(jobs))
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var counting sync.Mutex
	runs.Each(ctx, t.co.Workers, len(jobs), func(k int) {
		one := t.answer(ctx, jobs[k])
		done.Add(1)
		if one.err != nil {
			cancel(one.err) // the other runs would meet the same fault, as a full disk
			return
		}
		counting.Lock()
		defer counting.Unlock()
		a.count(&t.counts, one)
	})
	stop()
	if err := context.Cause(ctx); err != nil {
		return err
	}
	t.say(a.Out)
	return t.status()
}
