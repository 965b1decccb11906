package main

import (
	"context"
	"errors"
	"fmt"
	"io"

	"mpanalyze/internal/storage"
)

// stopped is the error of a reader after an interrupt.
var stopped = storage.ErrStopped

// enough is the number of bytes after which a connection that breaks does not count as an attempt
// of the one before. Without it, a store that sends a byte and breaks would be asked for ever.
const enough = 256 << 10

// reader reads an object in order, in one answer as long as the connection holds. If that
// breaks, it asks for the rest. One goroutine may use it.
type reader struct {
	policy   policy
	place    place
	object   object
	replaced func() // is called if the object was replaced

	ctx    context.Context
	offset int64 // of the next byte
	from   int64 // offset at which the attempts were last counted from 0
	tries  *attempts
	answer *answer // nil while there is none
	err    error
}

// answer is what a store sends.
type answer struct {
	*watched
	io.Reader
	body io.Closer
}

func (a *answer) close() {
	a.end()
	a.body.Close() // it was only read
}

func newReader(ctx context.Context, p policy, at place, o object, replaced func()) *reader {
	return &reader{policy: p, place: at, object: o, replaced: replaced, ctx: ctx, tries: p.start()}
}

// Read implements [io.Reader].
func (r *reader) Read(dst []byte) (int, error) {
	for r.err == nil && r.offset < r.object.size {
		n, err := r.once(dst)
		if r.offset += int64(n); r.offset-r.from >= enough {
			r.from, r.tries = r.offset, r.policy.start()
		}
		if err != nil {
			r.err = r.again(err)
		}
		if n > 0 || len(dst) == 0 {
			return n, nil
		}
	}
	if r.err == nil {
		r.err = io.EOF
	}
	return 0, r.err
}

// once reads from the answer of the store. It asks for the rest of the object if there is no answer.
func (r *reader) once(dst []byte) (n int, err error) {
	if r.answer == nil {
		w := watch(r.ctx, r.policy.stall)
		body, err := r.place.store.read(w.ctx, r.place.key, r.object, r.offset, r.object.size-r.offset)
		if err != nil {
			defer w.end()
			return 0, w.said(err)
		}
		r.answer = &answer{w, w.reader(body), body}
	}
	r.answer.moved()
	n, err = r.answer.Read(dst)
	r.answer.timer.Stop() // nothing is asked for until the next call
	if errors.Is(err, io.EOF) {
		err = nil
		if r.offset+int64(n) < r.object.size {
			err = io.ErrUnexpectedEOF
		}
	}
	return n, r.answer.said(err)
}

// again waits before the next request. It returns an error if there must be none.
func (r *reader) again(err error) error {
	if r.answer != nil {
		r.answer.close()
		r.answer = nil
	}
	if r.object.stream && r.offset > 0 && r.ctx.Err() == nil {
		return said(r.place.scheme, fmt.Errorf("%w, and the server gives no parts of files", err), 1)
	}
	if err = r.tries.again(r.ctx, r.place.scheme, err); errors.Is(err, errReplaced) {
		r.replaced()
	}
	return err
}

// Close implements [io.Closer]. It ends a request.
func (r *reader) Close() error {
	if r.answer != nil {
		r.answer.close()
		r.answer = nil
	}
	r.err = errClosed
	return nil
}

var errClosed = errors.New("the object was closed")
