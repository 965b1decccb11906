package cli

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"mpanalyze/internal/campaign"
	"mpanalyze/internal/crash"
	"mpanalyze/internal/output"
	"mpanalyze/internal/results"
	"mpanalyze/internal/storage"
)

// longestLine is the greatest length of a path on standard input, in bytes.
const longestLine = 1 << 20

// unlisted is the name of the scenario of runs when there is no list.
const unlisted = "runs"

// answer is the result for one line of standard input, or the error.
type answer struct {
	result *results.Result
	err    error
}

// linesTask is a task that reads which runs to analyse from lines of standard input.
type linesTask struct {
	*task
	of    map[string][]int // indexes of the runs that a file belongs to
	out   string           // directory of results; empty for none
	names []string         // names of the files in out, one for each run of the list
	lines output.Open      // standard output, which takes the results; nil if it is no file
	count counts
}

// taskOfLines reads paths from standard input and writes the result of each path's run, in
// the order of the paths. It also keeps the results in the directory out, unless out is empty.
func (a *app) taskOfLines(ctx context.Context, t *task, out string) error {
	if out != "" {
		if err := storage.MkdirAll(out); err != nil {
			return err
		}
	}
	l := &linesTask{task: t, of: map[string][]int{}, out: out, names: results.FileNames(t.co.Inputs)}
	l.lines, _ = a.Out.(output.Open)
	for i := range t.co.Inputs {
		for _, name := range t.co.Inputs[i].AllFiles() {
			name = filepath.Clean(name)
			l.of[name] = campaign.Once(l.of[name], i)
		}
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	waiting := make(chan chan answer, t.co.Workers-1)
	var read error
	go func() {
		defer close(waiting)
		defer crash.Catch()
		read = l.ask(ctx, a.In, waiting)
	}()
	n, err := a.writeAnswers(ctx, waiting, &l.count)
	if err == nil {
		err = read
	}
	if err != nil {
		return err
	}
	if out != "" {
		fmt.Fprint(a.Err, "mpanalyze: ")
		l.count.say(a.Err, n)
	}
	return l.count.status()
}

// ask starts the analysis of each line's run. The size of the channel waiting limits how many
// run at once.
func (l *linesTask) ask(ctx context.Context, in io.Reader, waiting chan<- chan answer) error {
	lines := bufio.NewScanner(in)
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
			return nil
		}
		go func() {
			defer crash.Catch()
			r, err := l.ofPath(ctx, path)
			one <- answer{r, err}
		}()
	}
	return lines.Err()
}

// writeAnswers writes results as lines, in the order of the paths, and returns how many it
// wrote. It counts those without figures. It ends when ctx ends, also while it waits for the next path.
func (a *app) writeAnswers(ctx context.Context, waiting <-chan chan answer, count *counts) (n int, err error) {
	for {
		var one chan answer
		more := false
		select {
		case one, more = <-waiting:
		case <-ctx.Done():
		}
		if !more {
			return n, ctx.Err()
		}
		got := <-one
		if got.err != nil {
			return n, got.err
		}
		line, err := got.result.Append(nil)
		if err != nil {
			return n, err
		}
		if _, err := a.Out.Write(line); err != nil {
			return n, err
		}
		n++
		a.note(count, got.result)
	}
}

// ofPath returns the result of the run that a file belongs to. Without a list, the file alone
// is a run. If there is a directory of results, it keeps the result there.
func (l *linesTask) ofPath(ctx context.Context, path string) (*results.Result, error) {
	var in *campaign.Input
	var name string
	place, of := -1, l.of[filepath.Clean(path)]
	switch {
	case l.list == "":
		alone := []campaign.Input{{Scenario: unlisted, Name: path, Files: []string{path}}}
		in, name = &alone[0], results.FileNames(alone)[0]
		var uses output.Uses
		if uses.Read(path); l.lines != nil {
			uses.WriteStream("standard output", l.lines)
		}
		if err := uses.Check(); err != nil {
			return nil, err
		}
	case len(of) == 0:
		return nil, fmt.Errorf("%s: is a file of no run in the list; want paths as --manifest or --pattern gives them", path)
	case len(of) > 1:
		return nil, fmt.Errorf("%s: is a file of several runs in the list; want one that only one run has, or use --shard", path)
	default:
		place = of[0]
		in, name = &l.co.Inputs[place], l.names[place]
	}
	if l.out == "" {
		return l.result(ctx, in, place)
	}
	return l.kept(ctx, l.out, name, in, place, &l.count)
}
