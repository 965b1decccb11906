package engine

import (
	"context"
	"io"
	"time"

	"mpanalyze/internal/crash"
)

// A read from a pipe that nobody writes to blocks for ever, and standard input has no
// deadline. So an interrupt cannot end the read; it ends the waiting for it.

// pipeBuffer is the size in bytes of one read from standard input: a pipe
// holds no more on Linux. There are numInputBuffers of them.
const (
	pipeBuffer      = 64 << 10
	numInputBuffers = 2
)

// interruptible reads from another reader until a context ends. A goroutine of its own
// does the reading; rest and buf belong to the caller of Read.
type interruptible struct {
	ctx  context.Context
	full chan readResult
	free chan []byte
	rest readResult
	buf  []byte // the buffer that rest lies in

	idle  func()           // called at each tick while nothing can be read; nil for none
	ticks <-chan time.Time // nil for none
}

// readResult is what one read returned.
type readResult struct {
	data []byte
	err  error
}

// interruptibleReader returns a reader of r whose reads fail once ctx ends. A read of r
// that is under way then stays so until it returns or the program ends.
func interruptibleReader(ctx context.Context, r io.Reader) *interruptible {
	i := &interruptible{ctx: ctx, full: make(chan readResult, numInputBuffers), free: make(chan []byte, numInputBuffers)}
	for range numInputBuffers {
		i.free <- make([]byte, pipeBuffer)
	}
	go i.pump(r)
	return i
}

// pump reads until an error or the context ends it.
func (i *interruptible) pump(r io.Reader) {
	defer crash.Catch()
	for buf := range i.free {
		n, err := r.Read(buf)
		i.full <- readResult{buf[:n], err} // it has room for every buffer
		if err != nil {
			return
		}
	}
}

// Read implements [io.Reader].
func (i *interruptible) Read(p []byte) (int, error) {
	for len(i.rest.data) == 0 {
		if i.rest.err != nil {
			return 0, i.rest.err
		}
		if i.buf != nil {
			i.free <- i.buf
			i.buf = nil
		}
		i.next()
	}
	n := copy(p, i.rest.data)
	i.rest.data = i.rest.data[n:]
	return n, nil
}

// next waits for the goroutine to read something, or for the context. What was read
// before the context ended comes first, although select takes either of two channels
// that are ready.
func (i *interruptible) next() {
	select {
	case i.rest = <-i.full:
	case <-i.ticks:
		i.idle()
		return
	case <-i.ctx.Done():
		select {
		case i.rest = <-i.full:
		default:
			i.rest.err = context.Cause(i.ctx)
			return
		}
	}
	i.buf = i.rest.data[:cap(i.rest.data)]
}
