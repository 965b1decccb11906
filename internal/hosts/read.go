package hosts

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"mpanalyze/internal/capture"
	"mpanalyze/internal/report"
	"mpanalyze/internal/storage"
)

// Read reads the records of all sources. Sources of one end are one host; files without an
// end are one host, too, and so is each folder without one. visitor is called once for each
// host, before its files are read; it returns what takes the rows of ss, each in the order of its file and
// valid during the call. Read fails if a path cannot be read, or a folder holds
// nothing that is known. files holds what else reads the records; nil for nothing.
func Read(sources []Source, files *storage.Files, visitor func(*Host) func(*Row)) ([]*Host, error) {
	all, err := plan(sources, files)
	if err != nil {
		return nil, err
	}
	order := func(f *File) int { // samples with stamps first, so that it is known whether a bundle adds anything to them
		switch {
		case f.Kind == SS && f.stamped:
			return 0
		case f.Kind == Bundle:
			return 2
		}
		return 1
	}
	for _, h := range all {
		h.take = visitor(h)
		for _, f := range slices.SortedStableFunc(slices.Values(h.Files), func(x, y *File) int { return order(x) - order(y) }) {
			if f.Kind == Unknown {
				continue
			}
			if err := eachLine(f, h.partReader(f, beforeAfter(f.Name))); err != nil {
				return nil, err
			}
		}
		h.settle()
	}
	return all, nil
}

// Reread hands the rows of a file of ss to take once more.
func Reread(f *File, take func(*Row)) error {
	if f.Kind != SS || f.Part != "" {
		return nil
	}
	s := newSSReader(newFile(f.Path), take)
	return eachLine(s.file, partReader{s.line, s.flush})
}

// Records returns the files at a path that [Read] reads: the file itself, or those of a folder that
// hold a record. There are none where the path cannot be read.
func Records(path string) (names []string) {
	all, _ := plan([]Source{{Path: path}}, nil)
	for _, h := range all {
		for _, f := range h.Files {
			if f.Kind != Unknown || f.Path == path {
				names = append(names, f.Path)
			}
		}
	}
	return names
}

// failed is the error of a path that cannot be read.
func failed(path string, err error) error {
	return fmt.Errorf("--evidence %s: %w", path, storage.Cause(err))
}

// plan finds the files of all hosts, and what they are.
func plan(sources []Source, files *storage.Files) (all []*Host, err error) {
	of, seen := map[string]*Host{}, map[string]bool{}
	for _, s := range sources {
		names, folder, err := filesAt(s.Path)
		if err != nil {
			return nil, failed(s.Path, err)
		}
		key := "end " + string(s.End)
		if s.End == "" && folder {
			key = "folder " + filepath.Clean(s.Path)
		}
		if of[key] == nil {
			of[key] = &Host{End: s.End}
			all = append(all, of[key])
		}
		h := of[key]
		h.From = append(h.From, s.Path)
		known := !folder
		for _, name := range names {
			if once := key + "\n" + filepath.Clean(name); !seen[once] {
				seen[once] = true
				f := newFile(name)
				f.files = files
				if err := f.sniff(); err != nil {
					return nil, failed(name, err)
				}
				h.Files, known = append(h.Files, f), known || f.Kind != Unknown
			}
		}
		if !known {
			return nil, fmt.Errorf("--evidence %s: the folder holds no record of a host; give one with the output of ss, nstat, ip mptcp and the like", s.Path)
		}
	}
	return all, nil
}

// filesAt returns a file, or the files of a folder but those of folders in it.
func filesAt(path string) (names []string, folder bool, err error) {
	if info, err := storage.Stat(path); err != nil || !info.IsDir() {
		return []string{path}, false, err
	}
	entries, err := os.ReadDir(path)
	for _, e := range entries {
		name := filepath.Join(path, e.Name())
		if info, err := os.Stat(name); err == nil && info.Mode().IsRegular() && e.Name()[0] != '.' {
			names = append(names, name)
		}
	}
	return names, true, err
}

// emptyKind returns the kind of an empty file by its name.
var emptyKind = firstOf("empty.txt", "", "")

