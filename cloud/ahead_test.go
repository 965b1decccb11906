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
	"sync"
	"testing"

	"gotest.tools/v3/assert"

	"mpanalyze/internal/storage"
)

// slowStore has one object and notes how it is read.
type slowStore struct {
	content []byte
	fails   func(offset int64) error // of a request; nil for none

	mutex    sync.Mutex
	requests int
	underWay map[int64]int64 // bytes asked for, by offset
	most     int             // requests under way at once
	mostRead int64           // bytes asked for and not yet read, at once
	read     int64           // by the reader
}

func (s *slowStore) stat(context.Context, string) (object, error) {
	return object{size: int64(len(s.content)), tag: "1"}, nil
}

func (s *slowStore) read1(offset, length int64) error {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	s.requests++
	s.underWay[offset] = length
	s.most = max(s.most, len(s.underWay))
	s.mostRead = max(s.mostRead, offset+length-s.read)
	if s.fails != nil {
		return s.fails(offset)
	}
	return nil
}

func (s *slowStore) list(context.Context, string, int) ([]fs.DirEntry, error) {
	return nil, errors.ErrUnsupported
}

func (s *slowStore) put(context.Context, string, io.Reader, int64) error {
	return errors.ErrUnsupported
}

// body tells the store when it is closed.
type body struct {
	io.Reader
	closed func()
}

func (b body) Close() error { b.closed(); return nil }

func (s *slowStore) readRange(offset, length int64) (io.ReadCloser, error) {
	if err := s.read1(offset, length); err != nil {
		s.ended(offset)
		return nil, err
	}
	return body{bytes.NewReader(s.content[offset : offset+length]), func() { s.ended(offset) }}, nil
}

func (s *slowStore) ended(offset int64) {
	s.mutex.Lock()
	delete(s.underWay, offset)
	s.mutex.Unlock()
}

// asStore adds the method read of the interface. slowStore cannot have it, because it has a field
// of that name.
type asStore struct{ *slowStore }

func (s asStore) read(_ context.Context, _ string, _ object, offset, length int64) (io.ReadCloser, error) {
	return s.readRange(offset, length)
}

func newSlow(size int) *slowStore {
	s := &slowStore{content: make([]byte, size), underWay: map[int64]int64{}}
	rand.NewChaCha8([32]byte{}).Read(s.content)
	return s
}

func open(t *testing.T, s *slowStore) *ahead {
	t.Helper()
	o, _ := s.stat(t.Context(), "")
	return newAhead(t.Context(), quick, place{store: asStore{s}, scheme: "s3", key: "key"}, o, func() {})
}

// TestAhead: every byte comes once and in order; never more than partsAhead parts, or their bytes,
// are under way or waiting; and the beginning costs little.
func TestAhead(t *testing.T) {
	for _, size := range []int{0, 1, minPart - 1, minPart, minPart + 1, 5*maxPart + 12345} {
		s := newSlow(size)
		r := open(t, s)
		var got bytes.Buffer
		for buf := make([]byte, 100_000); ; {
			n, err := r.Read(buf)
			got.Write(buf[:n])
			s.mutex.Lock()
			s.read += int64(n)
			first := s.mostRead
			assert.Check(t, got.Len() > 100_000 || first <= minPart, "%d bytes: %d were asked for before any was read", size, first)
			s.mutex.Unlock()
			if errors.Is(err, io.EOF) {
				break
			}
			assert.NilError(t, err)
		}
		assert.Check(t, bytes.Equal(got.Bytes(), s.content), "%d bytes: %d were read, or others", size, got.Len())
		if s.most > partsAhead || s.mostRead > partsAhead*maxPart {
			t.Errorf("%d bytes: %d requests and %d bytes at once, want at most %d and %d", size, s.most, s.mostRead, partsAhead, partsAhead*maxPart)
		}
		assert.Check(t, r.Close())
	}
}

// TestAttempts: a part is requested as often as the policy says, and only once if no repetition
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
		s := newSlow(10)
		s.fails = func(int64) error { return c.err }
		_, err := io.ReadAll(open(t, s))
		var said *storage.Error
		assert.Check(t, errors.As(err, &said) && strings.Contains(err.Error(), c.says) && said.Hint != "", "%v: %v, want %q", c.err, err, c.says)
		assert.Check(t, s.requests == c.requests, "%v: %d requests, want %d", c.err, s.requests, c.requests)
	}
}

// TestInterrupt: after an interrupt, reading ends with storage.ErrStopped, as where the user
// stops it.
func TestInterrupt(t *testing.T) {
	s := newSlow(3 * maxPart)
	ctx, cancel := context.WithCancel(t.Context())
	r := newAhead(ctx, quick, place{store: asStore{s}, scheme: "s3"}, object{size: int64(len(s.content))}, func() {})
	if _, err := io.ReadFull(r, make([]byte, 10)); err != nil {
		t.Fatal(err)
	}
	s.mutex.Lock()
	s.fails = func(int64) error { return context.Canceled }
	s.mutex.Unlock()
	cancel()
	if _, err := io.ReadAll(r); !errors.Is(err, storage.ErrStopped) {
		t.Errorf("%v, want %v", err, storage.ErrStopped)
	}
}
