//go:build unix

package runs

import (
	"fmt"
	"io/fs"
	"os"
	"syscall"
)

// owned returns an error unless a directory belongs to the user of this process and
// nobody else may enter it.
func owned(info fs.FileInfo) error {
	if s, ok := info.Sys().(*syscall.Stat_t); ok && int64(s.Uid) != int64(os.Geteuid()) {
		return fmt.Errorf("it belongs to user %d, not to you (%d)", s.Uid, os.Geteuid())
	}
	if mode := info.Mode().Perm(); mode&0o077 != 0 {
		return fmt.Errorf("others may enter it, its mode is %04o", mode)
	}
	return nil
}
