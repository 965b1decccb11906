//go:build !linux

package launch

// askForHugePages does nothing: only Linux is known to give huge pages on demand.
func askForHugePages() bool { return false }
