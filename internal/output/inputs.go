package output

import (
	"errors"
	"fmt"
	"os"
	"strings"

	"mpanalyze/internal/storage"
)

// Inputs are the files that a command reads and must not write.
type Inputs struct {
	names []string
	files []os.FileInfo
}

// Add notes a file that is read. It ignores files that do not exist, and pipes and devices:
// writing to those is no mistake.
func (in *Inputs) Add(name string) {
	if info, err := storage.Stat(name); err == nil {
		in.add(name, info)
	}
}

// AddStream notes an open file that is read.
func (in *Inputs) AddStream(name string, f *os.File) {
	if info, err := f.Stat(); err == nil {
		in.add(name, info)
	}
}

func (in *Inputs) add(name string, info os.FileInfo) {
	if info.Mode().IsRegular() {
		in.names, in.files = append(in.names, name), append(in.files, info)
	}
}

// Refuse returns an error if an output is one of the inputs, also under another name or by a link.
func (in *Inputs) Refuse(output string) error {
	info, err := storage.Stat(output)
	if err != nil {
		return nil // there is no such file yet
	}
	return in.refuse(output, info)
}

// RefuseStream is Refuse for an open file.
func (in *Inputs) RefuseStream(name string, f *os.File) error {
	info, err := f.Stat()
	if err != nil {
		return nil // it is not known, and writing will fail
	}
	return in.refuse(name, info)
}

// RefuseIn is Refuse for all files of a directory whose names end in suffix. It is for
// outputs whose names come from the names of inputs.
func (in *Inputs) RefuseIn(dir, suffix string) (err error) {
	entries, _ := storage.ReadDir(dir) // without a directory there is nothing to overwrite
	for _, e := range entries {
		if strings.HasSuffix(e.Name(), suffix) {
			err = errors.Join(err, in.Refuse(storage.Join(dir, e.Name())))
		}
	}
	return err
}

func (in *Inputs) refuse(name string, info os.FileInfo) error {
	for i, f := range in.files {
		if storage.SameFile(f, info) {
			return fmt.Errorf("%s would be written over the input %s: name another file", name, in.names[i])
		}
	}
	return nil
}
