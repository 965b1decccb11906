package main

import (
	"context"
	"errors"
	"fmt"
	"io"

	"mpanalyze/internal/crash"
	"mpanalyze/internal/storage"
)

// An object is read in parts. Several parts are requested at the same time, so that reading is
// fast although a single connection to a store may be slow. An open object takes at most
// partsAhead times maxPart, 16 MiB. The first part is small and requested alone, so that it costs
// little to read only the beginning.
const (
	minPart    = 256 << 10 // bytes
	maxPart    = 4 << 20
	partsAhead = 4
)

// stopped is the error of a reader after an interrupt.
var stopped = storage.ErrStopped

// ahead reads an object in order. One goroutine may use it.
type ahead struct {
	policy   policy
	place    place
	object   object
	replaced func() // is called if the object was replaced

	ctx    context.Context
	cancel context.CancelFunc
	next   int64    // offset of the next part to request
	length int      // of that part
	most   int      // largest number of parts that are requested at the same time
	parts  []*part  // in order; the first is being read
	spare  [][]byte // memory of parts that were read
	err    error
}

// part is a range of bytes of the object.
type part struct {
	offset int64
	bytes  []byte
	read   int
	done   chan struct{} // closed when all bytes are there, or err is set
	err    error
}

func newAhead(ctx context.Context, p policy, at place, o object, replaced func()) *ahead {
	a := &ahead{policy: p, place: at, object: o, replaced: replaced, length: minPart, most: 1}
	a.ctx, a.cancel = context.WithCancel(ctx)
	return a
}

// Read implements [io.Reader].
func (a *ahead) Read(dst []byte) (int, error) {
	if a.err != nil {
		return 0, a.err
	}
	a.ask()
	if len(a.parts) == 0 {
		a.err = io.EOF
		return 0, a.err
	}
	head := a.parts[0]
	<-head.done
	if head.err != nil {
		if a.err = head.err; errors.Is(a.err, errReplaced) {
			a.replaced()
		}
		a.cancel()
		return 0, a.err
	}
	n := copy(dst, head.bytes[head.read:])
	if head.read += n; head.read == len(head.bytes) {
		a.parts = a.parts[1:]
		a.spare = append(a.spare, head.bytes)
		a.length, a.most = min(2*a.length, maxPart), min(a.most+1, partsAhead)
		a.ask()
	}
	return n, nil
}

// ask requests further parts, as many as the bound allows.
func (a *ahead) ask() {
	for len(a.parts) < a.most && a.next < a.object.size {
		p := &part{offset: a.next, bytes: a.room(int(min(int64(a.length), a.object.size-a.next))), done: make(chan struct{})}
		a.parts, a.next = append(a.parts, p), a.next+int64(len(p.bytes))
		go func() {
			defer close(p.done)
			defer crash.Catch()
			p.err = a.fetch(p)
		}()
	}
}

// room returns memory for a part. It reuses the memory of an earlier part if that is large enough.
func (a *ahead) room(n int) []byte {
	if last := len(a.spare) - 1; last >= 0 {
		old := a.spare[last]
		if a.spare = a.spare[:last]; cap(old) >= n {
			return old[:n]
		}
	}
	return make([]byte, n)
}

// fetch reads a part. If the connection breaks, it continues from the byte that it has reached.
func (a *ahead) fetch(p *part) error {
	have := 0
	for tries := a.policy.start(); ; {
		n, err := a.once(p.bytes[have:], p.offset+int64(have))
		if have += n; have == len(p.bytes) {
			return nil
		}
		if err := tries.again(a.ctx, a.place.scheme, err); err != nil {
			return err
		}
	}
}

// once makes one request for bytes at an offset and returns how many came.
func (a *ahead) once(dst []byte, offset int64) (n int, err error) {
	w := watch(a.ctx, a.policy.stall)
	defer w.end()
	r, err := a.place.store.read(w.ctx, a.place.key, a.object, offset, int64(len(dst)))
	if err == nil {
		if n, err = io.ReadFull(w.reader(r), dst); err == nil {
			_, _ = r.Read(make([]byte, 1)) // a connection can be used again only after the end of the answer was read
		}
		r.Close() // it was only read
	}
	return n, w.said(err)
}

// Close implements [io.Closer]. It ends all requests.
func (a *ahead) Close() error {
	a.cancel()
	for _, p := range a.parts {
		<-p.done
	}
	a.parts, a.spare, a.next, a.err = nil, nil, a.object.size, errClosed
	return nil
}

var errClosed = errors.New("the object was closed")

// stream reads an object of a server that cannot send ranges of bytes. The object comes in one
// answer. If that is cut, reading cannot continue.
type stream struct {
	w        *watched
	body     io.ReadCloser
	in       io.Reader
	left     int64 // bytes that are still missing
	scheme   string
	replaced func()
}

// openStream requests a whole object.
func (p policy) openStream(ctx context.Context, at place, o object, replaced func()) (io.ReadCloser, error) {
	s := &stream{left: o.size, scheme: at.scheme, replaced: replaced}
	for a := p.start(); ; {
		s.w = watch(ctx, p.stall)
		body, err := at.store.read(s.w.ctx, at.key, o, 0, o.size)
		if err == nil {
			s.body, s.in = body, s.w.reader(body)
			return s, nil
		}
		err = s.w.said(err)
		s.w.end()
		if errors.Is(err, errReplaced) {
			replaced()
		}
		if err := a.again(ctx, at.scheme, err); err != nil {
			return nil, err
		}
	}
}

// Read implements [io.Reader].
func (s *stream) Read(p []byte) (int, error) {
	n, err := s.in.Read(p)
	s.left -= int64(n)
	switch {
	case err == nil || errors.Is(err, io.EOF) && s.left <= 0:
		return n, err
	case errors.Is(err, io.EOF):
		err = io.ErrUnexpectedEOF
	}
	err = s.w.said(err)
	if errors.Is(err, context.Canceled) {
		return n, stopped
	}
	return n, said(s.scheme, fmt.Errorf("%w, and the server gives no parts of files", err), 1)
}

// Close implements [io.Closer].
func (s *stream) Close() error {
	s.w.end()
	return s.body.Close()
}
