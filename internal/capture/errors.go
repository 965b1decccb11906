package capture

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"

	"github.com/klauspost/compress/zstd"

	"mpanalyze/internal/storage"
)

// ErrStopped is the error of a reader of a capture that the user has stopped. The capture ends
// there and is not damaged.
var ErrStopped = storage.ErrStopped

// DamageError says where a capture stops being readable. All packets before that place
// were delivered; the rest of that file was not.
type DamageError struct {
	File        string // path as it was given, "-" for standard input
	Compression string // see [FileInfo]; unless it is empty, Offset counts uncompressed bytes
	Packet      uint64 // number within the file, from 1, of the packet that could not be read
	Offset      int64  // offset in bytes of the record, block or header that is damaged
	What        string // what is wrong
	Hint        string // what the user can do
	Err         error  // the cause, if another layer reported one
	Read        error  // what the system or the store said when it could not read on; nil where the content is at fault
}

// Error names the file, the packet, the byte offset, the damage and the remedy.
func (e *DamageError) Error() string {
	where := ""
	if e.Compression != "" {
		where = " of the uncompressed data"
	}
	msg := fmt.Sprintf("%s: packet %d, byte offset %d%s: %s", e.File, e.Packet, e.Offset, where, e.What)
	if e.Err != nil && !errors.Is(e.Err, io.ErrUnexpectedEOF) { // What says that already
		msg += ": " + e.Err.Error()
	}
	hint, whole := strings.CutPrefix(e.Hint, hintBefore)
	switch {
	case !whole:
	case e.Packet > 1:
		hint = hintBefore + hint
	default:
		hint = "no packet of it was read; " + hint
	}
	return msg + "; " + hint
}

// Unwrap returns the error of the system or the store, else the cause.
func (e *DamageError) Unwrap() error {
	if e.Read != nil {
		return e.Read
	}
	return e.Err
}

// OpenError says that the system cannot open a file.
type OpenError struct {
	File string // path as it was given
	Err  error  // the error of the system, without the path
}

// Error names the file and the error of the system.
func (e *OpenError) Error() string { return e.File + ": " + e.Err.Error() }

// Unwrap returns the error of the system.
func (e *OpenError) Unwrap() error { return e.Err }

// NotOpened returns an OpenError with the error of the system.
func NotOpened(path string, err error) error {
	return &OpenError{path, storage.Cause(err)}
}

// NotCaptureError says that a file is no capture, or none that this package can read.
type NotCaptureError struct {
	File        string // path as it was given, "-" for standard input
	Compression string // compression that was unpacked to read the content, see [FileInfo]
	Found       string // what the file contains instead
	Hint        string // what the user can do
}

// Error names the file, what was found in it and the remedy.
func (e *NotCaptureError) Error() string {
	in := ""
	if e.Compression != "" {
		in = " inside " + e.Compression
	}
	return fmt.Sprintf("%s: not a capture: found %s%s; %s", e.File, e.Found, in, e.Hint)
}

const (
	hintBefore  = "the packets before it were read; "
	hintCut     = hintBefore + "if the original is complete, copy it again"
	hintDamaged = hintBefore + "the file was altered or its writer is at fault"
	hintPacked  = hintBefore + "test the file with the program that compressed it"
)

// damaged returns a DamageError; the file being read adds its name and the packet
// number.
func damaged(offset int64, format string, args ...any) error {
	return &DamageError{Offset: offset, What: fmt.Sprintf(format, args...), Hint: hintDamaged}
}

// shortRead returns an error that says why only have of the want bytes of a record, block or
// header were read. If the file ends between two records, that is no damage, and the error is
// io.EOF. The end of a compressed stream without its trailer is damage.
func shortRead(compression string, offset int64, unit string, have, want int, err error) error {
	var disk *fs.PathError
	var object *storage.Error
	switch {
	case err == io.EOF && have == 0:
		return io.EOF
	case err == io.EOF:
		return &DamageError{
			Offset: offset, Hint: hintCut,
			What: fmt.Sprintf("the file ends after %d of the %d bytes of this %s", have, want, unit),
		}
	case errors.As(err, &object):
		return &DamageError{
			Offset: offset, Hint: hintBefore + object.Hint,
			What: fmt.Sprintf("reading failed after %d of the %d bytes of this %s: %s", have, want, unit, object.What),
		}
	case errors.As(err, &disk) || compression == "":
		return &DamageError{
			Offset: offset, Hint: hintBefore + "check the medium", Err: err,
			What: fmt.Sprintf("reading failed after %d of the %d bytes of this %s", have, want, unit),
		}
	case errors.Is(err, zstd.ErrWindowSizeExceeded):
		return &DamageError{
			Offset: offset, Hint: hintBefore + "unpack the file with zstd -d --long=31 and give the result",
			What: fmt.Sprintf("the zstd data cannot be unpacked: its window is larger than %d bytes", maxZstdWindow),
		}
	case errors.Is(err, io.ErrUnexpectedEOF):
		return &DamageError{
			Offset: offset, Hint: hintCut, Err: err,
			What: fmt.Sprintf("the %s data ends after %d of the %d bytes of this %s", compression, have, want, unit),
		}
	}
	return &DamageError{
		Offset: offset, Hint: hintPacked, Err: err,
		What: fmt.Sprintf("the %s data is corrupt after %d of the %d bytes of this %s", compression, have, want, unit),
	}
}
