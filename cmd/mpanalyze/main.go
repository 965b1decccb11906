// Command mpanalyze analyses packet captures of Multipath TCP.
package main

import (
	"context"
	"os"
	"runtime/debug"
	"slices"

	"mpanalyze/internal/cli"
	"mpanalyze/internal/crash"
	"mpanalyze/internal/engine"
	"mpanalyze/internal/report"
)

// version is set by the linker; empty to take it from the build information.
var version string

func main() {
	crash.Guard()
	defer crash.Catch()
	e := cli.Engine{Analyze: engine.Analyze, Follow: engine.Follow, Track: engine.Track}
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(heapGrowth)
		e.Analyze = func(ctx context.Context, o engine.Options) (*report.Document, error) {
			if long(slices.Concat(o.Paths, o.Receiver)) {
				readyHeap()
			}
			return engine.Analyze(ctx, o)
		}
	}
	os.Exit(int(cli.Main(os.Args[1:], cli.System(), e, version)))
}
