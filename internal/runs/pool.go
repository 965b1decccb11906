package runs

import (
	"context"
	"sync"
	"sync/atomic"

	"mpanalyze/internal/crash"
)

// Each runs work for every i below n, on as many goroutines at once as there
// are workers, and returns when all have ended. Once ctx ends no further work
// begins.
func Each(ctx context.Context, workers, n int, work func(i int)) {
	var next atomic.Int64
	var all sync.WaitGroup
	for range max(1, min(workers, n)) {
		all.Go(func() {
			defer crash.Catch()
			for ctx.Err() == nil {
				i := int(next.Add(1)) - 1
				if i >= n {
					return
				}
				work(i)
			}
		})
	}
	all.Wait()
}
