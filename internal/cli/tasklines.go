package cli

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"iter"
	"maps"
	"path/filepath"
	"strings"

	"mpanalyze/internal/campaign"
	"mpanalyze/internal/crash"
	"mpanalyze/internal/output"
	"mpanalyze/internal/results"
	"mpanalyze/internal/storage"
)

// job is a run that a task analyses.
type job struct {
	in    *campaign.Input
	name  string // of the file of its result
	place int    // in the list of runs; negative if there is no list
	err   error  // why there is no run
}

// answer is the result of a job, or the error.
type answer struct {
	result  *results.Result
	current bool // it was there before
	err     error
}

// ahead is how many answers, for each run that is analysed at once, wait for an earlier one.
const ahead = 16

// each analyses runs, several at once, and gives the answers to take in the order of the jobs. It
// ends at the first error, and when ctx ends, also while jobs waits for the next one.
func (t *task) each(ctx context.Context, jobs iter.Seq[job], take func(answer) error) error {
	ctx, cancel := context.WithCancel(ctx)
	busy, waiting := make(chan bool, t.co.Workers), make(chan chan answer, ahead*t.co.Workers)
	defer func() {
		cancel()
		for range cap(busy) {
			if t.out != "" { // no result is half written; else nothing waits for a run that reads a pipe
				busy <- true
			}
		}
	}()
	go func() {
		defer close(waiting)
		defer crash.Catch()
		for j := range jobs {
			one := make(chan answer, 1)
			select {
			case busy <- true:
			case <-ctx.Done():
				return
			}
			go func() {
				defer func() { <-busy }()
				defer crash.Catch()
				one <- t.answer(ctx, j)
			}()
			select {
			case waiting <- one:
			case <-ctx.Done():
				return
			}
		}
	}()
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case one, more := <-waiting:
			if !more {
				return ctx.Err()
			}
			got := <-one
			if got.err != nil {
				return got.err
			}
			if err := take(got); err != nil {
				return err
			}
		}
	}
}

// answer returns the result of a run. If the directory has a result of this name with the same
// content, options and program, that is the one. Else it analyses the run and writes the
// result into the directory, unless it says nothing about the run.
func (t *task) answer(ctx context.Context, j job) (a answer) {
	if j.err != nil {
		return answer{err: j.err}
	}
	file := storage.Join(t.out, j.name)
	if t.out != "" && (t.before == nil || t.before[j.name]) {
		a.result = results.NewReader().Load(file)
	}
	if a.current = t.co.Current(a.result, j.in, t.program); !a.current {
		if a.result, a.err = t.co.Figures(ctx, j.in, t.program); a.err != nil {
			return a
		}
	}
	if same := t.place(a.result, j); t.out != "" && !a.result.Again && !(a.current && same) {
		a.err = a.result.Write(file)
	}
	return a
}

// place writes into a result which list its run is from, the index of the run in it, and the flags of this
// task. It reports whether the result said the same before.
func (t *task) place(r *results.Result, j job) (same bool) {
	list, index, of := "", 0, 0
	if j.place >= 0 {
		list, index, of = t.list, j.place, len(t.co.Inputs)
	}
	same = r.List == list && r.Index == index && r.Of == of && maps.Equal(r.Flags, t.flags)
	r.Input, r.List, r.Index, r.Of, r.Flags = *j.in, list, index, of, t.flags
	return same
}

// longestLine is the greatest length of a path on standard input, in bytes.
const longestLine = 1 << 20

// unlisted is the name of the scenario of runs when there is no list.
const unlisted = "runs"

// taskOfLines reads paths from standard input and writes the result of each path's run as a line, in
// the order of the paths.
func (a *app) taskOfLines(ctx context.Context, t *task) error {
	stdout, _ := a.Out.(output.Open) // nil if it is no file
	err := t.each(ctx, t.ofLines(a.In, stdout), func(one answer) error {
		line, err := one.result.Append(nil)
		if err == nil {
			_, err = a.Out.Write(line)
		}
		a.count(&t.counts, one)
		return err
	})
	if err != nil {
		return err
	}
	if t.out != "" {
		fmt.Fprint(a.Err, "mpanalyze: ")
		t.say(a.Err)
	}
	return t.status()
}

// ofLines returns the runs that the files named in lines of text belong to.
func (t *task) ofLines(in io.Reader, stdout output.Open) iter.Seq[job] {
	of := map[string][]int{} // indexes of the runs that a file belongs to
	for i := range t.co.Inputs {
		for _, name := range t.co.Inputs[i].AllFiles() {
			name = filepath.Clean(name)
			of[name] = campaign.Once(of[name], i)
		}
	}
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, longestLine)
	return func(yield func(job) bool) {
		for lines.Scan() {
			if path := strings.TrimSpace(lines.Text()); path != "" && !yield(t.ofPath(path, of[filepath.Clean(path)], stdout)) {
				return
			}
		}
		if err := lines.Err(); err != nil {
			yield(job{err: err})
		}
	}
}

// ofPath returns the run that a file belongs to; of holds the indexes of those in the list. Without
// a list, the file alone is a run.
func (t *task) ofPath(path string, of []int, stdout output.Open) job {
	switch {
	case t.list == "":
		alone := []campaign.Input{{Scenario: unlisted, Name: path, Files: []string{path}}}
		var uses output.Uses
		if uses.Read(path); stdout != nil {
			uses.WriteStream("standard output", stdout)
		}
		return job{&alone[0], results.FileNames(alone)[0], -1, uses.Check()}
	case len(of) == 0:
		return job{err: fmt.Errorf("%s: is a file of no run in the list; want paths as --manifest or --pattern gives them", path)}
	case len(of) > 1:
		return job{err: fmt.Errorf("%s: is a file of several runs in the list; want one that only one run has, or use --shard", path)}
	}
	return job{&t.co.Inputs[of[0]], t.names[of[0]], of[0], nil}
}
