package launch

import (
	"context"
	"os"
	"runtime/debug"
	"slices"

	"mpanalyze/internal/cli"
	"mpanalyze/internal/crash"
	"mpanalyze/internal/engine"
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
	}
	os.Exit(int(cli.Main(os.Args[1:], cli.System(), e, version)))
}

// Engine returns what the commands call to analyse captures.
func Engine() cli.Engine {
	return cli.Engine{
		Analyze: engine.Analyze, Stored: engine.AnalyzeStored, Follow: engine.Follow, Track: engine.Track, Live: engine.Live,
		Record: engine.Record, Merge: engine.Merge, MergePart: engine.MergePart,
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
