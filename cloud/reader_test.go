package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"strings"
	"testing"
	"testing/iotest"

	"gotest.tools/v3/assert"

	"mpanalyze/internal/storage"
)

// brittle has one object. It fails, or its answers break.
type brittle struct {
	content  []byte
	fails    error // of each request; nil for none
	cut      int   // bytes after which an answer breaks; 0 for never
	requests int
}

func (s *brittle) stat(context.Context, string) (object, error) {
	return object{size: int64(len(s.content)), tag: "1"}, nil
}

func (s *brittle) list(context.Context, string, int) ([]fs.DirEntry, error) {
	return nil, errors.ErrUnsupported
}

func (s *brittle) put(context.Context, string, io.Reader, int64) error {
	return errors.ErrUnsupported
}

func (s *brittle) read(_ context.Context, _ string, _ object, offset, length int64) (io.ReadCloser, error) {
	if s.requests++; s.fails != nil {
		return nil, s.fails
	}
	rest := io.Reader(bytes.NewReader(s.content[offset : offset+length]))
	if s.cut != 0 && int64(s.cut) < length {
		rest = io.MultiReader(io.LimitReader(rest, int64(s.cut)), iotest.ErrReader(errors.New("reset by peer")))
	}
	return io.NopCloser(rest), nil
}

func newBrittle(size int) *brittle {
	s := &brittle{content: make([]byte, size)}
	rand.NewChaCha8([32]byte{}).Read(s.content)
	return s
}

func open(t *testing.T, s *brittle, o object) *reader {
	t.Helper()
	o.size = int64(len(s.content))
	return newReader(t.Context(), quick, place{store: s, scheme: "s3", key: "key"}, o, func() {})
}

// TestReader: every byte comes once and in order, in one answer if that does not break. An answer that breaks
// is continued as long as enough bytes come between.
func TestReader(t *testing.T) {
	for _, c := range []struct{ size, cut, requests int }{
		{0, 0, 0}, {1, 0, 1}, {5<<20 + 12345, 0, 1}, {5 << 20, enough, 20}, {enough, enough / 8, 8},
	} {
		s := newBrittle(c.size)
		s.cut = c.cut
		r := open(t, s, object{})
		got, err := io.ReadAll(r)
		assert.Check(t, err == nil && bytes.Equal(got, s.content), "%+v: %d bytes, or others: %v", c, len(got), err)
		assert.Check(t, s.requests == c.requests, "%+v: %d requests", c, s.requests)
		assert.Check(t, r.Close())
	}
	s := newBrittle(enough)
	s.cut = 100
	got, err := io.ReadAll(open(t, s, object{}))
	assert.Check(t, err != nil && len(got) == quick.attempts*s.cut && s.requests == quick.attempts, "%d bytes in %d requests, %v", len(got), s.requests, err)
	s = newBrittle(enough)
	s.cut = 100
	_, err = io.ReadAll(open(t, s, object{stream: true}))
	assert.Check(t, err != nil && s.requests == 1 && strings.Contains(err.Error(), "the server gives no parts of files"), "%d requests, %v", s.requests, err)
}

// TestAttempts: an object is requested as often as the policy says, and only once if no repetition
// can help.
func TestAttempts(t *testing.T) {
	for _, c := range []struct {
		err      error
		requests int
		says     string
	}{
		{statusError(503), quick.attempts, "overloaded or down (503, asked 8 times)"},
		{statusError(429), quick.attempts, "overloaded or down (429, asked 8 times)"},
		{io.ErrUnexpectedEOF, quick.attempts, "breaks (asked 8 times): unexpected EOF"},
		{errors.New("connection refused"), quick.attempts, "cannot be reached (asked 8 times): connection refused"},
		{fmt.Errorf("%w for 30s", errStalled), quick.attempts, "breaks (asked 8 times): the storage stopped answering for 30s"},
		{statusError(403), 1, "refuses access (403)"},
		{statusError(404), 1, "no such object (404)"},
		{statusError(412), 1, "was replaced while it was read"},
		{statusError(416), 1, "was replaced while it was read"},
		{statusError(301), 1, "answers 301: 301 Moved Permanently; check the region"},
		{errReplaced, 1, "was replaced while it was read"},
	} {
		s := newBrittle(10)
		s.fails = c.err
		_, err := io.ReadAll(open(t, s, object{}))
		var said *storage.Error
		assert.Check(t, errors.As(err, &said) && strings.Contains(err.Error(), c.says) && said.Hint != "", "%v: %v, want %q", c.err, err, c.says)
		assert.Check(t, s.requests == c.requests, "%v: %d requests, want %d", c.err, s.requests, c.requests)
	}
}

// TestInterrupt: after an interrupt, reading ends with storage.ErrStopped, as where the user
// stops it.
func TestInterrupt(t *testing.T) {
	s := newBrittle(enough)
	s.cut = 100
	ctx, cancel := context.WithCancel(t.Context())
	r := newReader(ctx, quick, place{store: s, scheme: "s3"}, object{size: int64(len(s.content))}, func() {})
	_, err := io.ReadFull(r, make([]byte, 10))
	assert.NilError(t, err)
	cancel()
	if _, err := io.ReadAll(r); !errors.Is(err, storage.ErrStopped) {
		t.Errorf("%v, want %v", err, storage.ErrStopped)
	}
}
