package capture

import (
	"bytes"
	"errors"
	"io"
	"math/rand/v2"
	"testing"
	"testing/iotest"

	"gotest.tools/v3/assert"
)

// stream is n bytes that repeat every 251 bytes. 251 is prime, so a byte that is read from a
// place that is wrong by a power of two has another value.
func stream(n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(i % 251)
	}
	return b
}

// inPieces is a reader that delivers at most next() bytes at once.
type inPieces struct {
	r    io.Reader
	next func() int
}

func (p inPieces) Read(b []byte) (int, error) { return p.r.Read(b[:min(len(b), p.next())]) }

// However many bytes a read delivers, peek and discard show the stream unchanged, also across the
// border between two reads.
func TestWindow(t *testing.T) {
	all := stream(5*bufferSize/2 + 12345)
	rng := rand.New(rand.NewPCG(1, 2))
	readers := map[string]func(io.Reader) io.Reader{
		"whole":            func(r io.Reader) io.Reader { return r },
		"halves":           iotest.HalfReader,
		"end with data":    iotest.DataErrReader,
		"pieces":           func(r io.Reader) io.Reader { return inPieces{r, func() int { return rng.IntN(100_000) }} },
		"pieces as a pipe": func(r io.Reader) io.Reader { return inPieces{r, func() int { return 1 << 16 }} },
	}
	for name, reader := range readers {
		for _, largest := range []int{100, 5000, bufferSize} {
			w, at := newWindow(reader(bytes.NewReader(all))), 0
			for at < len(all) {
				want := rng.IntN(largest + 1)
				b, err := w.peek(want)
				if have := min(want, len(all)-at); len(b) != have || (err != nil) != (have < want) || err != nil && err != io.EOF {
					t.Fatalf("%s: peek(%d) at %d of %d: %d bytes, %v", name, want, at, len(all), len(b), err)
				}
				assert.Assert(t, bytes.Equal(b, all[at:at+len(b)]), "%s: peek(%d) at %d: other bytes than the stream has", name, want, at)
				skip := rng.IntN(largest + 1)
				took, err := w.discard(skip)
				if have := min(skip, len(all)-at); took != have || (err != nil) != (have < skip) || err != nil && err != io.EOF {
					t.Fatalf("%s: discard(%d) at %d of %d: %d bytes, %v", name, skip, at, len(all), took, err)
				}
				at += took
			}
		}
	}
}

// In a live stream, a call waits for no more bytes than were requested.
func TestWindowWaitsForNoMore(t *testing.T) {
	r, pipe := io.Pipe()
	w := newWindow(r)
	for i := range 3 {
		go pipe.Write([]byte{byte(i), 1, 2})
		b, err := w.peek(3)
		if err != nil || !bytes.Equal(b, []byte{byte(i), 1, 2}) {
			t.Fatalf("% x, %v", b, err)
		}
		if _, err := w.discard(3); err != nil {
			t.Fatal(err)
		}
	}
}

func TestWindowErrors(t *testing.T) {
	broken := errors.New("the medium is broken")
	w := newWindow(io.MultiReader(bytes.NewReader(stream(10)), iotest.ErrReader(broken)))
	for range 2 {
		if b, err := w.peek(10); len(b) != 10 || err != nil {
			t.Errorf("the bytes in front of the error: %d, %v", len(b), err)
		}
		if b, err := w.peek(11); len(b) != 10 || !errors.Is(err, broken) {
			t.Errorf("across the error: %d, %v", len(b), err)
		}
	}
	if n, err := w.discard(11); n != 10 || !errors.Is(err, broken) {
		t.Errorf("discard(11) = %d, %v", n, err)
	}
	if b, err := newWindow(inPieces{bytes.NewReader(stream(10)), func() int { return 0 }}).peek(1); len(b) != 0 || err != io.ErrNoProgress {
		t.Errorf("a reader that delivers nothing: %d, %v", len(b), err)
	}
}
