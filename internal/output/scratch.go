package output

import (
	"os"
)

// Scratch is a temporary file for data that does not fit into memory. Where the system
// allows it, the file has no name, so that nothing is left of it, however the program ends.
// The caller of [NewScratch] must close it.
type Scratch struct {
	file *os.File
	temp string // its name until it is closed, where it must have one; else ""
}

// NewScratch creates a temporary file in the directory that TMPDIR names, or else in the
// system's directory for temporary files.
func NewScratch() (*Scratch, error) {
	f, err := os.CreateTemp("", Prefix)
	if err != nil {
		return nil, temporary(err)
	}
	s := &Scratch{file: f}
	if os.Remove(f.Name()) != nil { // some systems do not remove open files
		s.temp = f.Name()
		begun(s.temp)
	}
	return s, nil
}

// temporary wraps an error in writing a temporary file, and says where it is, as the user did not
// name it; nil stays nil.
func temporary(err error) error {
	if err == nil {
		return nil
	}
	return &Error{Name: "a temporary file in " + os.TempDir() + " (TMPDIR names another directory)", Err: err, Temp: true}
}

// Write implements [io.Writer].
func (s *Scratch) Write(p []byte) (int, error) {
	n, err := s.file.Write(p)
	return n, temporary(err)
}

// ReadAt implements [io.ReaderAt].
func (s *Scratch) ReadAt(p []byte, off int64) (int, error) { return s.file.ReadAt(p, off) }

// Close frees the space of the file.
func (s *Scratch) Close() error {
	err := s.file.Close()
	if s.temp != "" {
		_ = os.Remove(s.temp)
		ended(s.temp)
	}
	return err
}
