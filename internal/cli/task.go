package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"

	"github.com/spf13/cobra"

	"mpanalyze/internal/campaign"
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
	// before holds the names of the results that exist already. In object storage one list saves
	// a request for each result. It is nil where no such list was made.
	before map[string]bool
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
	t := &task{program: a.programIdentity(c.Context())}
	if t.co, err = o.campaignOptions(a, c); err != nil {
		return err
	}
	t.flags = figureFlags(c)
	if !paths || len(named) > 0 || o.pattern != "" || o.manifest != "" {
		if t.co.Inputs, err = o.inputs(named); err != nil {
			return mistakes(c, err)
		}
		t.list = results.ListOf(t.co.Inputs)
		if err := a.keepApart(c, func() []string { return filesRead(t.co.Inputs, o.records) }); err != nil {
			return err
		}
	}
	if paths {
		return a.taskOfLines(c.Context(), t, o.out)
	}
	err = a.taskInto(c, t, o.out, i, of)
	if o.prune {
		err = errors.Join(a.stale(o.out, results.FileNames(t.co.Inputs)), err)
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

// result analyses a run. place is the index of the run in the list, or negative if there is
// no list.
func (t *task) result(ctx context.Context, in *campaign.Input, place int) (*results.Result, error) {
	r, err := t.co.Figures(ctx, in, t.program)
	if err == nil {
		t.place(r, in, place)
	}
	return r, err
}

// place writes into a result which list its run is from, the index of the run in it, and the flags of this
// task. It reports whether the result said the same before.
func (t *task) place(r *results.Result, in *campaign.Input, place int) (same bool) {
	list, index, of := "", 0, 0
	if place >= 0 {
		list, index, of = t.list, place, len(t.co.Inputs)
	}
	same = r.List == list && r.Index == index && r.Of == of && maps.Equal(r.Flags, t.flags)
	r.Input, r.List, r.Index, r.Of, r.Flags = *in, list, index, of, t.flags
	return same
}

// counts counts the runs of a task: analysed now, analysed before, skipped, and not read for a
// reason that may pass.
type counts struct{ analysed, current, skipped, again atomic.Int64 }

// say writes the counts of n runs as one line.
func (k *counts) say(w io.Writer, n int) {
	fmt.Fprintf(w, "%s: %d analysed, %d done before, %d skipped\n", textwrap.Count(n, "run"), k.analysed.Load(), k.current.Load(), k.skipped.Load())
}

// status returns the error that ends the program with the status of these counts.
func (k *counts) status() error {
	switch n := k.again.Load(); {
	case n > 0:
		return &statusError{ExitAgain, textwrap.Count(int(n), "run") + " could not be read and have no result: start the task again"}
	case k.skipped.Load() > 0:
		return &statusError{code: ExitDamaged}
	}
	return nil
}

// note counts a result without figures, and says why a run could not be read.
func (a *app) note(k *counts, r *results.Result) {
	switch {
	case r.Again:
		k.again.Add(1)
		a.sayWarnings([]string{r.Skipped})
	case r.Skipped != "":
		k.skipped.Add(1)
	}
}

// taskInto analyses part i of n of the runs and writes their results into a directory.
func (a *app) taskInto(c *cobra.Command, t *task, dir string, i, n int) error {
	if err := storage.MkdirAll(dir); err != nil {
		return err
	}
	var err error
	if t.before, err = results.Listed(dir); err != nil {
		return err
	}
	names, places := results.FileNames(t.co.Inputs), []int{}
	for k := i - 1; k < len(t.co.Inputs); k += n {
		places = append(places, k)
	}
	var count counts
	done, errs := new(atomic.Int64), make([]error, len(places))
	stop := a.showRuns(done, len(places))
	ctx, cancel := context.WithCancel(c.Context())
	defer cancel()
	runs.Each(ctx, t.co.Workers, len(places), func(k int) {
		i := places[k]
		r, err := t.kept(ctx, dir, names[i], &t.co.Inputs[i], i, &count)
		if err == nil {
			a.note(&count, r)
		} else {
			errs[k] = err
			cancel() // the other runs would meet the same fault, as a full disk
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
	count.say(a.Out, len(places))
	return count.status()
}

// kept returns the result of a run. If the directory has a result of this name with the same
// content, options and program, kept returns it. Else it analyses the run and writes the
// result into the directory, unless it says nothing about the run. It returns nil if the analysis
// fails.
func (t *task) kept(ctx context.Context, dir, name string, in *campaign.Input, place int, count *counts) (r *results.Result, err error) {
	file := storage.Join(dir, name)
	if t.before == nil || t.before[name] {
		r = results.Load(file)
	}
	if t.co.Current(r, in, t.program) {
		count.current.Add(1)
		if !t.place(r, in, place) {
			err = r.Write(file)
		}
	} else {
		if r, err = t.result(ctx, in, place); err != nil {
			return nil, err
		}
		if r.Content != "" || r.Run != nil { // a run from a pipe has figures but no hash
			count.analysed.Add(1)
		}
		if !r.Again {
			err = r.Write(file)
		}
	}
	return r, err
}
