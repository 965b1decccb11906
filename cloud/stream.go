package main

import (
	"context"
	"errors"
	"fmt"
	"io"
)

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
