package tcptrace

import (
	"os"
	"slices"

	"mpanalyze/internal/output"
)

// folder is a directory whose files grow while a capture is read. A packet writes a
// line into half a dozen files, and there may be more files than a process may have
// open. So lines wait in buffers, and only the files written last are open. The first
// error ends the writing.
type folder struct {
	dir     *output.Dir
	err     error
	open    []*file            // in the order of their latest write; at most maxOpen
	waiting map[*file]struct{} // files with a buffer; those of connections under way
	held    int                // bytes of these buffers; at most maxHeld and one line
}

const (
	// bufferSize is how much of a file waits in memory, at most.
	bufferSize = 64 << 10
	// maxHeld bounds the buffers of all files together.
	maxHeld = 32 << 20
	// maxOpen bounds the files open at a time; systems allow from 256 on.
	maxOpen = 64
)

// file is a file of a folder. Its owner appends to buf and calls spill, and at the end
// close.
type file struct {
	folder *folder
	name   string
	buf    []byte
	held   int      // capacity of buf that the folder knows of
	out    *os.File // nil while closed
	begun  bool     // it exists, with earlier contents of the buffer
}

// spill writes the buffer out when it is full, and every buffer when together
// they hold too much.
func (f *file) spill() {
	if cap(f.buf) != f.held {
		f.folder.count(f)
	}
	if len(f.buf) >= bufferSize {
		f.flush()
	}
}

// count adds the growth of a buffer to held, and writes all buffers out where they hold
// too much.
func (d *folder) count(f *file) {
	if d.waiting == nil {
		d.waiting = map[*file]struct{}{}
	}
	d.waiting[f] = struct{}{}
	d.held += cap(f.buf) - f.held
	f.held = cap(f.buf)
	if d.held > maxHeld {
		for f := range d.waiting {
			f.flush()
			f.release()
		}
	}
}

// flush writes the buffer out and keeps the file open.
func (f *file) flush() {
	if d := f.folder; d.err == nil && len(f.buf) > 0 {
		if d.err = d.opened(f); d.err == nil {
			_, err := f.out.Write(f.buf)
			d.err = d.dir.Failed(f.name, err)
		}
	}
	f.buf = f.buf[:0]
}

// release gives the buffer back.
func (f *file) release() {
	delete(f.folder.waiting, f)
	f.folder.held -= f.held
	f.buf, f.held = nil, 0
}

// close writes the rest and ends the file, which may be empty.
func (f *file) close() {
	d := f.folder
	if f.begun {
		f.flush()
		d.shut(f)
	} else if d.err == nil {
		d.err = d.whole(f)
	}
	f.release()
}

// opened opens a file unless it is open. Where too many are open it closes the one that
// was written longest ago.
func (d *folder) opened(f *file) error {
	if f.out != nil {
		if i := len(d.open) - 1; d.open[i] != f {
			d.open = append(slices.DeleteFunc(d.open, func(x *file) bool { return x == f }), f)
		}
		return nil
	}
	if len(d.open) >= maxOpen {
		d.shut(d.open[0])
	}
	mode := os.O_WRONLY | os.O_CREATE | os.O_TRUNC
	if f.begun {
		mode = os.O_WRONLY | os.O_APPEND
	}
	path, err := d.dir.Path(f.name)
	if err != nil {
		return err
	}
	out, err := os.OpenFile(path, mode, 0o666)
	if err != nil {
		return d.dir.Failed(f.name, err)
	}
	f.out, f.begun = out, true
	d.open = append(d.open, f)
	return nil
}

// whole writes a file that fits into its buffer.
func (d *folder) whole(f *file) error {
	path, err := d.dir.Path(f.name)
	if err != nil {
		return err
	}
	return d.dir.Failed(f.name, os.WriteFile(path, f.buf, 0o666))
}

// finish gives all files their names, if all are whole, and returns the error that
// ended the writing.
func (d *folder) finish() error {
	if d.err != nil {
		d.abandon()
		return d.err
	}
	return d.dir.Commit()
}

// abandon leaves the directory as it was.
func (d *folder) abandon() {
	for len(d.open) > 0 {
		d.shut(d.open[0])
	}
	d.dir.Abandon()
}

// shut closes a file that may be open.
func (d *folder) shut(f *file) {
	if f.out == nil {
		return
	}
	if err := f.out.Close(); d.err == nil {
		d.err = d.dir.Failed(f.name, err)
	}
	f.out = nil
	d.open = slices.DeleteFunc(d.open, func(x *file) bool { return x == f })
}
