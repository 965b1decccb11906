package storage

import (
	"errors"
	"io"
	"io/fs"
	"os"
)

// ErrStopped is the error of a reader that the user has stopped. What was read until then counts
// as the whole file.
var ErrStopped = errors.New("stopped by the user")

// Backend reads and writes objects. Several goroutines may call its methods at the same time.
// Its errors wrap an [Error] with the answer of the storage.
type Backend interface {
	// Stat describes an object, or a directory: a part of names that ends at a "/". Its Sys
	// returns an [Identity].
	Stat(name string) (fs.FileInfo, error)
	// Open reads an object from its start. It fails with [ErrReplaced] where the object is no
	// longer the one that Stat described.
	Open(name string) (io.ReadCloser, error)
	// ReadDir lists the objects and directories below a name.
	ReadDir(name string) ([]fs.DirEntry, error)
	// Put writes an object as a whole or not at all. Its content has size bytes.
	Put(name string, content io.ReadSeeker, size int64) error
}

// backend is nil in a build without object storage.
var backend Backend

// Use sets the backend, before anything is opened.
func Use(b Backend) { backend = b }

// Identity identifies an object. It differs between two objects that had the same name at
// different times.
type Identity struct {
	Name string // without its query
	Tag  string // what the storage calls the content: ETag or generation; empty for none
}

// Error is an error of a storage, with its cause in plain words.
type Error struct {
	What string // what is wrong
	Hint string // what to do
	Err  error  // [fs.ErrNotExist], [fs.ErrPermission] or another cause; nil for none
	// Temporary says that the same request may succeed later.
	Temporary bool
}

// Error says what is wrong and what to do.
func (e *Error) Error() string { return e.What + "; " + e.Hint }

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// none is the error of a build without a backend.
var none = &Error{
	What: "this build does not reach object storage",
	Hint: "mpanalyze-cloud is the same program and does: make cloud builds it",
}

// failure adds the operation and the name to an error, as package os does.
func failure(op, name string, err error) error {
	if err == nil || errors.Is(err, ErrStopped) {
		return err
	}
	return &fs.PathError{Op: op, Path: name, Err: err}
}

// Reached returns an error if the name is the name of an object and there is no backend.
func Reached(name string) error {
	if Is(name) && backend == nil {
		return failure("open", name, none)
	}
	return nil
}

// Stat is [os.Stat].
func Stat(name string) (fs.FileInfo, error) {
	if !Is(name) {
		return os.Stat(name)
	}
	if err := Reached(name); err != nil {
		return nil, err
	}
	info, err := backend.Stat(name)
	return info, failure("stat", name, err)
}

// Open opens a file for reading, as [os.Open] does. The reader of an object, too, returns a
// [fs.PathError].
func Open(name string) (io.ReadCloser, error) {
	if !Is(name) {
		f, err := os.Open(name)
		if err != nil {
			return nil, err // f in an interface would not be nil
		}
		return f, nil
	}
	if err := Reached(name); err != nil {
		return nil, err
	}
	r, err := backend.Open(name)
	if err != nil {
		return nil, failure("open", name, err)
	}
	return &object{r, name}, nil
}

// object is the reader of an object.
type object struct {
	io.ReadCloser
	name string
}

// Read implements [io.Reader].
func (o *object) Read(p []byte) (int, error) {
	n, err := o.ReadCloser.Read(p)
	if err != nil && err != io.EOF {
		err = failure("read", o.name, err)
	}
	return n, err
}

// ReadFile is [os.ReadFile].
func ReadFile(name string) ([]byte, error) {
	if !Is(name) {
		return os.ReadFile(name)
	}
	return (*Files)(nil).ReadFile(name)
}

// ReadDir is [os.ReadDir].
func ReadDir(name string) ([]fs.DirEntry, error) {
	if !Is(name) {
		return os.ReadDir(name)
	}
	if err := Reached(name); err != nil {
		return nil, err
	}
	entries, err := backend.ReadDir(name)
	return entries, failure("list", name, err)
}

// MkdirAll is [os.MkdirAll]. Object storage needs no directories.
func MkdirAll(name string) error {
	if Is(name) {
		return Reached(name)
	}
	return os.MkdirAll(name, 0o777)
}

// Put writes an object as a whole or not at all. Its content has size bytes.
func Put(name string, content io.ReadSeeker, size int64) error {
	if err := Reached(name); err != nil {
		return err
	}
	return failure("write", name, backend.Put(name, content, size))
}

// SameFile is [os.SameFile]. Two objects are the same if they have one name.
func SameFile(a, b fs.FileInfo) bool {
	x, object := a.Sys().(Identity)
	y, both := b.Sys().(Identity)
	if object || both {
		return object && both && x.Name == y.Name
	}
	return os.SameFile(a, b)
}

// Tag returns the mark of an object's content, such as its ETag. It is empty for files.
func Tag(info fs.FileInfo) string {
	id, _ := info.Sys().(Identity)
	return id.Tag
}
