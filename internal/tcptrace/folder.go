package tcptrace

import (
	"os"
	"slices"

	"mpanalyze/internal/output"
)

// folder is a directory whose files grow while a capture is read. A packet adds a line to about
// six files, and there may be more files than a process may have open. So lines wait in buffers,
// and only the files that were written last are open. After the first error nothing is written.
type folder struct {
	dir     *output.Dir
	err     error
	open    []*file            // in the order of their latest write; at most maxOpen
	waiting map[*file]struct{} // files with a buffer: the files of connections that have not ended
	held    int                // bytes of these buffers; at most maxHeld and one line
}

const (
	// bufferSize is how much of a file waits in memory, at most.
	bufferSize = 64 << 10
	// maxHeld bounds the buffers of all files together.
	maxHeld = 32 << 20
	// maxOpen bounds the files that are open at the same time. Systems allow at least 256.
	maxOpen = 64
)

// file is a file of a folder. Its owner appends to buf and calls spill, and at the end
// close.
type file struct {
	folder *folder
	name   string
	buf    []byte
	held   int      // part of folder.held that is for buf
	out    *os.File // nil while closed
	begun  bool     // it exists, and what was written before is in it
}

// spill writes the buffer to the file if it is full. If all buffers together are too large, it
// writes all of them.
func (f *file) spill() {
	if cap(f.buf) != f.held {
		f.folder.count(f)
	}
	if len(f.buf) >= bufferSize {
		f.flush()
	}
}

// count adds the growth of a buffer to held. If all buffers together are too large, it writes
// and frees all of them.
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

// flush writes the buffer to the file and keeps the file open.
func (f *file) flush() {
	if d := f.folder; d.err == nil && len(f.buf) > 0 {
		if d.err = d.opened(f); d.err == nil {
			_, err := f.out.Write(f.buf)
			d.err = d.dir.Failed(f.name, err)
		}
	}
	f.buf = f.buf[:0]
}

// release frees the buffer.
func (f *file) release() {
	delete(f.folder.waiting, f)
	f.folder.held -= f.held
	f.buf, f.held = nil, 0
}

// close writes the rest of the buffer and closes the file. The file may be empty.
func (f *file) close() {
	d := f.folder
	if !f.begun && d.err == nil {
		d.err = d.opened(f)
	}
	f.flush()
	d.shut(f)
	f.release()
}

// opened opens a file unless it is open. If too many files are open, it closes the file that was
// not written for the longest time.
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

// Finish gives all files their names if all are complete. Else it returns the error. Call it
// after all connections have ended.
func (d *folder) Finish() error {
	if d.err != nil {
		d.Abandon()
		return d.err
	}
	return d.dir.Commit()
}

// Abandon leaves the directory as it was.
func (d *folder) Abandon() {
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
