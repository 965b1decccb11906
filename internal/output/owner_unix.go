//go:build unix

package output

import (
	"io/fs"
	"os"
	"syscall"
)

func init() {
	keepOwner = func(f *os.File, old fs.FileInfo) {
		if s, ok := old.Sys().(*syscall.Stat_t); ok {
			_ = f.Chown(int(s.Uid), int(s.Gid))
		}
	}
}
