package output

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

// maxLinks is how many symbolic links are followed, as Linux does.
const maxLinks = 40

// target is the file that a name leads to.
type target struct {
	path   string      // with symbolic links followed
	direct bool        // it is a pipe, a device or an open file, which cannot be replaced
	info   fs.FileInfo // of the file or directory there; nil where there is none yet
}

// resolve follows the symbolic links of a name.
func resolve(name string) (target, error) {
	for range maxLinks {
		if openFile(name) {
			return target{path: name, direct: true}, nil
		}
		info, err := os.Lstat(name)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return target{path: name}, nil
		case err != nil:
			return target{}, err
		case info.Mode().Type() != fs.ModeSymlink:
			return target{path: name, direct: !info.Mode().IsRegular() && !info.IsDir(), info: info}, nil
		}
		if name, err = follow(name); err != nil {
			return target{}, err
		}
	}
	return target{}, &fs.PathError{Op: "open", Path: name, Err: syscall.ELOOP}
}

// follow returns the target of a symbolic link.
func follow(link string) (string, error) {
	to, err := os.Readlink(link)
	if err != nil || filepath.IsAbs(to) {
		return to, err
	}
	// A link is relative to the directory in which it really is.
	dir, err := filepath.EvalSymlinks(filepath.Dir(link))
	return filepath.Join(dir, to), err
}

// openFile reports whether a name is an open file of a process, such as /dev/fd/3, or the
// target of /dev/stdout on Linux.
func openFile(name string) bool {
	return strings.HasPrefix(name, "/dev/fd/") || strings.HasPrefix(name, "/proc/")
}

// writable returns the error of opening a file for writing, as for a directory. Replacing a file needs only the
// rights of its directory, but a file that the user may not write is meant to be protected.
func writable(name string) error {
	f, err := os.OpenFile(name, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	return f.Close()
}

// openDirect opens a target that cannot be replaced. The streams of the process are shared,
// so that output to /dev/stdout stays in order with other output there.
func openDirect(t target) (f *os.File, shared bool, err error) {
	if info, err := os.Stat(t.path); err == nil && openFile(t.path) {
		for _, stream := range []*os.File{os.Stdout, os.Stderr} {
			if own, err := stream.Stat(); err == nil && os.SameFile(own, info) {
				return stream, true, nil
			}
		}
	}
	f, err = waiting(func() (*os.File, error) { return os.OpenFile(t.path, os.O_WRONLY, 0) })
	return f, false, err
}
