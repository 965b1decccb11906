package output

import (
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"mpanalyze/internal/storage"
)

// An object is written into a temporary file first. When that is whole, it is sent: again
// where the storage does not take it, and never a part of it.

// openObject is open for an object.
func (f *File) openObject() (err error) {
	if err := storage.Reached(f.name); err != nil {
		return err
	}
	f.object = true
	if f.file, err = os.CreateTemp("", Prefix); err != nil {
		return temporary(err)
	}
	f.temp = f.file.Name()
	begun(f.temp)
	return nil
}

// put uploads the temporary file as the object, and removes the file.
func (f *File) put() error {
	defer f.Abandon()
	return failure(f.name, send(f.name, f.file))
}

// send uploads the content of an open file as an object.
func send(name string, f *os.File) error {
	size, err := f.Seek(0, io.SeekEnd)
	if err == nil {
		_, err = f.Seek(0, io.SeekStart)
	}
	if err != nil {
		return temporary(err)
	}
	return storage.Put(name, f, size)
}

// openObjects is OpenDir for a directory in object storage.
func (d *Dir) openObjects() (err error) {
	if err := storage.Reached(d.name); err != nil {
		return failure(d.name, err)
	}
	d.objects = true
	if d.temp, err = os.MkdirTemp("", Prefix); err != nil {
		return temporary(err)
	}
	begun(d.temp)
	return nil
}

// putAll uploads all files as objects. It stops at the first one that the storage does not
// take.
func (d *Dir) putAll(entries []fs.DirEntry) (err error) {
	defer d.remove()
	var missing []string
	for _, e := range entries {
		if err == nil {
			err = d.putOne(e.Name())
		}
		if err != nil {
			missing = append(missing, e.Name())
		}
	}
	return d.without(missing, cause(err))
}

func (d *Dir) putOne(file string) error {
	f, err := os.Open(filepath.Join(d.temp, file))
	if err != nil {
		return temporary(err)
	}
	if err = send(storage.Join(d.name, file), f); err != nil {
		f.Close() // it was only read
		return err
	}
	return f.Close()
}
