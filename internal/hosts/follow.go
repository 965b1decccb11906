package hosts

import (
	"bufio"
	"io"
	"os"
	"slices"
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
	size   int64     // when it was last looked at without being known
	reader *ssReader // nil as long as it is not known to be of ss
	lines  lines
	offset int64 // of the first line that was not given to reader
}

// Follow begins to follow a file, or the files of a folder.
func Follow(path string) (*Follower, error) {
	if _, err := os.Stat(path); err != nil {
		return nil, failed(path, err)
	}
	return &Follower{path: path}, nil
}

// Until hands out the rows of samples up to a time by the host's clock, as far as the files have
// grown. Rows without a stamp are left out. The last row of a file waits for the stamp or the row
// behind it.
func (w *Follower) Until(at int64, take func(*Row)) error {
	names, _, _ := filesAt(w.path) // what cannot be read now may be there later
	for _, name := range names {
		if !slices.ContainsFunc(w.files, func(g *growing) bool { return g.name == name }) {
			w.files = append(w.files, &growing{name: name})
		}
	}
	for _, g := range w.files {
		if err := g.until(at, take); err != nil {
			return failed(g.name, err)
		}
	}
	return nil
}

// until reads lines up to the first stamp behind at. A line without an end may go on later. A file that is
// not of ss is looked at again when it has grown, because the first lines may not have been there.
func (g *growing) until(at int64, take func(*Row)) error {
	info, err := os.Stat(g.name)
	if err != nil || !info.Mode().IsRegular() || g.reader == nil && (info.Size() == g.size || g.size >= maxLine) {
		return nil
	}
	file, err := os.Open(g.name)
	if err != nil {
		return err
	}
	defer func() { _ = file.Close() }() // it was only read
	if g.reader == nil {
		g.size, g.lines.r = info.Size(), bufio.NewReaderSize(file, maxLine)
		head, _ := g.lines.r.Peek(maxLine) // at least what is there
		if k, _ := kindOf(head); k != SS {
			return nil
		}
		g.reader = newSSReader(newFile(g.name), nil)
	}
	g.reader.take = func(r *Row) {
		if r.Stamp != NoStamp && !r.Listening() {
			take(r)
		}
	}
	if _, err := file.Seek(g.offset, io.SeekStart); err != nil {
		return err
	}
	g.lines.r.Reset(file)
	for l := &g.lines; g.reader.stamp <= at && l.next(); g.offset += int64(l.size) {
		if l.broken {
			l.n--
			break
		}
		g.reader.line(l)
	}
	return g.lines.err
}
