// Command mpanalyze analyses packet captures of Multipath TCP.
package main

import "mpanalyze/internal/launch"

// version is set by the linker; empty to take it from the build information.
var version string

func main() { launch.Main(version) }
