package capture

import (
	"io"
)

const (
	// bufferSize is the most that a record may fill, which bounds the memory
	// that a length in a file can claim.
	bufferSize = 1 << 20

	// readSize is the most that is read at once, unless a record is longer.
	// Fewer and larger reads cost the kernel less: with 1 MiB a quarter less than
	// with 64 KiB. But what was read should still be near the processor when its
	// turn comes: with 1 MiB reading and decoding takes a twelfth longer than with
	// 256 KiB.
	readSize = 256 << 10

	// headroom is what is kept free in front of the room that is read into.
	headroom = 64 << 10

	// maxEmptyReads is how often a reader may deliver neither data nor an
	// error before it is given up.
	maxEmptyReads = 100
)

// A window is the stretch of a stream that is in memory. Records are looked at
// where they lie, in one piece.
//
// What is left of a stretch when the next one is read moves to the room in
// front of it. So a record on the border of two stretches is in one piece, and
// reads stay aligned to pages. Both are small, and take the longest record there
// may be only once one did not fit.
//
// The bytes that are returned are valid until the next call of more.
type window struct {
	r     io.Reader
	buf   []byte // ends where the bytes end that were read; there is room behind
	at    int    // what is not yet passed over is buf[at:]
	start int    // where a stretch begins
	err   error  // what r ended with
}

func newWindow(r io.Reader) *window {
	return &window{r: r, buf: make([]byte, headroom, headroom+readSize), start: headroom, at: headroom}
}

// rest returns the bytes that are in memory.
func (w *window) rest() []byte { return w.buf[w.at:] }

// peek returns the next n bytes, at most bufferSize, or as many as there are
// and what the stream ended with. They stay next.
func (w *window) peek(n int) ([]byte, error) {
	if b := w.rest(); len(b) >= n {
		return b[:n], nil
	}
	return w.more(n)
}

// more is peek where too little is in memory.
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

// moveRest moves what is left to the front.
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

// discard passes over n bytes and returns how many there were; with fewer it
// returns what the stream ended with.
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
