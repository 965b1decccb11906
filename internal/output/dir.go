package output

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"mpanalyze/internal/storage"
)

// Dir is a directory whose new files appear together, once all of them are complete. Until
// then they are in a directory inside it, so that renaming stays in one file system. Only
// one goroutine at a time may use it.
type Dir struct {
	name  string
	temp  string            // the directory of the new files
	made  bool              // there was no such directory before
	other map[string]string // paths of files that are pipes, devices or symbolic links, by name
	links []*File           // the files among these that are replaced
	// objects says that the name is a directory in object storage, and temp a directory for
	// temporary files.
	objects bool
}

// maxListed is how many files a message names.
const maxListed = 10

// OpenDir makes a directory if there is none, and begins to write files into it.
func OpenDir(name string) (*Dir, error) {
	d := &Dir{name: name, other: map[string]string{}}
	if storage.Is(name) {
		return d, d.openObjects()
	}
	if _, err := os.Stat(name); errors.Is(err, fs.ErrNotExist) {
		d.made = true
	}
	if err := os.MkdirAll(name, 0o777); err != nil {
		return nil, failure(name, err)
	}
	var err error
	if d.temp, err = os.MkdirTemp(name, Prefix); err != nil {
		return nil, failure(name, err)
	}
	begun(d.temp)
	return d, nil
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
// there any number of times until Commit.
func (d *Dir) Path(file string) (string, error) {
	if d.objects {
		return filepath.Join(d.temp, file), nil
	}
	if path, found := d.other[file]; found {
		return path, nil
	}
	full := filepath.Join(d.name, file)
	info, err := os.Lstat(full)
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return "", failure(full, err)
	case info.Mode().IsRegular():
		if err := writable(full); err != nil {
			return "", failure(full, err)
		}
	default:
		return d.special(file, full)
	}
	return filepath.Join(d.temp, file), nil
}

// special is Path for a file that is a pipe, a device, a symbolic link or a directory.
func (d *Dir) special(file, full string) (string, error) {
	t, err := resolve(full)
	if err != nil {
		return "", failure(full, err)
	}
	path := t.path
	if !t.direct { // it may be on another file system: it is replaced by itself
		f, err := Create(full)
		if err != nil {
			return "", err
		}
		d.links, path = append(d.links, f), f.temp
	}
	d.other[file] = path
	return path, nil
}

// Create creates a file of the directory.
func (d *Dir) Create(file string) (*os.File, error) {
	path, err := d.Path(file)
	if err != nil {
		return nil, err
	}
	mode := os.O_RDWR | os.O_CREATE | os.O_TRUNC
	if _, special := d.other[file]; special {
		mode = os.O_WRONLY // a pipe waits for its reader
	}
	f, err := waiting(func() (*os.File, error) { return os.OpenFile(path, mode, 0o666) })
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
// files that are missing.
func (d *Dir) Commit() error {
	entries, err := os.ReadDir(d.temp)
	if err != nil {
		d.Abandon()
		return failure(d.name, err)
	}
	if d.objects {
		return d.putAll(entries)
	}
	var missing []string
	for _, e := range entries {
		if failed := os.Rename(filepath.Join(d.temp, e.Name()), filepath.Join(d.name, e.Name())); failed != nil {
			err, missing = cause(failed), append(missing, e.Name())
		}
	}
	for _, f := range d.links {
		if e := f.Commit(); e != nil {
			err, missing = e, append(missing, filepath.Base(f.name))
		}
	}
	d.links = nil
	d.remove()
	return d.without(missing, err)
}

// without returns the error of a directory in which some files are missing, nil if none is.
func (d *Dir) without(missing []string, err error) error {
	if err == nil {
		return nil
	}
	return &Error{Name: d.name, Err: fmt.Errorf("%s not written, the others are: %w", listed(missing), err)}
}

// listed lists names, the first of them.
func listed(names []string) string {
	if len(names) > maxListed {
		return fmt.Sprintf("%s and %d more", strings.Join(names[:maxListed], ", "), len(names)-maxListed)
	}
	return strings.Join(names, ", ")
}

// Abandon leaves the directory as it was before.
func (d *Dir) Abandon() {
	for _, f := range d.links {
		f.Abandon()
	}
	d.links = nil
	d.remove()
	if d.made {
		_ = os.Remove(d.name) // it stays if another program put a file into it
	}
}

func (d *Dir) remove() {
	_ = os.RemoveAll(d.temp)
	ended(d.temp)
}
