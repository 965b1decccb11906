package output

import (
	"os"
	"sync/atomic"
)

// Open is an open file, of which it can be told which one it is.
type Open interface {
	Stat() (os.FileInfo, error)
}

// Stream is an open pipe. [Waiting] knows of its writes.
type Stream struct{ file *os.File }

// NewStream returns a pipe as a stream.
func NewStream(f *os.File) *Stream { return &Stream{f} }

// Write implements [io.Writer].
func (s *Stream) Write(b []byte) (int, error) {
	return waiting(func() (int, error) { return s.file.Write(b) })
}

// Stat implements [Open].
func (s *Stream) Stat() (os.FileInfo, error) { return s.file.Stat() }

// calls counts the calls that may wait for the reader of a pipe; call is the one at work, 0 for none.
var calls, call atomic.Int64

// Waiting returns the number of the call that may wait for the reader of a pipe; 0 for none. A program
// that is to end gives it up if the number stays the same.
func Waiting() int64 { return call.Load() }

func waiting[T any](do func() (T, error)) (T, error) {
	call.Store(calls.Add(1))
	defer call.Store(0)
	return do()
}
