package hosts

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"mpanalyze/internal/storage"
)

// Follower reads the files of ss in a folder while they grow. Files may come later. It does not
// follow compressed files, and takes no notice of one that is cut or replaced.
type Follower struct {
	path  string
	files []*growing // bounded by the files of the folder
}

// growing is a file that is read as far as it has grown.
type growing struct {
	name   string
	size   int64    // when it was last looked at without being known
	file   *os.File // nil as long as it is not known to be of ss
	reader *ssReader
	lines  lines
	offset int64 // of the first line that was not given to reader
}

// Follow begins to follow a file, or the files of a folder.
func Follow(path string) (*Follower, error) {
	if _, err := os.Stat(path); err != nil {
		return nil, fmt.Errorf("--evidence %s: %w", path, storage.Cause(err))
	}
	return &Follower{path: path}, nil
}

// Close closes the files.
func (w *Follower) Close() (err error) {
	for _, g := range w.files {
		if g.file != nil {
			err = errors.Join(err, g.file.Close())
		}
	}
	w.files = nil
	return err
}

// Until hands out the rows of samples up to a time by the host's clock, as far as the files have
// grown. Rows without a stamp are left out. The last row of a file waits for the stamp or the row
// behind it.
func (w *Follower) Until(at int64, take func(*Row)) error {
	if err := w.look(); err != nil {
		return err
	}
	for _, g := range w.files {
		if g.file == nil && !g.known() {
			continue
		}
		g.reader.take = func(r *Row) {
			if r.Stamp != NoStamp && !r.Listening() {
				take(r)
			}
		}
		if err := g.until(at); err != nil {
			return fmt.Errorf("--evidence %s: %w", g.name, storage.Cause(err))
		}
	}
	return nil
}

// look looks for files that are new.
func (w *Follower) look() error {
	names, err := filesAt(w.path)
	if err != nil {
		return err
	}
	for _, name := range names {
		if !slices.ContainsFunc(w.files, func(g *growing) bool { return g.name == name }) {
			w.files = append(w.files, &growing{name: name})
		}
	}
	return nil
}

// known opens the file if it is of ss. It looks at a file again when that has grown, because the
// first lines may not have been there.
func (g *growing) known() bool {
	info, err := os.Stat(g.name)
	if err != nil || !info.Mode().IsRegular() || info.Size() == g.size || g.size >= sniffed {
		return false
	}
	if g.size = info.Size(); !IsSS(g.name) {
		return false
	}
	file, err := os.Open(g.name)
	if err != nil {
		return false
	}
	g.lines.r = bufio.NewReaderSize(file, sniffed)
	if head, err := g.lines.r.Peek(sniffed); err != nil && !errors.Is(err, io.EOF) || isBinary(head) { // compressed
		_ = file.Close()
		return false
	}
	g.file = file
	g.reader = newSSReader(&File{Path: g.name, Name: filepath.Base(g.name), Kind: SS, First: NoStamp, Last: NoStamp}, nil)
	return true
}

// until reads lines up to the first stamp behind at. A line without an end may go on later.
func (g *growing) until(at int64) error {
	if _, err := g.file.Seek(g.offset, io.SeekStart); err != nil {
		return err
	}
	g.lines.r.Reset(g.file)
	for l := &g.lines; g.reader.stamp <= at && l.next(); g.offset += int64(l.size) {
		if l.broken {
			l.n--
			break
		}
		g.reader.line(l)
	}
	return g.lines.err
}
