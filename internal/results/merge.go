package results

import (
	"context"
	"errors"
	"io"

	"mpanalyze/internal/output"
)

// Merge writes the results in files and directories into one file, whole or not at all, as they are,
// and returns how many they are. It refuses results of different lists of runs. [Read] reads the file as
// it reads the results that it is made of. Memory holds one result at a time.
func Merge(ctx context.Context, names []string, file string) (n int, err error) {
	list, err := Files(names)
	if err != nil {
		return 0, err
	}
	k := NewReader()
	err = output.Write(file, func(w io.Writer) error {
		var first *Result
		for _, name := range list {
			err := k.file(name, func(r *Result, line []byte) error {
				if n++; n == 1 {
					first = r
				}
				_, err := w.Write(line)
				_, end := w.Write([]byte{'\n'})
				return errors.Join(err, end, oneList([]*Result{first, r}), ctx.Err())
			})
			if err != nil {
				return err
			}
		}
		if n == 0 {
			return noResults(names)
		}
		return nil
	})
	return n, err
}
