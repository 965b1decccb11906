package cli

import (
	"context"
	"errors"

	"github.com/spf13/cobra"

	"mpanalyze/internal/results"
	"mpanalyze/internal/runs"
)

// checkResults refuses flags that cannot be used together with --results.
func (o *compareOptions) checkResults(c *cobra.Command) (err error) {
	if len(o.results) == 0 {
		return refuse(o.incomplete, "--incomplete: is for --results")
	}
	for _, flag := range []string{"pattern", "manifest", "baseline", "single", "connection", "cache"} {
		if name, _ := o.against(); flag == "baseline" && name != "" {
			continue
		}
		if c.Flags().Changed(flag) {
			err = errors.Join(err, errors.New("--"+flag+" beside --results: give it to mpanalyze task, which makes the results"))
		}
	}
	return err
}

// readResults reads runs that tasks have analysed.
func (o *compareOptions) readResults(ctx context.Context) (*results.Merged, error) {
	return results.Read(ctx, o.results, results.Options{
		Incomplete: o.incomplete,
		Each:       func(ctx context.Context, n int, work func(int)) { runs.Each(ctx, cores(), n, work) },
	})
}