// sniff finds out what a file is.
func (f *File) sniff() error {
	r, done, err := f.open()
	if err != nil {
		return err
	}
	defer done()
	head, err := r.Peek(maxLine)
	switch {
	case storage.Temporary(err):
		return err
	case err != nil && !errors.Is(err, io.EOF) && len(head) == 0:
		f.Status, f.Strange, f.Reason = report.RecordUnused, true, "it cannot be read: "+err.Error()
	case capture.IsCapture(head):
		f.Status, f.Reason = report.RecordUnused, "it is a capture"
	case bytes.HasPrefix(head, []byte("# missing tools")):
		f.Status, f.Reason = report.RecordUnused, "it lists missing tools"
	case len(bytes.TrimSpace(head)) > 0:
		if f.Kind, f.stamped = kindOf(head); f.Kind == Unknown {
			f.Status, f.Strange, f.Reason = report.RecordUnused, true, "its content is not known"
		}
	default:
		if f.Kind = Kind(emptyKind(strings.ToLower(f.Name))); f.Kind == Unknown {
			f.Status, f.Reason = report.RecordUnused, "it is empty"
		}
	}
	return nil
}

// open opens a file, compressed or not.
func (f *File) open() (r *bufio.Reader, done func(), err error) {
	file, err := f.files.Open(f.Path)
	if err != nil {
		return nil, nil, err
	}
	content, release, err := capture.Uncompressed(bufio.NewReaderSize(file, maxLine))
	if err != nil {
		return nil, nil, errors.Join(err, file.Close())
	}
	return bufio.NewReaderSize(content, maxLine), func() {
		release()
		_ = file.Close() // it was only read
	}, nil
}

// eachLine hands each line of a file to what reads it. A file that cannot be read to its end,
// as compressed data that was cut, is used as far as it can be read.
func eachLine(f *File, p partReader) error {
	r, done, err := f.open()
	if err != nil {
		return failed(f.Path, err)
	}
	defer done()
	l := &lines{r: r}
	for l.next() {
		p.line(l)
	}
	if storage.Temporary(l.err) {
		return failed(f.Path, l.err)
	}
	if l.err != nil && f.Cut == 0 {
		f.cut(l.n)
	}
	p.end()
	return nil
}

// partReader reads a file, or a part of a bundle.
type partReader struct {
	line func(*lines)
	end  func()
}

// partReader returns what reads a file of a kind.
func (h *Host) partReader(f *File, rank int) partReader {
	var read func(*lines) bool // reports whether a line counts
	switch f.Kind {
	case SS:
		return h.sampleReader(f)
	case Bundle:
		b := &bundleReader{host: h, bundle: f}
		return partReader{b.line, func() {
			b.endPart()
			f.settle()
		}}
	case ProcMPTCP:
		read = h.procReader(f)
	case Nstat:
		read = h.counterReader(f, rank)
	default:
		read = h.formReader(f, rank)
	}
	last := int64(NoStamp) // stamp: of the line, or of the lines below it
	return partReader{func(l *lines) {
		l.stamp = last
		counts := len(l.text) > 0 && read(l)
		if stamp, rest, _, ok := stampOf(l.text); ok && !counts {
			last, l.stamp, l.text = stamp, stamp, rest
			counts = len(rest) > 0 && read(l)
		}
		if counts {
			f.Rows++
		} else {
			f.leave(l)
		}
	}, f.settle}
}

// sampleReader reads samples of ss. Samples without time add nothing to samples with time:
// they are of the same sockets.
func (h *Host) sampleReader(f *File) partReader {
	known := h.sampled
	s := newSSReader(f, func(r *Row) {
		if !known || r.Stamp != NoStamp {
			h.row(r)
		}
		h.sampled = h.sampled || r.Stamp != NoStamp
	})
	return partReader{s.line, func() {
		s.flush()
		f.settle()
		if known && f.First == NoStamp {
			f.Status, f.Reason, f.RowsUnused = report.RecordUnused, "samples with stamps are used instead", f.Rows
		}
	}}
}

// row hands out a row, and keeps what it says about the host.
func (h *Host) row(r *Row) {
	if !r.Listening() {
		h.take(r)
		return
	}
	l := &Record{Ref: r.Ref, Thing: Thing{Listener, "plain"}, Local: r.Local}
	switch {
	case r.MPTCP:
		l.Name = "mptcp"
	case !r.Has(Cwnd) && r.Control == "":
		l.Name = ""
	}
	same := func(o *Record) bool { return o.Local.Port() == r.Local.Port() && (o.Name == "mptcp") == r.MPTCP }
	if r.Local.IsValid() && h.First(Listener, same) == nil {
		h.add(l)
	}
}
