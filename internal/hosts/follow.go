package hosts

import (
	"bytes"
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
	name    string
	size    int64    // when it was last looked at without being known
	file    *os.File // nil as long as it is not known to be of ss
	reader  *ssReader
	unread  []byte // read and not yet given to reader; bounded by followBlock and maxLine
	number  int    // of the line
	skipped bool   // the rest of a line that is too long is left out
}

// followBlock is how many bytes are read from a file at once.
const followBlock = 1 << 16

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
	names := []string{w.path}
	if info, err := os.Stat(w.path); err == nil && info.IsDir() {
		names = nil
		entries, err := os.ReadDir(w.path)
		if err != nil {
			return fmt.Errorf("--evidence %s: %w", w.path, storage.Cause(err))
		}
		for _, e := range entries {
			if e.Type().IsRegular() && e.Name()[0] != '.' {
				names = append(names, filepath.Join(w.path, e.Name()))
			}
		}
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
	if err != nil || !info.Mode().IsRegular() || info.Size() == g.size {
		return false
	}
	large := g.size >= sniffed
	g.size = info.Size()
	if large || !IsSS(g.name) {
		return false
	}
	if g.file, err = os.Open(g.name); err != nil {
		return false
	}
	if head := make([]byte, sniffed); !g.plainText(head) {
		_ = g.file.Close()
		g.file = nil
		return false
	}
	g.reader = newSSReader(&File{Path: g.name, Name: filepath.Base(g.name), Kind: SS, First: NoStamp, Last: NoStamp}, nil)
	return true
}

// plainText reports whether the file begins with text, and is not compressed.
func (g *growing) plainText(head []byte) bool {
	n, err := g.file.ReadAt(head, 0)
	return (err == nil || errors.Is(err, io.EOF)) && !isBinary(head[:n])
}

// until reads lines up to the first stamp behind at.
func (g *growing) until(at int64) error {
	for {
		for g.reader.stamp <= at {
			line, rest, whole := bytes.Cut(g.unread, []byte("\n"))
			if !whole {
				break
			}
			g.unread = rest
			g.number++
			if !g.skipped {
				g.reader.line(g.number, bytes.TrimRight(line, " \t\r"), false)
			}
			g.skipped = false
		}
		if g.reader.stamp > at {
			return nil
		}
		if len(g.unread) > maxLine {
			g.unread, g.skipped = nil, true
		}
		block := make([]byte, followBlock)
		n, err := g.file.Read(block)
		g.unread = append(g.unread[:len(g.unread):len(g.unread)], block[:n]...)
		switch {
		case n > 0:
		case err == nil || errors.Is(err, io.EOF):
			return nil
		default:
			return err
		}
	}
}
