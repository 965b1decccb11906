package hosts

import (
	"bytes"
	"fmt"
	"path/filepath"
	"strings"

	"mpanalyze/internal/report"
	"mpanalyze/internal/storage"
)

// File is one file as it was read, or one part of a bundle.
type File struct {
	Path    string // as it was opened
	Name    string // the last element of Path
	Kind    Kind
	Part    string // of a part of a bundle: its command; else empty
	Samples int64  // samples with at least one row
	Rows    int64  // rows of sockets, lines or entries of other kinds
	First   int64  // first stamp, ns since the Unix epoch; NoStamp if there is none
	Last    int64  // last stamp
	Status  report.RecordStatus
	Reason  string // why it is not used, or only in part; else empty
	Strange bool   // it is not used, and nothing explains what it is

	Cut           int // the first line in which a row ends too early; 0 for none
	CutRows       int64
	RowsUnused    int64 // rows that nobody can use
	Unread        int64 // lines that cannot be read
	UnknownFields int64 // fields of rows that are not known
	Resolution    int64 // of the stamps, ns; 0 if there is none

	Largest [2]Values // in the rows of TCP sockets, and of those of Multipath TCP: a field that is in none may not be printed

	stamped     bool // its first lines have stamps
	firstUnread string
	files       *storage.Files // see [Read]
}

// NoStamp is the stamp of a row without time.
const NoStamp = -1 << 63

// Ref is a place in a file.
type Ref struct {
	File *File
	Line int // from 1
}

// newFile returns a file of which nothing was read.
func newFile(path string) *File {
	return &File{Path: path, Name: filepath.Base(path), First: NoStamp, Last: NoStamp}
}

// stamp notes the stamp of a row.
func (f *File) stamp(at int64) {
	if f.First == NoStamp || at != NoStamp && at < f.First {
		f.First = at
	}
	f.Last = max(f.Last, at)
}

// cut notes a row that ends too early. Its values are not used.
func (f *File) cut(line int) {
	f.CutRows++
	if f.Cut == 0 {
		f.Cut = max(line, 1)
	}
}

// maxShown bounds the text of a line that is shown, bytes.
const maxShown = 60

// leave counts a line that cannot be read. Empty lines, comments, and the rules of grep say nothing.
func (f *File) leave(l *lines) {
	if len(l.text) == 0 || l.text[0] == '#' || string(l.text) == "--" {
		return
	}
	if f.Unread++; f.Unread == 1 {
		f.firstUnread = fmt.Sprintf("line %d: %s", l.n, strings.ToValidUTF8(string(bytes.TrimSpace(l.text[:min(len(l.text), maxShown)])), "?"))
	}
}

// settle sets the status of a file that was read.
func (f *File) settle() {
	f.Status = report.RecordPartly
	switch {
	case f.Unread > 0:
		f.Reason = fmt.Sprintf("lines that cannot be read: %d; the first is %s", f.Unread, f.firstUnread)
	case f.CutRows > 0 && f.Kind == Monitor:
		f.Reason = "an event ends too early"
	case f.CutRows > 0:
		f.Reason = "rows end too early"
	case f.Kind == Bundle && f.Rows == 0:
		f.Reason = "no command in it is known"
	default:
		f.Status = report.RecordUsed
		return
	}
	if f.Rows == 0 {
		f.Status = report.RecordUnused
	}
}
