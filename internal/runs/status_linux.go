package runs

import (
	"io/fs"
	"syscall"
)

// statusTime returns the time of the last change of a file's inode, ns. No program can
// set it back.
func statusTime(info fs.FileInfo) int64 {
	if s, ok := info.Sys().(*syscall.Stat_t); ok {
		return s.Ctim.Nano()
	}
	return 0
}
