package storage

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"sync"
	"syscall"
)

// ErrReplaced is the error of a file that is not the one that an analysis read before under the
// same name, or that was written meanwhile.
var ErrReplaced = errors.New("was replaced or written while it was read; run the command again when nobody writes it")

// Files holds what an analysis found when it first looked at each of its files. An analysis opens
// a file several times, as for its hash and for its content: they must be of one file. A
// nil Files compares nothing. Several goroutines may use one.
type Files struct {
	mutex sync.Mutex
	first map[string]fs.FileInfo // bounded by the files that one analysis reads
}

// Stat is [Stat]. It returns [ErrReplaced] if the name had another file before.
func (f *Files) Stat(name string) (fs.FileInfo, error) {
	info, err := Stat(name)
	if err == nil {
		err = f.same(name, info)
	}
	return info, err
}

// Open is [Open]. It returns [ErrReplaced] if the name had another file before. The file may
// have been written since: see [Files.Unchanged].
func (f *Files) Open(name string) (io.ReadCloser, error) {
	r, err := Open(name)
	if file, ok := r.(*os.File); ok {
		var info fs.FileInfo
		if info, err = file.Stat(); err == nil {
			err = f.same(name, info)
		}
	} else if err == nil && f != nil { // an object: its reader holds the store to what Stat described
		_, err = f.Stat(name)
	}
	if err != nil && r != nil {
		_ = r.Close() // nothing was read
		r = nil
	}
	return r, err
}

// ReadFile is [ReadFile]. It returns [ErrReplaced] if the name had another file before.
func (f *Files) ReadFile(name string) ([]byte, error) {
	r, err := f.Open(name)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	return io.ReadAll(r)
}

// same stores what is first found under a name, and compares all that is found later.
func (f *Files) same(name string, info fs.FileInfo) error {
	if f == nil {
		return nil
	}
	f.mutex.Lock()
	defer f.mutex.Unlock()
	before, found := f.first[name]
	switch {
	case !found && f.first == nil:
		f.first = map[string]fs.FileInfo{name: info}
	case !found:
		f.first[name] = info
	case !SameFile(before, info) || Tag(before) != Tag(info):
		return &fs.PathError{Op: "open", Path: name, Err: ErrReplaced}
	}
	return nil
}

// Unchanged returns [ErrReplaced] unless the files have the size and the modification time that
// they had when this analysis first looked at them. Without names it looks at all files.
func (f *Files) Unchanged(names ...string) error {
	if f == nil {
		return nil
	}
	f.mutex.Lock()
	defer f.mutex.Unlock()
	if len(names) == 0 {
		for name := range f.first {
			names = append(names, name)
		}
	}
	for _, name := range names {
		before, found := f.first[name]
		if !found || !before.Mode().IsRegular() {
			continue
		}
		info, err := Stat(name)
		if err == nil && (!SameFile(before, info) || Tag(before) != Tag(info) || before.Size() != info.Size() || !before.ModTime().Equal(info.ModTime())) {
			err = ErrReplaced
		}
		if err != nil {
			return &fs.PathError{Op: "read", Path: name, Err: Cause(err)}
		}
	}
	return nil
}

// Cause returns the error below that of an operation on a file, for messages that name the file.
func Cause(err error) error {
	if said := new(fs.PathError); errors.As(err, &said) {
		return said.Err
	}
	return err
}

// about are errors of the system that say something about a name, or about the rights to a file.
// They come back as long as nobody changes these.
var about = []error{
	fs.ErrNotExist, fs.ErrPermission, syscall.ENOTDIR, syscall.EISDIR, syscall.ELOOP, syscall.ENAMETOOLONG, syscall.EINVAL,
}

// Temporary reports whether err says nothing about the content of a file, so that the same file
// may be read later: an error of the medium, the network or a server, a lack of memory or of file
// descriptors, or a file that was replaced while it was read.
func Temporary(err error) bool {
	if errors.Is(err, ErrReplaced) || errors.Is(err, os.ErrDeadlineExceeded) {
		return true
	}
	if object := new(Error); errors.As(err, &object) {
		return object.Temporary
	}
	for _, permanent := range about {
		if errors.Is(err, permanent) {
			return false
		}
	}
	return errors.As(err, new(syscall.Errno))
}
