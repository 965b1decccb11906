// Command mpanalyze analyses packet captures of Multipath TCP.
package main

import (
	"os"
	"runtime/debug"

	"mpanalyze/internal/cli"
	"mpanalyze/internal/engine"
)

// version is set by the linker; empty to take it from the build information.
var version string

// heapGrowth is by how much the heap may grow between two collections of
// garbage, in percent, unless GOGC says otherwise. An analysis makes little
// garbage and ends soon: with the usual 100 the collector takes a twentieth of the
// CPU time, and the peak of the memory is hardly lower.
const heapGrowth = 200

func main() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(heapGrowth)
	}
	e := cli.Engine{Analyze: engine.Analyze, Follow: engine.Follow, Track: engine.Track}
	os.Exit(int(cli.Main(os.Args[1:], cli.System(), e, version)))
}
