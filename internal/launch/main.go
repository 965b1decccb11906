package launch

import (
	"context"
	"os"
	"runtime/debug"
	"slices"
	"sync"

	"mpanalyze/internal/cli"
	"mpanalyze/internal/crash"
	"mpanalyze/internal/engine"
	"mpanalyze/internal/report"
)

// Main runs the command line of the process and ends the process. version is the
// version of the program; if it is empty, Main takes it from the build information.
func Main(version string) {
	crash.Guard()
	defer crash.Catch()
	e := Engine()
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(heapGrowth)
		e.Analyze, e.Stored = ready(e.Analyze), ready(e.Stored)
		e.SaveMemory = func() { debug.SetGCPercent(leastGrowth) }
	}
	if os.Getenv("GOMEMLIMIT") == "" {
		e.Stored = limited(e.Stored)
	}
	os.Exit(int(cli.Main(os.Args[1:], cli.System(), e, version)))
}

// Engine returns what the commands call to analyse captures.
func Engine() cli.Engine {
	return cli.Engine{
		Analyze: engine.Analyze, Stored: engine.AnalyzeStored, Follow: engine.Follow, Track: engine.Track, Live: engine.Live,
	}
}

// ready prepares the heap before the analysis of a long capture.
func ready[T any](analyze func(context.Context, engine.Options) (T, error)) func(context.Context, engine.Options) (T, error) {
	return func(ctx context.Context, o engine.Options) (T, error) {
		if long(slices.Concat(o.Paths, o.Receiver)) {
			readyHeap()
		}
		return analyze(ctx, o)
	}
}

// limited limits the heap before an analysis of one place, which holds no reports in
// memory. All analyses of a process have the same options.
func limited(analyze func(context.Context, engine.Options) (*report.Stored, error)) func(context.Context, engine.Options) (*report.Stored, error) {
	var once sync.Once
	return func(ctx context.Context, o engine.Options) (*report.Stored, error) {
		if len(o.Receiver) == 0 {
			once.Do(func() { limitHeap(o.MaxState + besideState) })
		}
		return analyze(ctx, o)
	}
}
