package engine

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/netip"
	"strings"
	"testing"
	"testing/iotest"

	"gotest.tools/v3/assert"

	"mpanalyze/internal/seq"
	"mpanalyze/internal/tracegen"
)

func TestInterruptedReadsAll(t *testing.T) {
	data := bytes.Repeat([]byte("0123456789"), pipeBuffer/4)
	for name, r := range map[string]io.Reader{
		"whole":         bytes.NewReader(data),
		"in pieces":     iotest.OneByteReader(bytes.NewReader(data[:3000])),
		"end with data": iotest.DataErrReader(bytes.NewReader(data)),
	} {
		want := data
		if name == "in pieces" {
			want = data[:3000]
		}
		if got, err := io.ReadAll(interruptibleReader(t.Context(), r)); err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s: %d bytes, %v; want %d", name, len(got), err, len(want))
		}
	}
	broken := errors.New("broken")
	if _, err := io.ReadAll(interruptibleReader(t.Context(), iotest.ErrReader(broken))); !errors.Is(err, broken) {
		t.Errorf("error %v, want that of the reader", err)
	}
}

// The data and the interrupt come at the same time, while the reader begins to wait. The
// data is not lost, whichever the reader sees first.
func TestInterruptedWithData(t *testing.T) {
	const text = "what came before"
	for range 64 { // a random choice would miss the data in half of the cases
		ctx, cancel := context.WithCancel(t.Context())
		begin := make(chan struct{})
		pipe := &silent{Reader: strings.NewReader(text), fallSilent: cancel, until: t.Context().Done()}
		r := interruptibleReader(&late{ctx, begin}, &held{pipe, begin})
		got, err := io.ReadAll(r)
		if string(got) != text || !errors.Is(err, context.Canceled) {
			t.Fatalf("%q, %v; want all that came, and the interrupt", got, err)
		}
	}
}

// late is a context that ends while it is asked whether it has ended.
type late struct {
	context.Context
	begin chan struct{}
}

func (l *late) Done() <-chan struct{} {
	if l.Err() == nil {
		close(l.begin)
		<-l.Context.Done()
	}
	return l.Context.Done()
}

// held is a reader that waits before it reads.
type held struct {
	io.Reader
	begin <-chan struct{}
}

func (h *held) Read(p []byte) (int, error) {
	<-h.begin
	return h.Reader.Read(p)
}

// A pipe is silent and stays open. The interrupt ends the waiting, and the report has the
// data before it.
func TestInterruptedPipe(t *testing.T) {
	var file bytes.Buffer
	s := tracegen.NewSession(tracegen.Config{Version: 1})
	f := s.Subflow(tracegen.Path{
		A: netip.MustParseAddrPort("192.0.2.1:1000"), B: netip.MustParseAddrPort("192.0.2.2:80"), ISN: [2]seq.Wire{1, 2},
	})
	h := f.Open(0)
	f.Data(tracegen.A2B, h.Established(), 0, 1000)
	assert.NilError(t, s.Network().Write(&file, tracegen.HostA, tracegen.Format{}))
	whole, err := Analyze(t.Context(), Options{Paths: []string{"-"}, Stdin: bytes.NewReader(file.Bytes()), Connection: AllConnections})
	assert.NilError(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	pipe := &silent{Reader: bytes.NewReader(file.Bytes()), fallSilent: cancel, until: t.Context().Done()}
	doc, err := Analyze(ctx, Options{Paths: []string{"-"}, Stdin: pipe, Connection: AllConnections})
	if !errors.Is(err, context.Canceled) || !Damaged(err) {
		t.Fatalf("error %v, want the interrupt", err)
	}
	if got, want := doc.Captures[0].Packets, whole.Captures[0].Packets; got != want {
		t.Errorf("%d packets before the interrupt, want all %d", got, want)
	}
}

// silent is a pipe that blocks after its data.
type silent struct {
	io.Reader
	fallSilent func()
	until      <-chan struct{}
}

func (s *silent) Read(p []byte) (int, error) {
	n, err := s.Reader.Read(p)
	if err == nil {
		return n, nil
	}
	s.fallSilent()
	<-s.until
	return 0, io.EOF
}
