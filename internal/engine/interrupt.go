package engine

import (
	"context"
	"io"

	"mpanalyze/internal/crash"
)

// A pipe that falls silent blocks its reader for ever, and standard input
// knows no deadline: what an interrupt has to end is the waiting, not the read.

// pipeBuffer is the size in bytes of one read from standard input: a pipe
// holds no more on Linux. There are as many buffers as gulps.
const (
	pipeBuffer = 64 << 10
	gulps      = 2
)

// interruptible reads what another reader gives until a context ends.
type interruptible struct {
	ctx  context.Context
	full chan gulp
	free chan []byte
	rest gulp
	buf  []byte // that rest is in
}

// gulp is what one read gave.
type gulp struct {
	data []byte
	err  error
}

// interrupted returns a reader of r whose reads fail once ctx ends. The read
// that is under way then goes on behind it, until it gets something or the
// program ends.
func interrupted(ctx context.Context, r io.Reader) io.Reader {
	i := &interruptible{ctx: ctx, full: make(chan gulp, gulps), free: make(chan []byte, gulps)}
	for range gulps {
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
		i.full <- gulp{buf[:n], err} // it has room for every buffer
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

// next waits for what the pump has read, or for the context. What was read
// before the context ended is not lost: of two that are ready select takes any.
func (i *interruptible) next() {
	select {
	case i.rest = <-i.full:
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
