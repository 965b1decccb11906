package results

import (
	"cmp"
	"context"
	"io"
	"strconv"

	"mpanalyze/internal/output"
)

// Merge writes the results in files and directories into one file, whole or not at all, and returns
// how many they are. It refuses results of different lists of runs and different results of one
// run; of equal ones it keeps one. [Read] reads the file as it reads the results that it is made of.
//
// Memory holds one result at a time, and some 100 bytes for each run.
func Merge(ctx context.Context, names []string, file string) (n int, err error) {
	list, err := Files(names)
	if err != nil {
		return 0, err
	}
	m := &merger{seen: map[string]seenResult{}}
	k := newReading()
	err = output.Write(file, func(w io.Writer) error {
		m.out = w
		for _, name := range list {
			if err := cmp.Or(ctx.Err(), k.file(name, m.take)); err != nil {
				return err
			}
		}
		if m.first == nil {
			return noResults(names)
		}
		return nil
	})
	return len(m.seen), err
}

// merger writes results.
type merger struct {
	out   io.Writer
	first *Result // nil before the first one
	seen  map[string]seenResult
}

// seenResult is a result that was written.
type seenResult struct {
	from  string
	print [8]byte // the beginning of [Result.print]
}

// take writes a result as it was read, unless an equal one was written before.
func (m *merger) take(r *Result, line []byte) error {
	if m.first == nil {
		m.first = &Result{List: r.List, Of: r.Of, from: r.from}
	}
	if r.List != m.first.List || r.Of != m.first.Of {
		return oneList([]*Result{m.first, r})
	}
	run, now := strconv.Itoa(r.Index), seenResult{r.from, [8]byte(r.print())}
	if r.List == "" {
		run = r.Input.Scenario + "\n" + r.Input.Name + "\n" + r.Content
	}
	if before, found := m.seen[run]; found {
		if before.print != now.print {
			return differentResults(r, before.from)
		}
		return nil
	}
	m.seen[run] = now
	_, err := m.out.Write(line)
	if err == nil {
		_, err = m.out.Write([]byte{'\n'})
	}
	return err
}
