package cli

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"mpanalyze/internal/campaign"
	"mpanalyze/internal/crash"
	"mpanalyze/internal/output"
	"mpanalyze/internal/results"
	"mpanalyze/internal/storage"
)

// longestLine is how long a path on standard input may be, bytes.
const longestLine = 1 << 20

// unlisted is the scenario of runs that no list names.
const unlisted = "runs"

// answer is the result of a line of standard input.
type answer struct {
	result *results.Result
	err    error
}

// answering is a task that is told its runs by lines of standard input.
type answering struct {
	*figuring
	of    map[string]int // which run of the list a file belongs to; twofold for several
	out   string         // directory of results; empty for none
	names []string       // of the files there, beside the runs of the list
	lines *os.File       // takes the results; nil where that is no file
	count counts
}

// twofold is the place of a file that belongs to several runs of the list.
const twofold = -1

func (t *figuring) answering(out string) *answering {
	l := &answering{figuring: t, of: map[string]int{}, out: out, names: results.FileNames(t.co.Inputs)}
	for i := range t.co.Inputs {
		for _, name := range t.co.Inputs[i].AllFiles() {
			name = filepath.Clean(name)
			if other, found := l.of[name]; found && other != i {
				l.of[name] = twofold
			} else {
				l.of[name] = i
			}
		}
	}
	return l
}

// figuresOfLines answers each path on standard input with the result of its run. Results
// leave in the order of the paths. They are kept in the directory out, unless that is empty.
func (a *app) figuresOfLines(ctx context.Context, t *figuring, out string) error {
	if out != "" {
		if err := storage.MkdirAll(out); err != nil {
			return err
		}
	}
	if t.co.Workers == 0 {
		t.co.Workers = cores()
	}
	l := t.answering(out)
	l.lines, _ = a.Out.(*os.File)
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	waiting := make(chan chan answer, t.co.Workers-1)
	var read error
	go func() {
		defer close(waiting)
		defer crash.Catch()
		read = l.ask(ctx, a.In, waiting)
	}()
	n, skipped, err := a.writeAnswers(ctx, waiting)
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
	if skipped {
		return &statusError{code: ExitDamaged}
	}
	return nil
}

// ask starts the analysis of each line's run, as many at once as waiting has room for.
func (l *answering) ask(ctx context.Context, in io.Reader, waiting chan<- chan answer) error {
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

// writeAnswers writes results as lines, each as soon as it is there and those before it are, and
// returns how many. It ends with ctx, also while the next path has not come.
func (a *app) writeAnswers(ctx context.Context, waiting <-chan chan answer) (n int, skipped bool, err error) {
	for {
		var one chan answer
		more := false
		select {
		case one, more = <-waiting:
		case <-ctx.Done():
		}
		if !more {
			return n, skipped, ctx.Err()
		}
		got := <-one
		if got.err != nil {
			return n, skipped, got.err
		}
		line, err := got.result.Append(nil)
		if err != nil {
			return n, skipped, err
		}
		if _, err := a.Out.Write(line); err != nil {
			return n, skipped, err
		}
		n++
		skipped = skipped || got.result.Skipped != ""
	}
}

// ofPath returns the result of the run of the list that a file belongs to, or without a list that of the
// file.
func (l *answering) ofPath(ctx context.Context, path string) (*results.Result, error) {
	if l.list == "" {
		if err := l.notOutput(path); err != nil {
			return nil, err
		}
		in := []campaign.Input{{Scenario: unlisted, Name: path, Files: []string{path}}}
		return l.answer(ctx, &in[0], -1, results.FileNames(in)[0])
	}
	i, found := l.of[filepath.Clean(path)]
	switch {
	case !found:
		return nil, fmt.Errorf("%s: is a file of no run in the list; want paths as --manifest or --pattern gives them", path)
	case i == twofold:
		return nil, fmt.Errorf("%s: is a file of several runs in the list; want one that only one run has, or use --shard", path)
	}
	return l.answer(ctx, &l.co.Inputs[i], i, l.names[i])
}

// notOutput refuses a path that is where the results go.
func (l *answering) notOutput(path string) error {
	if l.lines == nil {
		return nil
	}
	var in output.Inputs
	in.Add(path)
	return in.RefuseStream("standard output", l.lines)
}

// answer returns the result of a run, which the directory keeps under the name.
func (l *answering) answer(ctx context.Context, in *campaign.Input, place int, name string) (*results.Result, error) {
	if l.out == "" {
		return l.result(ctx, in, place)
	}
	return l.kept(ctx, l.out, name, in, place, &l.count)
}
