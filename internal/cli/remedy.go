package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"mpanalyze/internal/capture"
	"mpanalyze/internal/catalogue"
	"mpanalyze/internal/output"
	"mpanalyze/internal/storage"
)

// causes returns the errors that were joined in err, each alone.
func causes(err error) (all []error) {
	if joined, ok := err.(interface{ Unwrap() []error }); ok && joinsLines(err, joined.Unwrap()) {
		for _, e := range joined.Unwrap() {
			all = append(all, causes(e)...)
		}
		return all
	}
	if inner := errors.Unwrap(err); inner != nil && inner.Error() == err.Error() {
		if parts := causes(inner); len(parts) > 1 {
			return parts
		}
	}
	return []error{err}
}

// joinsLines reports whether the text of err has one line for each of its parts, as
// [errors.Join] makes it.
func joinsLines(err error, parts []error) bool {
	var lines []string
	for _, e := range parts {
		lines = append(lines, e.Error())
	}
	return err.Error() == strings.Join(lines, "\n")
}

// withRemedy returns err's text. If the text does not say what to do, it adds that.
func withRemedy(err error) string {
	text := err.Error()
	if out := new(output.Error); errors.As(err, &out) && !errors.As(err, new(*storage.Error)) {
		return text + outputRemedy(out)
	}
	if object := new(storage.Error); errors.As(err, &object) {
		return withoutOperation(err) // the text of the storage already says what to do
	}
	var name string
	var opened *capture.OpenError
	var path *fs.PathError
	switch {
	case errors.As(err, &opened):
		name = opened.File
	case errors.As(err, &path):
		// The operation that failed is of no help: "stat x: no such file" is "x: no such file".
		name, text = path.Path, withoutOperation(err)
	}
	switch {
	case name == os.Stdout.Name():
		text = strings.ReplaceAll(text, name, "standard output")
		if full(err) {
			text += "; make room, or redirect it to another disk"
		}
	case name == "":
	case errors.Is(err, fs.ErrPermission) && opened != nil:
		text += "; captures are often readable by root only: change the owner or run with its rights"
	case errors.Is(err, fs.ErrPermission):
		text += "; change its owner or its rights, or run with those of the owner"
	case errors.Is(err, fs.ErrNotExist):
		text += missing(name)
	}
	return text
}

// full reports whether there was no room for an output.
func full(err error) bool {
	return errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) || errors.Is(err, syscall.EFBIG)
}

// outputRemedy says what to do where an output cannot be written.
func outputRemedy(e *output.Error) string {
	switch {
	case e.Temp:
		return ""
	case full(e):
		return "; make room or name a place on another disk"
	case errors.Is(e, fs.ErrPermission), errors.Is(e, syscall.EROFS):
		return "; name a place that you may write to"
	case errors.Is(e, syscall.EISDIR):
		return "; name a file in it"
	case errors.Is(e, syscall.ENOTDIR):
		return "; name a directory"
	}
	return "; name another place"
}

// mostEntries is the largest number of names of a directory that missing compares.
const mostEntries = 10000

// missing suggests names of existing files that are similar to the name of a missing file.
func missing(name string) string {
	dir, base := filepath.Split(name)
	d, err := os.Open(filepath.Clean(dir)) // "." for no directory
	if err != nil {
		return fmt.Sprintf("; there is no directory %s", filepath.Clean(dir))
	}
	defer d.Close()
	names, _ := d.Readdirnames(mostEntries) // what cannot be read is not suggested
	if near := catalogue.Near(base, names); len(near) > 0 {
		for i := range near {
			near[i] = dir + near[i]
		}
		return "; did you mean " + strings.Join(near, ", ") + "?"
	}
	return "; check the name and the directory"
}

// withoutOperation returns err's text without the name of the operation that failed. The
// message of the storage is enough.
func withoutOperation(err error) string {
	text := err.Error()
	if path := new(fs.PathError); errors.As(err, &path) {
		text = strings.ReplaceAll(text, path.Error(), path.Path+": "+path.Err.Error())
	}
	return text
}
