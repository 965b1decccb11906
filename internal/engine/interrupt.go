package engine

import (
	"context"
	"io"
	"time"

	"mpanalyze/internal/crash"
)

// A read from a pipe blocks until data comes, and standard input has no deadline. So an
// interrupt cannot end the read. It only ends the wait for the read.

// pipeBuffer is the size in bytes of one read from standard input. A pipe holds no more
// on Linux. There are numInputBuffers such buffers.
const (
	pipeBuffer      = 64 << 10
	numInputBuffers = 2
)

// interruptible reads from another reader until a context ends. A separate goroutine
// reads; rest and buf belong to the caller of Read.
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
// that is blocked then stays blocked until it returns or the program ends.
func interruptibleReader(ctx context.Context, r io.Reader) *interruptible {
	i := &interruptible{ctx: ctx, full: make(chan readResult, numInputBuffers), free: make(chan []byte, numInputBuffers)}
	for range numInputBuffers {
		i.free <- make([]byte, pipeBuffer)
	}
	go i.pump(r)
	return i
}

// pump reads until an error occurs or the context ends.
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

// next waits for the goroutine to read something, or for the context. Data that was
// read before the context ended comes first. A single select would not ensure that,
// because it takes any channel that is ready.
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
