package output

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strings"

	"mpanalyze/internal/storage"
)

// Dir is a directory whose new files appear together, once all of them are complete. Until then
// each is a [File] without its name. Only one goroutine at a time may use it.
type Dir struct {
	name  string
	made  bool             // there was no such directory before
	files map[string]*File // closed; those that are replaced, by name
	other map[string]bool  // names of pipes and devices
}

// maxListed is how many files a message names.
const maxListed = 10

// OpenDir makes a directory if there is none, and begins to write files into it.
func OpenDir(name string) (*Dir, error) {
	d := &Dir{name: name, files: map[string]*File{}, other: map[string]bool{}}
	if storage.Is(name) {
		return d, failure(name, storage.Reached(name))
	}
	_, err := os.Stat(name)
	d.made = errors.Is(err, fs.ErrNotExist)
	return d, failure(name, os.MkdirAll(name, 0o777))
}

// WriteDir writes the files that write writes into a directory. If write fails, the directory stays as
// it was.
func WriteDir(name string, write func(*Dir) error) error {
	d, err := OpenDir(name)
	if err != nil {
		return err
	}
	if err := write(d); err != nil {
		d.Abandon()
		return err
	}
	return d.Commit()
}

// Write creates a file of the directory with the content that write writes.
func (d *Dir) Write(file string, write func(io.Writer) error) error {
	f, err := d.Create(file)
	if err != nil {
		return err
	}
	err = write(f)
	if e := f.Close(); err == nil {
		err = e
	}
	return d.Failed(file, err)
}

// Path returns where to write a file of the directory. The file may be created and opened
// there any number of times until Commit, which gives it its name even if nothing was written.
func (d *Dir) Path(file string) (string, error) {
	if f := d.files[file]; f != nil {
		return f.temp, nil
	}
	f := &File{name: storage.Join(d.name, file)}
	t, err := f.resolve()
	if err == nil && t.direct {
		d.other[file] = true
		return t.path, nil
	}
	if err == nil {
		err = f.begin(t)
	}
	if err != nil {
		return "", d.Failed(file, err)
	}
	d.files[file] = f
	return f.temp, d.Failed(file, f.close())
}

// Create creates a file of the directory.
func (d *Dir) Create(file string) (*os.File, error) {
	path, err := d.Path(file)
	if err != nil {
		return nil, err
	}
	mode := os.O_RDWR | os.O_TRUNC
	if d.other[file] {
		mode = os.O_WRONLY // a pipe waits for its reader
	}
	f, err := waiting(func() (*os.File, error) { return os.OpenFile(path, mode, 0) })
	return f, d.Failed(file, err)
}

// Failed wraps an error in writing a file of the directory. After it, call Abandon.
func (d *Dir) Failed(file string, err error) error {
	if err == nil || errors.As(err, new(*Error)) {
		return err
	}
	return &Error{Name: storage.Join(d.name, file), Err: err, dir: d.name}
}

// Commit gives all files their names. The caller must have closed them. The error names the
// files that are missing. After a store refused an object it is not asked again: each time may take minutes.
func (d *Dir) Commit() (err error) {
	var missing []string
	for _, name := range slices.Sorted(maps.Keys(d.files)) {
		f := d.files[name]
		if err != nil && storage.Is(f.name) {
			f.Abandon()
			missing = append(missing, name)
		} else if failed := f.Commit(); failed != nil {
			err, missing = failed, append(missing, name)
		}
	}
	if err == nil {
		return nil
	}
	if said := new(Error); errors.As(err, &said) {
		err = cause(said.Err)
	}
	if n := len(missing); n > maxListed {
		missing = append(missing[:maxListed-1], fmt.Sprintf("%s and %d more", missing[maxListed-1], n-maxListed))
	}
	return &Error{Name: d.name, Err: fmt.Errorf("%s not written, the others are: %w", strings.Join(missing, ", "), err)}
}

// Abandon leaves the directory as it was before.
func (d *Dir) Abandon() {
	for _, f := range d.files {
		f.Abandon()
	}
	if d.made {
		_ = os.Remove(d.name) // it stays if another program put a file into it
	}
}
