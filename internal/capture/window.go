package capture

import (
	"io"
)

const (
	// bufferSize bounds the length of a record, in bytes. So it bounds the memory that a length
	// in a file can cause.
	bufferSize = 1 << 20

	// readSize is the largest number of bytes that is read at once, unless a record is longer.
	// Larger reads cost the kernel less time: with 1 MiB a quarter less than with 64 KiB. But
	// the bytes should still be in the processor's cache when they are used: with 1 MiB, reading
	// and decoding takes a twelfth longer than with 256 KiB.
	readSize = 256 << 10

	// headroom is the space in the buffer before the place where reads put their bytes.
	headroom = 64 << 10

	// maxEmptyReads is how often a reader may return neither data nor an error until the window
	// returns an error.
	maxEmptyReads = 100
)

// A window is the part of a stream that is in memory. Records are used in place, without a copy.
// Each record is contiguous.
//
// When the next part is read, the rest of the previous part moves to the space before it. So a
// record across two parts is contiguous, and reads stay aligned to pages. Space and part are
// small at first. They grow to the length of the longest possible record only when a record does
// not fit.
//
// Returned bytes are valid until the next call of more.
type window struct {
	r     io.Reader
	buf   []byte // ends behind the last byte that was read; there is capacity after it
	at    int    // buf[at:] is not consumed yet
	start int    // where the next read begins
	err   error  // the error of r
}

func newWindow(r io.Reader) *window {
	return &window{r: r, buf: make([]byte, headroom, headroom+readSize), start: headroom, at: headroom}
}

// rest returns the bytes in memory that are not consumed.
func (w *window) rest() []byte { return w.buf[w.at:] }

// peek returns the next n bytes, at most bufferSize, without consuming them. If there
// are fewer, it returns these and the error that ended the stream.
func (w *window) peek(n int) ([]byte, error) {
	if b := w.rest(); len(b) >= n {
		return b[:n], nil
	}
	return w.more(n)
}

// more does what peek does if too few bytes are in memory.
func (w *window) more(n int) ([]byte, error) {
	for empty := 0; len(w.buf)-w.at < n; {
		if w.err != nil {
			return w.rest(), w.err
		}
		if empty == maxEmptyReads {
			w.err = io.ErrNoProgress
			continue
		}
		if w.at == len(w.buf) || len(w.buf) == cap(w.buf) {
			w.moveRest()
		}
		var got int
		got, w.err = w.r.Read(w.buf[len(w.buf):cap(w.buf)])
		if w.buf = w.buf[:len(w.buf)+got]; got == 0 {
			empty++
		}
	}
	return w.buf[w.at : w.at+n], nil
}

// moveRest moves the bytes that are not consumed to the space before the next read.
func (w *window) moveRest() {
	left := w.rest()
	if len(left) > w.start {
		w.start = bufferSize
		w.buf = make([]byte, w.start, 2*bufferSize)
	}
	w.buf = w.buf[:w.start]
	w.at = w.start - len(left)
	copy(w.buf[w.at:], left)
}

// discard consumes n bytes. If there are fewer, it returns their number and the error
// that ended the stream.
func (w *window) discard(n int) (int, error) {
	left := n
	for have := len(w.rest()); left > have; have = len(w.rest()) {
		left -= have
		w.at = len(w.buf)
		if _, err := w.more(1); err != nil {
			return n - left, err
		}
	}
	w.at += left
	return n, nil
}
