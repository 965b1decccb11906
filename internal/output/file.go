package output

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"sync"

	"mpanalyze/internal/storage"
)

// Prefix begins the names of files and directories that are not yet complete.
const Prefix = ".mpanalyze-"

// An Error says that an output could not be written.
type Error struct {
	Name string // of the file or directory, as the user gave it
	Err  error  // the cause
	Temp bool   // it is a temporary file: Name says how to choose another place for it
	dir  string // the directory in which no file is written because of this; "" for none
}

// Error names the output and the cause. It does not name the file by which the output is
// written before it is complete.
func (e *Error) Error() string {
	text := fmt.Sprintf("writing %s: %v", e.Name, cause(e.Err))
	if e.dir != "" {
		text += "; no file of " + e.dir + " is written, those of before are unchanged"
	}
	return text
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// cause returns the message of the system, without the names of files.
func cause(err error) error {
	switch e := err.(type) {
	case *fs.PathError:
		return e.Err
	case *os.LinkError:
		return e.Err
	}
	return err
}

// failure wraps an error in writing an output; nil stays nil.
func failure(name string, err error) error {
	if err == nil || errors.As(err, new(*Error)) {
		return err
	}
	return &Error{Name: name, Err: err}
}

// File is an output that gets its name only when it is complete. The caller of [Create]
// must call Commit or Abandon. An object in object storage is written into a temporary file, and
// Commit sends it: again where the storage does not take it, and never a part of it.
type File struct {
	name   string // as the user gave it
	target string // with symbolic links followed
	temp   string // the name until it is complete; "" if it is written directly
	file   *os.File
	shared bool // the file is a stream of the process and stays open
	object bool // the name is an object in object storage
}

// Create begins a file. An existing file stays unchanged until Commit. It must be writable,
// and the new file gets its permissions.
func Create(name string) (*File, error) {
	f := &File{name: name}
	t, err := f.resolve()
	if err == nil && t.direct {
		f.file, f.shared, err = openDirect(t)
	} else if err == nil {
		err = f.begin(t)
	}
	if err != nil {
		return nil, failure(name, err)
	}
	return f, nil
}

// resolve returns where the file is.
func (f *File) resolve() (t target, err error) {
	if f.object = storage.Is(f.name); f.object {
		return t, storage.Reached(f.name)
	}
	return resolve(f.name)
}

// begin creates the file that replaces the target later.
func (f *File) begin(t target) (err error) {
	switch {
	case f.object:
		f.file, err = os.CreateTemp("", Prefix)
		err = temporary(err)
	case t.info != nil:
		err = writable(t.path)
	}
	if f.target = t.path; err == nil && !f.object {
		f.file, err = createBeside(t.path)
	}
	if err != nil {
		return err
	}
	f.temp = f.file.Name()
	begun(f.temp)
	if t.info != nil {
		keepOwner(f.file, t.info)
		if err = f.file.Chmod(t.info.Mode().Perm()); err != nil {
			f.Abandon()
		}
	}
	return err
}

// keepOwner gives a file the owner and the group of the one that it replaces: whoever reads that can
// read this. Only root can do it, and only Unix has such owners.
var keepOwner = func(*os.File, fs.FileInfo) {}

// createBeside creates a file in the directory of target, with the permissions that new
// files get there. It makes the directory where there is none.
func createBeside(target string) (f *os.File, err error) {
	if err = os.MkdirAll(filepath.Dir(target), 0o777); err != nil {
		return nil, err
	}
	for range 100 { // other running programs own the names that exist
		name := filepath.Join(filepath.Dir(target), fmt.Sprintf("%s%016x", Prefix, rand.Uint64()))
		f, err = os.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o666)
		if !errors.Is(err, fs.ErrExist) {
			break
		}
	}
	return f, err
}

// Write implements [io.Writer].
func (f *File) Write(p []byte) (n int, err error) {
	switch {
	case f.object:
		n, err = f.file.Write(p)
		return n, temporary(err)
	case f.temp != "":
		n, err = f.file.Write(p)
	default:
		n, err = waiting(func() (int, error) { return f.file.Write(p) })
	}
	return n, failure(f.name, err)
}

// close closes the file, once.
func (f *File) close() (err error) {
	if f.file != nil && !f.shared {
		err = f.file.Close()
	}
	f.file = nil
	return err
}

// Commit ends the file and gives it its name. After an error the old file is unchanged.
func (f *File) Commit() error {
	err := f.close()
	if err == nil && f.temp != "" {
		if f.object {
			err = f.send()
		} else {
			err = os.Rename(f.temp, f.target)
		}
	}
	if err != nil || f.object {
		f.Abandon()
	}
	ended(f.temp)
	return failure(f.name, err)
}

// send uploads the content of the temporary file as the object.
func (f *File) send() error {
	content, err := os.Open(f.temp)
	if err != nil {
		return temporary(err)
	}
	defer content.Close() // it was only read
	info, err := content.Stat()
	if err != nil {
		return temporary(err)
	}
	return storage.Put(f.name, content, info.Size())
}

// Abandon ends the file and leaves the old file unchanged. Data that was written directly
// stays written.
func (f *File) Abandon() {
	_ = f.close() // nothing reads it
	if f.temp != "" {
		_ = os.Remove(f.temp)
		ended(f.temp)
	}
}

// Write creates a file with the content that write writes. If write fails, the old file is
// unchanged.
func Write(name string, write func(io.Writer) error) error {
	f, err := Create(name)
	if err != nil {
		return err
	}
	whole := false
	defer func() {
		if !whole { // write may panic
			f.Abandon()
		}
	}()
	if err := write(f); err != nil {
		return err
	}
	whole = true
	return f.Commit()
}

// unfinished holds the names of files that are not yet complete.
var unfinished sync.Map

func begun(name string) { unfinished.Store(name, nil) }
func ended(name string) { unfinished.Delete(name) }

// Discard removes all files that are not yet complete, for a program that must end at once.
func Discard() {
	unfinished.Range(func(name, _ any) bool {
		_ = os.RemoveAll(name.(string)) // an error cannot be reported any more
		return true
	})
}
