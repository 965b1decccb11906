package csvtables

import (
	"os"
	"syscall"
)

// keepSize is FALLOC_FL_KEEP_SIZE of fallocate(2): the file is no longer for what
// is reserved.
const keepSize = 1

// reserve asks the file system for n octets of room behind the first from octets
// of a file. Into blocks that are there already Linux writes with a third less
// work than into those that it has to account for one by one. It reports whether
// there is room; where there is none to spare, or the file is a pipe or on a file
// system that reserves nothing, the file is written all the same.
func reserve(f *os.File, from, n int64) bool {
	var fs syscall.Statfs_t
	if syscall.Fstatfs(int(f.Fd()), &fs) != nil || float64(fs.Bavail)*float64(fs.Bsize) < spare*float64(n) {
		return false
	}
	return syscall.Fallocate(int(f.Fd()), keepSize, from, n) == nil
}
