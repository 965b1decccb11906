// Command mpanalyze analyses packet captures of Multipath TCP.
package main

import (
	"os"

	"mpanalyze/internal/cli"
	"mpanalyze/internal/engine"
)

// version is set by the linker; empty to take it from the build information.
var version string

func main() {
	e := cli.Engine{Analyze: engine.Analyze, Follow: engine.Follow, Track: engine.Track}
	os.Exit(int(cli.Main(os.Args[1:], cli.System(), e, version)))
}
