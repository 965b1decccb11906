package engine

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"strings"

	"mpanalyze/internal/conn"
	"mpanalyze/internal/follow"
)

// Follow writes the byte stream that the application wrote in o.Direction of connection
// o.Connection to w. It fails with a [follow.MissingError] where payload is not in the
// capture, with a [DamageError] where a capture is damaged before the end of the
// stream, and with another error where there is no such connection.
func Follow(ctx context.Context, o Options, w io.Writer) (FollowResult, error) {
	p, err := open(ctx, o)
	if err != nil {
		return FollowResult{}, err
	}
	defer p.close()
	p.keepPayload = true
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	hash := sha256.New()
	f := &follower{o: o, w: io.MultiWriter(hash, w), stop: stop}
	table := conn.NewTable(conn.Options{Vantage: vantage(o.Vantage), MaxState: o.MaxState}, f)
	stopped := p.track(ctx, table)
	table.Finish()
	if f.stream == nil {
		return FollowResult{}, o.notFollowed(f.count)
	}
	result := FollowResult{Bytes: f.stream.Bytes()}
	hash.Sum(result.SHA256[:0])
	return result, f.outcome(p.outcome(stopped))
}

// outcome returns the error for the user, nil if the stream is whole.
func (f *follower) outcome(read error) error {
	switch {
	case errors.As(f.stream.Err, new(*follow.MissingError)):
		return fmt.Errorf("connection %d: %w", f.o.Connection, f.stream.Err)
	case f.stream.Err != nil:
		return f.stream.Err
	}
	return read
}

// follower waits for the connection to follow. The number of a connection is known only
// after the answer to its SYN.
type follower struct {
	o      Options
	w      io.Writer
	stop   context.CancelCauseFunc
	stream *follow.Stream
	count  int
}

// Open makes an observer for each connection.
func (f *follower) Open(c *conn.Conn) conn.Observer { return &waiting{f: f, c: c} }

// waiting passes packets on once its connection proves to be the one to follow.
type waiting struct {
	conn.Nop
	f *follower
	c *conn.Conn
	s *follow.Stream
}

func (w *waiting) Packet(p *conn.Packet) {
	if w.s == nil {
		if w.c.Kind != conn.Multipath || w.c.ID != w.f.o.Connection || w.f.stream != nil {
			return
		}
		w.s = follow.New(w.c, conn.Side(w.f.o.Direction.Sender()), w.f.w)
		w.f.stream = w.s
	}
	w.s.Packet(p)
	if w.s.Err != nil {
		w.f.stop(w.s.Err)
	}
}

func (w *waiting) Close(at int64) {
	if w.c.Kind == conn.Multipath {
		w.f.count = max(w.f.count, w.c.ID+1)
	}
	if w.s != nil {
		w.s.Close(at)
	}
}

// notFollowed returns the error for a connection that does not exist. count is the
// number of connections.
func (o *Options) notFollowed(count int) error {
	if count == 0 {
		return fmt.Errorf("no MPTCP connection in %s; the stream of plain TCP is not followed", strings.Join(o.Paths, ", "))
	}
	return o.noConnection()
}
